package httpapi

import (
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/chatfork"
	"github.com/nestorhq/nestor/internal/httpapi/events"
	"github.com/nestorhq/nestor/internal/httpapi/web"
	"github.com/nestorhq/nestor/internal/store"
)

// Request is a request to a route of a module.
type Request struct {
	*http.Request
	server *server
	tells  *subjects
}

// UserID is who is asking.
func (r *Request) UserID() string { return callerOf(r.Request).UserID }

// Subject is the user whom the request is about: the caller, or the one in the parameter
// user; see [UserParameter]. Rules decide whether that is allowed.
func (r *Request) Subject() (access.Subject, error) { return subject(r.Request) }

// Caller is who is asking, and by what right.
func (r *Request) Caller() access.Caller { return callerOf(r.Request) }

// Decode reads the body into v, strictly: a misspelt field is an error.
func (r *Request) Decode(v any) error { return web.Read(r.Request, v) }

// Page reads which part of a list the caller wants; see [Paging].
func (r *Request) Page() (limit int, cursor string, err error) {
	limit, err = limitOf(r.URL.Query().Get("limit"))
	return limit, r.URL.Query().Get("cursor"), err
}

// View reads what the caller may read.
func (r *Request) View(fn func(store.Reader) error) error { return r.server.view(r.Request, fn) }

// Said calls fn with all messages of a chat, oldest first.
type Said func(fn func(*nestor.Document) error) error

// ViewChat reads what was said in a chat that the caller may read. A fork begins with
// what it shares, which who may read the fork may read, too.
func (r *Request) ViewChat(chat nestor.Path, fn func(Said) error) error {
	return r.server.Store.View(r.Context(), func(all store.Reader) error {
		may := r.server.Rules.Reader(all, r.Caller())
		d, err := may.Get(chat)
		if err != nil {
			return err
		}
		c, err := nestor.As[nestor.Chat](d)
		if err != nil {
			return err
		}
		return fn(func(each func(*nestor.Document) error) error {
			if err := chatfork.EachShared(all, &c, each); err != nil {
				return err
			}
			for q := (store.Query{Collection: string(chat) + "/messages", Limit: store.MaxLimit}); ; {
				page, err := may.Query(q)
				if err != nil {
					return err
				}
				for _, d := range page.Items {
					if err := each(d); err != nil {
						return err
					}
				}
				if q.Cursor = page.Next; q.Cursor == "" {
					return nil
				}
			}
		})
	})
}

// ViewIn runs fn on a snapshot that the rules do not limit, if the caller may read the
// document at p. It is for handlers that know what who reads it may see.
func (r *Request) ViewIn(p nestor.Path, fn func(store.Reader) error) error {
	return r.server.Store.View(r.Context(), func(all store.Reader) error {
		if _, err := r.server.Rules.Reader(all, r.Caller()).Get(p); err != nil {
			return err
		}
		return fn(all)
	})
}

// ViewAs reads what another user may read now, if they had a session. It is for what a user
// lets others see: whoever asks sees no more than that user, and nothing once that user is
// locked out.
func (r *Request) ViewAs(userID string, fn func(store.Reader) error) error {
	as, err := r.server.Gate.Standing(r.Context(), userID)
	if err != nil {
		return err
	}
	return r.server.Store.View(r.Context(), func(all store.Reader) error {
		return fn(r.server.Rules.Reader(all, as))
	})
}

// Stranger counts a request of somebody who need not say who they are, by the network that
// it comes from. An error says that it must not be answered now.
func (r *Request) Stranger() error {
	return r.server.strangers.Allow(r.server.Gate.ClientOf(r.Request).Network())
}

// Guessed counts a secret that was wrong, as a failed login.
func (r *Request) Guessed() error {
	return r.server.logins.Allow(r.server.Gate.ClientOf(r.Request).Network())
}

// Update writes what the caller may write.
func (r *Request) Update(fn func(store.Tx) error) error { return r.server.update(r.Request, fn) }

// Act runs fn in a transaction that the rules do not limit, if the caller may act
// on the document at p. It is for handlers that know what may change.
func (r *Request) Act(p nestor.Path, fn func(store.Tx) error) error {
	return r.server.act(r.Request, p, fn)
}

// MayAct reports why the caller may not act on the document at p, which need not
// exist.
func (r *Request) MayAct(p nestor.Path) error { return r.server.checkAct(r.Request, p) }

// Reaches reports why the caller's credential is not for the document at p,
// which an act on another document writes.
func (r *Request) Reaches(p nestor.Path) error { return checkReach(r.Request, p) }

// Get reads a document, as far as the caller may.
func (r *Request) Get(p nestor.Path) (d *nestor.Document, err error) {
	err = r.View(func(tx store.Reader) (err error) {
		d, err = tx.Get(p)
		return err
	})
	return d, err
}

// IfMatch is the version that the caller saw, store.AnyVersion if they do not say.
func (r *Request) IfMatch() (int64, error) { return ifMatch(r.Request) }

// Charge counts more writes than the one that every request is.
func (r *Request) Charge(more int) {
	if c := r.Caller(); c.Kind != access.AsLocal {
		r.server.writes.Charge(c.UserID, more)
	}
}

// Stream is what a route with events answers with; see [events.Told].
type Stream = events.Told

// Event is one of a [Stream].
type Event = events.Event

// Upload is a file that a request brings.
type Upload struct {
	Name, Type string
	Data       []byte
	// Fields are the texts that a form has beside the file.
	Fields map[string]string
}

// fileNameParameter names the file if the file is the whole request.
const fileNameParameter = "filename"

// Upload returns the file of a request: the part of a form that is one, or the
// whole body. It is nil if the request is JSON. A request without a
// Content-Type, or with the one that curl gives any data, counts as JSON.
func (r *Request) Upload() (*Upload, error) {
	kind, err := r.kind()
	switch {
	case err != nil || kind == "" || kind == "application/json" || kind == "application/x-www-form-urlencoded":
		return nil, err
	case kind == "multipart/form-data":
		return r.form()
	}
	u := &Upload{Name: r.fileName(), Type: kind}
	u.Data, err = io.ReadAll(r.Body)
	return u, err
}

// kind is the media type of the body, "" if the request has none.
func (r *Request) kind() (string, error) {
	header := r.Header.Get("Content-Type")
	if header == "" {
		return "", nil
	}
	kind, _, err := mime.ParseMediaType(header)
	if err != nil {
		return "", nestor.Errorf(nestor.CodeInvalid, "the Content-Type cannot be read: %v", err)
	}
	return kind, nil
}

// fileName is the name of a file that is the whole request.
func (r *Request) fileName() string {
	name := r.URL.Query().Get(fileNameParameter)
	if _, params, err := mime.ParseMediaType(r.Header.Get("Content-Disposition")); err == nil && name == "" {
		name = params["filename"]
	}
	return name
}

// Incoming is a file that a request brings and that has not been read yet.
type Incoming struct {
	Name, Type string
	io.Reader
}

// Incoming returns the file of a request, to be read as it comes: the first part of a
// form that is one, or the whole body, whatever it is. What a form has after the file is
// not read.
func (r *Request) Incoming() (*Incoming, error) {
	kind, err := r.kind()
	if err != nil || kind != "multipart/form-data" {
		return &Incoming{r.fileName(), kind, r.Body}, err
	}
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, unreadable(err)
	}
	for {
		part, err := parts.NextPart()
		switch {
		case errors.Is(err, io.EOF):
			return nil, noFile()
		case err != nil:
			return nil, unreadable(err)
		case part.FileName() != "":
			return &Incoming{part.FileName(), part.Header.Get("Content-Type"), partReader{part}}, nil
		}
	}
}

// partReader says of a form that breaks off that the client is at fault.
type partReader struct{ io.Reader }

func (p partReader) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if err != nil && !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = unreadable(err)
	}
	return n, err
}

func noFile() error {
	return nestor.Errorf(nestor.CodeInvalid, "the form has no file").With("field", "file")
}

// Chat is the chat that the path of the request names: one of the caller's, or of the
// user whom the parameter user names; see [UserParameter].
func (r *Request) Chat() (nestor.Path, error) { return chatPath(r.Request) }

// form reads a form with one file.
func (r *Request) form() (*Upload, error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, unreadable(err)
	}
	u := &Upload{Fields: map[string]string{}}
	found := false
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, unreadable(err)
		}
		data, err := io.ReadAll(part)
		switch {
		case err != nil:
			return nil, unreadable(err)
		case part.FileName() == "":
			u.Fields[part.FormName()] = string(data)
		case found:
			return nil, nestor.Errorf(nestor.CodeInvalid, "the form has more than one file: send one at a time").With("field", "file")
		default:
			found = true
			u.Name, u.Type, u.Data = part.FileName(), part.Header.Get("Content-Type"), data
		}
	}
	if !found {
		return nil, noFile()
	}
	return u, nil
}

// unreadable says why a form could not be read. That it is too large stays as
// it is.
func unreadable(err error) error {
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		return err
	}
	return nestor.Errorf(nestor.CodeInvalid, "the form cannot be read: %v", err)
}
