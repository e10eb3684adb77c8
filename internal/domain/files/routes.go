package files

import (
	"context"
	"io"
	"net/http"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/file"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
)

// maxForm is what a form may have around its file.
const maxForm = 64 << 10

// reasonInUse is the reason of a refusal to delete.
const reasonInUse = "FILE_IN_USE"

func routes(most int64) []module.Route[*Files] {
	type route = httpapi.Route
	const one = "/api/v1/files/{file}"
	return []module.Route[*Files]{
		{Do: (*Files).upload, Route: route{
			Pattern: "POST /api/v1/files", ID: "uploadFile", Summary: "Upload a file, which messages can then name; the same bytes are stored once",
			Description: "The file is the body itself, of whatever Content-Type, or the first file of a form. Its bytes decide what it is.",
			Answer:      nestor.File{}, Creates: true,
			Upload: most + maxForm, Fails: []httpapi.Failure{{Status: http.StatusBadRequest, Reason: file.ReasonType, When: "The file is of a type that cannot be attached, or is not what it is said to be."}},
		}},
		{Do: (*Files).list, Route: route{
			Pattern: "GET /api/v1/files", ID: "listFiles", Summary: "The caller's files, oldest first",
			Description: "Each says how many chats have it in their messages, and whether it is used at all.",
			Answer:      nestor.File{}, Lists: true, Query: httpapi.Paging(),
		}},
		{Do: (*Files).get, Route: route{
			Pattern: "GET " + one, ID: "getFile", Summary: "What is known of a file of the caller's",
			Description: "The id of a file is the SHA-256 of its bytes, in hexadecimal.",
			Answer:      nestor.File{},
		}},
		{Do: (*Files).content, Route: route{
			Pattern: "GET " + one + "/content", ID: "readFile", Summary: "The bytes of a file of the caller's",
			Description: "Images and recordings may be shown by a browser, all else is for saving. Ranges and ETags work as for any file.",
			File:        true,
		}},
		{Do: (*Files).delete, Route: route{
			Pattern: "DELETE " + one, ID: "deleteFile", Summary: "Delete a file that no message names",
			Description: "One that messages name goes with the last of them, and one that no message names goes by itself after a day, unless the server was told otherwise.",
			Fails:       []httpapi.Failure{{Status: http.StatusConflict, Reason: reasonInUse, When: "Messages name the file: it goes with the last of them."}},
		}},
		{Do: (*Files).inChat, Route: route{
			Pattern: "GET /api/v1/chats/{chat}/files/{file}", ID: "readChatFile", Summary: "The bytes of a file that messages of a chat name",
			Description: "It is for whoever may read the chat: files of others are read only through the chats that have them.",
			File:        true,
			Query:       []httpapi.Parameter{httpapi.UserParameter},
		}},
	}
}

// upload saves the file of a request.
func (f *Files) upload(r *httpapi.Request) (any, error) {
	if err := r.MayAct(nestor.FilePath(r.UserID(), "new")); err != nil {
		return nil, err
	}
	in, err := r.Incoming()
	if err != nil {
		return nil, err
	}
	d, created, err := f.Save(r.Context(), file.Upload{UserID: r.UserID(), Name: in.Name, Type: in.Type, Body: in}, r.Act)
	if err != nil || created {
		return d, err
	}
	return httpapi.Answered{Status: http.StatusOK, Body: d}, nil
}

func (f *Files) list(r *httpapi.Request) (any, error) {
	limit, cursor, err := r.Page()
	if err != nil {
		return nil, err
	}
	var page store.Page
	err = r.View(func(tx store.Reader) (err error) {
		page, err = tx.Query(store.Query{Collection: "users/" + r.UserID() + "/files", Limit: limit, Cursor: cursor})
		return err
	})
	return page, err
}

// at is where the file lies that a request names.
func at(r *httpapi.Request) (nestor.Path, error) {
	return nestor.ParsePath("users/" + r.UserID() + "/files/" + r.PathValue("file"))
}

func (f *Files) get(r *httpapi.Request) (any, error) {
	p, err := at(r)
	if err != nil {
		return nil, err
	}
	return r.Get(p)
}

func (f *Files) content(r *httpapi.Request) (any, error) {
	p, err := at(r)
	if err != nil {
		return nil, err
	}
	d, err := r.Get(p)
	if err != nil {
		return nil, err
	}
	found, err := nestor.As[nestor.File](d)
	if err != nil {
		return nil, err
	}
	return f.answer(&found), nil
}

// inChat shows a file to who may read a chat whose messages name it.
func (f *Files) inChat(r *httpapi.Request) (any, error) {
	chat, err := r.Chat()
	if err != nil {
		return nil, err
	}
	var found *nestor.File
	err = r.ViewIn(chat, func(all store.Reader) (err error) {
		found, err = file.InChat(all, chat, r.PathValue("file"))
		return err
	})
	if err != nil {
		return nil, err
	}
	return f.answer(found), nil
}

// answer is the content of a file. Texts are never of a type that a browser runs.
func (f *Files) answer(found *nestor.File) httpapi.Content {
	c := httpapi.Content{
		Name: found.Name, Type: found.MediaType, Shown: file.Shows(found.MediaType), Size: found.Size, Tag: found.ID,
		Open: func(ctx context.Context, offset int64) (io.ReadCloser, error) { return f.Open(ctx, found, offset) },
	}
	if file.IsText(c.Type) {
		c.Type = "text/plain; charset=utf-8"
	}
	return c
}

// delete removes a file that no message names.
func (f *Files) delete(r *httpapi.Request) (any, error) {
	p, err := at(r)
	if err != nil {
		return nil, err
	}
	return nil, r.Act(p, func(tx store.Tx) error {
		d, err := tx.Get(p)
		if err != nil {
			return err
		}
		found, err := nestor.As[nestor.File](d)
		if err != nil {
			return err
		}
		if found.State == nestor.FileUsed {
			return httpapi.Because(reasonInUse, nestor.Errorf(nestor.CodeConflict, "messages of %d chats name the file: it goes with the last of them", found.Chats))
		}
		return tx.Delete(p, d.Version)
	})
}
