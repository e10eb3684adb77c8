package priority

import (
	"encoding/json"
	"errors"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/doctext"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// DocumentSummary is a document as lists show it.
type DocumentSummary struct {
	ID         string                `json:"id"`
	UserID     string                `json:"user_id"`
	Title      string                `json:"title"`
	SourceType string                `json:"source_type"`
	Status     record.DocumentStatus `json:"status"`
	Error      string                `json:"error,omitempty"`
	Notice     string                `json:"notice,omitempty"`
	TaskCount  int                   `json:"task_count"`
	CreatedAt  string                `json:"created_at"`
	UpdatedAt  string                `json:"updated_at"`
}

// ProcessedDocument is a document as the API shows it.
type ProcessedDocument struct {
	DocumentSummary
	Content string `json:"content"`
	// StructuredOutput is null until the document was processed once.
	StructuredOutput *record.StructuredOutput `json:"structured_output"`
}

func summarise(d *record.SourceDocument) DocumentSummary {
	shown := DocumentSummary{
		ID: d.ID, UserID: d.UserID, Title: d.Title, SourceType: d.SourceType, Status: d.Status, Error: d.Error, Notice: d.Notice,
		CreatedAt: iso(d.CreatedAt), UpdatedAt: iso(d.UpdatedAt),
	}
	if d.StructuredOutput != nil {
		shown.TaskCount = len(d.StructuredOutput.Tasks)
	}
	return shown
}

func showDocument(d *record.SourceDocument) ProcessedDocument {
	return ProcessedDocument{summarise(d), d.Content, d.StructuredOutput}
}

type documentFields struct {
	Title   string `json:"title"`
	Content string `json:"content"`
}

type documentChange struct {
	Title   *string `json:"title,omitempty"`
	Content *string `json:"content,omitempty"`
}

// maxContent is how many bytes the content of a document has as JSON: the tasks
// have to fit into the stored document, too.
const maxContent = 512 << 10

const maxTitle = 200

// check refuses a document that cannot be stored.
func check(d *record.SourceDocument) error {
	if err := checkText("title", &d.Title, 1, maxTitle); err != nil {
		return err
	}
	if strings.TrimSpace(d.Content) == "" {
		return refuse("content", "has no text")
	}
	if !utf8.ValidString(d.Content) || strings.ContainsRune(d.Content, 0) {
		return refuse("content", "is not text")
	}
	text, err := json.Marshal(d.Content)
	if err != nil {
		return err
	}
	if len(text) > maxContent {
		return httpapi.Because(reasonInvalid, nestor.Errorf(nestor.CodeTooLarge,
			"content has %d bytes; %d are allowed: split it into several documents", len(text), maxContent).With("field", "content"))
	}
	return nil
}

// received is the document that a request brings, as JSON or as a file.
func (p *Priority) received(r *httpapi.Request) (record.SourceDocument, error) {
	d := record.SourceDocument{UserID: r.UserID(), SourceType: doctext.Markdown}
	file, err := r.Upload()
	if err != nil {
		return d, err
	}
	if file == nil {
		var said documentFields
		if err := decode(r, &said); err != nil {
			return d, err
		}
		d.Title, d.Content = said.Title, said.Content
		return d, check(&d)
	}
	if d.Content, d.SourceType, err = p.files.TextOf(r.Context(), r.UserID(), file.Name, file.Type, file.Data); err != nil {
		return d, unreadable(err)
	}
	if d.Title = file.Fields["title"]; d.Title == "" {
		d.Title = titleOf(file.Name)
	}
	return d, check(&d)
}

// unreadable says that it is the file that cannot be read.
func unreadable(err error) error {
	if text, ok := nestor.PublicText(err); ok && !errors.Is(err, nestor.ErrRateLimited) {
		return httpapi.Because(reasonInvalid, nestor.Errorf(nestor.CodeOf(err), "%s", text).With("field", "file"))
	}
	return err
}

// titleOf is the title of a file that has no other.
func titleOf(name string) string {
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	name = strings.TrimSpace(strings.TrimSuffix(name, path.Ext(name)))
	if name == "" || name == "." || name == "/" {
		return "Document"
	}
	if runes := []rune(name); len(runes) > maxTitle {
		name = string(runes[:maxTitle])
	}
	return name
}

func documentPath(r *httpapi.Request) nestor.Path {
	return ownOf(r).Child("processed-documents", r.PathValue("document"))
}

func (p *Priority) postDocument(r *httpapi.Request) (any, error) {
	d, err := p.received(r)
	if err != nil {
		return nil, err
	}
	d.Status = record.DocumentQueued
	at := ownOf(r).Child("processed-documents", nestor.NewID())
	return writeDocument(r, at, func(tx store.Tx) (*nestor.Document, error) { return tx.Create(at, d) })
}

func (p *Priority) putDocument(r *httpapi.Request) (any, error) {
	said, err := p.received(r)
	if err != nil {
		return nil, err
	}
	return changeDocument(r, func(d *record.SourceDocument) error {
		d.Title, d.SourceType = said.Title, said.SourceType
		requeue(d, said.Content)
		return nil
	})
}

func (p *Priority) patchDocument(r *httpapi.Request) (any, error) {
	var said documentChange
	if err := decode(r, &said); err != nil {
		return nil, err
	}
	return changeDocument(r, func(d *record.SourceDocument) error {
		set(&d.Title, said.Title)
		if said.Content != nil {
			requeue(d, *said.Content)
		}
		return check(d)
	})
}

// requeue has a document processed. What was found before stays until then. Content that
// is new is of today; the same content, which is tried again, is as old as it was.
func requeue(d *record.SourceDocument, content string) {
	if d.Content != content {
		d.Content, d.ContentAt = content, nestor.Millis(time.Now())
	}
	d.Status, d.Error, d.Notice = record.DocumentQueued, "", ""
}

func changeDocument(r *httpapi.Request, change func(*record.SourceDocument) error) (any, error) {
	at := documentPath(r)
	return writeDocument(r, at, func(tx store.Tx) (*nestor.Document, error) {
		d, err := tx.Get(at)
		if err != nil {
			return nil, err
		}
		v, err := nestor.As[record.SourceDocument](d)
		if err != nil {
			return nil, err
		}
		if err := change(&v); err != nil {
			return nil, err
		}
		return tx.Put(at, v, store.AnyVersion)
	})
}

func writeDocument(r *httpapi.Request, at nestor.Path, write func(store.Tx) (*nestor.Document, error)) (any, error) {
	var d *nestor.Document
	err := r.Act(at, func(tx store.Tx) (err error) {
		d, err = write(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	v, err := nestor.As[record.SourceDocument](d)
	return showDocument(&v), err
}

func (p *Priority) listDocuments(r *httpapi.Request) (any, error) {
	return list(r, "processed-documents", summarise)
}

func (p *Priority) getDocument(r *httpapi.Request) (any, error) {
	return get(r, documentPath(r), showDocument)
}

// deleteDocument deletes a document. Its vectors and the states of its tasks lie
// below it and go with it; the relationships of its tasks go in the same moment.
func (p *Priority) deleteDocument(r *httpapi.Request) (any, error) {
	at := documentPath(r)
	return nil, r.Act(at, func(tx store.Tx) error {
		d, err := tx.Get(at)
		if err != nil {
			return err
		}
		if err := tx.Delete(at, store.AnyVersion); err != nil {
			return err
		}
		return forgetTasks(tx, d)
	})
}
