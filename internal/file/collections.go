package file

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

var (
	// Files are what users have.
	Files = store.NewCollection[nestor.File]("files", nil, "users/{userId}/files/{id}",
		store.Column[string]("storedAs"), store.Column("state", nestor.FileUnused, nestor.FileUsed))
	// ChatFiles are notes below a chat about files that its messages name.
	ChatFiles = store.NewCollection[nestor.ChatFile]("chat_files", store.Chats, "users/{userId}/orch-chats/{chatId}/files/{id}")
)

// Collections are both, which the server alone writes. They come after those of forks,
// whose deletion lets forks name files before the files are let go here.
var Collections = func() []*store.Collection {
	Files.Stands = "size"
	Files.ServerWrites, Files.Indexes = true, [][]string{{"storedAs"}, {"state"}}
	ChatFiles.ServerDeletes = true
	ChatFiles.ServerWrites, ChatFiles.BeforeWrite, ChatFiles.BeforeDelete = true, nameFiles, letGo
	return []*store.Collection{Files, ChatFiles}
}()
