package mcp

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// The resources: chats and runs of the caller, and any document by its path.
const (
	chatsURI     = "nestor://chats/"
	runsURI      = "nestor://runs/"
	documentsURI = "nestor://documents/"

	asMarkdown = "text/markdown"
	asJSON     = "application/json"
)

var templates = []*sdk.ResourceTemplate{
	{URITemplate: chatsURI + "{id}", Name: "chat", Title: "Chat", MIMEType: asMarkdown, Description: "What was said in a chat of yours, which tools know as a thread."},
	{URITemplate: runsURI + "{id}", Name: "run", Title: "Run", MIMEType: asJSON, Description: "A run: how it stands, what it used and what came of it."},
	{URITemplate: documentsURI + "{+path}", Name: "document", Title: "Document", MIMEType: asJSON, Description: "Any document that you may read, such as users/ME/orch-chats/ID/tasks/ID."},
}

// listed is a collection of the caller whose documents are listed as resources.
type listed struct {
	uri, collection, mime string
	// name is what a document is called.
	name func(*nestor.Document) (string, error)
}

var lists = []listed{
	{chatsURI, "orch-chats", asMarkdown, func(d *nestor.Document) (string, error) {
		chat, err := nestor.As[nestor.Chat](d)
		return chat.Title, err
	}},
	{runsURI, "runs", asJSON, func(d *nestor.Document) (string, error) {
		run, err := nestor.As[nestor.Run](d)
		return "run of " + time.UnixMilli(run.BeganAt).UTC().Format(time.RFC3339) + ": " + string(run.Status), err
	}},
}

// pageSize is how many resources are listed at a time.
const pageSize = 50

// listResources lists the chats and then the runs of the caller, the newest first. A
// cursor says which of the two it goes on with.
func listResources(req *httpapi.Request, params *sdk.ListResourcesParams) (*sdk.ListResourcesResult, error) {
	from, cursor := lists[0].uri, ""
	if params != nil && params.Cursor != "" {
		from, cursor, _ = strings.Cut(params.Cursor, " ")
	}
	list := &sdk.ListResourcesResult{Cacheable: private, Resources: []*sdk.Resource{}}
	for i, l := range lists {
		if l.uri != from {
			continue
		}
		next, err := l.add(req, list, cursor)
		switch {
		case err != nil:
			return nil, err
		case next != "":
			list.NextCursor = l.uri + " " + next
		case i+1 < len(lists):
			list.NextCursor = lists[i+1].uri
		}
		return list, nil
	}
	return nil, nestor.Errorf(nestor.CodeInvalid, "the cursor is none of this list")
}

// add adds a page to a list.
func (l *listed) add(req *httpapi.Request, list *sdk.ListResourcesResult, cursor string) (next string, err error) {
	err = req.View(func(docs store.Reader) error {
		page, err := docs.Query(store.Query{
			Collection: "users/" + req.UserID() + "/" + l.collection, OrderBy: []store.Order{{Field: "createdAt", Desc: true}}, Limit: pageSize, Cursor: cursor,
		})
		if err != nil {
			return err
		}
		list.Resources, next = list.Resources[:0], page.Next
		for _, d := range page.Items {
			name, err := l.name(d)
			if err != nil {
				return err
			}
			if name == "" {
				name = d.Path.ID()
			}
			list.Resources = append(list.Resources, &sdk.Resource{URI: l.uri + d.Path.ID(), Name: name, MIMEType: l.mime})
		}
		return nil
	})
	return next, err
}

// pathOf is the document that a resource is.
func pathOf(req *httpapi.Request, uri string) (nestor.Path, error) {
	own := nestor.Path("users/" + req.UserID())
	for _, l := range lists {
		if id, ok := strings.CutPrefix(uri, l.uri); ok {
			if nestor.CheckID(id) != nil {
				return "", noResource(uri)
			}
			return own.Child(l.collection, id), nil
		}
	}
	escaped, ok := strings.CutPrefix(uri, documentsURI)
	if !ok {
		return "", noResource(uri)
	}
	plain, err := url.PathUnescape(escaped)
	if err != nil {
		return "", noResource(uri)
	}
	p, err := nestor.ParsePath(plain)
	if err != nil {
		return "", noResource(uri)
	}
	return p, nil
}

// noResource says that there is no such resource, or none that the caller may know of.
// Its code is that of the protocol's versions that have sessions.
func noResource(uri string) error {
	data, _ := json.Marshal(map[string]string{"uri": uri}) // of texts
	return &jsonrpc.Error{Code: -32002, Message: "there is no resource " + uri, Data: data}
}

// readResource reads a resource, as far as the caller may.
func (d *Door) readResource(req *httpapi.Request, uri string) (*sdk.ReadResourceResult, error) {
	p, err := pathOf(req, uri)
	if err != nil {
		return nil, err
	}
	doc, err := req.Get(p)
	if errors.Is(err, nestor.ErrNotFound) {
		return nil, noResource(uri)
	}
	if err != nil {
		return nil, err
	}
	content := &sdk.ResourceContents{URI: uri, MIMEType: asJSON}
	switch {
	case strings.HasPrefix(uri, chatsURI):
		content.MIMEType = asMarkdown
		content.Text, err = transcript(req, doc)
	case strings.HasPrefix(uri, runsURI):
		var result nestor.RunResult
		if result, err = d.opts.Runs().Result(req.Context(), p, 0); err == nil {
			content.Text, err = encoded(result)
		}
	default:
		content.Text, err = encoded(doc)
	}
	if err != nil {
		return nil, err
	}
	return &sdk.ReadResourceResult{Cacheable: private, Contents: []*sdk.ResourceContents{content}}, nil
}

func encoded(v any) (string, error) {
	b, err := json.MarshalIndent(v, "", "  ")
	return string(b), err
}

// maxTranscript is how many bytes of a chat are told, the newest.
const maxTranscript = 1 << 20

// transcript is a chat as text.
func transcript(req *httpapi.Request, d *nestor.Document) (string, error) {
	chat, err := nestor.As[nestor.Chat](d)
	if err != nil {
		return "", err
	}
	var said []string
	size := 0
	err = req.ViewChat(d.Path, func(each httpapi.Said) error {
		said, size = nil, 0
		return each(func(d *nestor.Document) error {
			m, err := nestor.As[nestor.Message](d)
			if err != nil || m.Content == "" {
				return err
			}
			text := "**" + string(m.Role) + "**: " + m.Content
			said, size = append(said, text), size+len(text)
			for size > maxTranscript && len(said) > 1 {
				size, said = size-len(said[0]), said[1:]
			}
			return nil
		})
	})
	title := chat.Title
	if title == "" {
		title = d.Path.ID()
	}
	return "# " + title + "\n\n" + strings.Join(said, "\n\n") + "\n", err
}

// complete suggests ids of chats and runs to somebody who types one.
func (d *Door) complete(r *sdk.CompleteRequest) (*sdk.CompleteResult, error) {
	res := &sdk.CompleteResult{Completion: sdk.CompletionResultDetails{Values: []string{}}}
	req, err := requestOf(r)
	if err != nil {
		return nil, d.rpcError(err)
	}
	for _, l := range lists {
		if r.Params.Ref.URI != l.uri+"{id}" || r.Params.Argument.Name != "id" {
			continue
		}
		newest := &sdk.ListResourcesResult{}
		if _, err := l.add(req, newest, ""); err != nil {
			return nil, d.rpcError(err)
		}
		for _, found := range newest.Resources {
			if id := strings.TrimPrefix(found.URI, l.uri); strings.HasPrefix(id, r.Params.Argument.Value) {
				res.Completion.Values = append(res.Completion.Values, id)
			}
		}
	}
	return res, nil
}
