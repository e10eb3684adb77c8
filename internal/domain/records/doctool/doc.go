// Package doctool has the tools with which agents read and write the text documents of
// the person they work for.
//
// What an agent writes is a version like any other, with who wrote it. The id of a
// version is derived from the call that makes it, so a call that is made again after a
// crash finds what it wrote and answers as it would have. An agent names the version
// that it has read; if somebody saved another one meanwhile, the call fails and says
// which, so that the model reads that one and merges.
package doctool

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/records/record"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
)

// The tools, by name.
const (
	Read  = "read_document"
	Write = "write_document"
)

// source is where people are told that the tools come from.
const source = "documents"

// Tools makes the tools.
func Tools(s store.Documents) []*tool.Tool { return []*tool.Tool{readTool(s), writeTool(s)} }

// at is where a document of a user lies.
func at(userID, id string) nestor.Path { return record.Of(userID).Child("text-documents", id) }

// of is the collection with the documents of a user.
func of(userID string) string { return at(userID, "any").Collection() }
