package analyst

import (
	"context"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/domain/priority/tasks"
	"github.com/nestorhq/nestor/internal/store"
)

type documentsInput struct {
	TaskIDs []string `json:"task_ids"`
	Chunk   int      `json:"chunk"`
}

type documentsOutput struct {
	Documents      []shownDocument `json:"documents"`
	UnknownTaskIDs []string        `json:"unknown_task_ids"`
}

type shownDocument struct {
	ID     string      `json:"document_id"`
	Title  string      `json:"title"`
	Text   string      `json:"text"`
	Chunk  int         `json:"chunk"`
	Chunks int         `json:"chunks"`
	Tasks  []shownTask `json:"tasks"`
	// Note says why there is no text.
	Note string `json:"note,omitempty"`
}

// chunkSize and overlap are in characters. A call returns as much text in all.
const (
	chunkSize = 50_000
	overlap   = 200
)

func (a *Analyst) documents(ctx context.Context, u *use, in documentsInput) (any, error) {
	var out documentsOutput
	chunk := max(in.Chunk, 1)
	return &out, a.store.View(ctx, func(r store.Reader) error {
		out = documentsOutput{Documents: []shownDocument{}}
		k, err := tasks.Read(r, u.userID)
		if err != nil {
			return err
		}
		var known []string
		if known, out.UnknownTaskIDs = k.Sort(in.TaskIDs); len(known) == 0 {
			return nestor.Errorf(nestor.CodeNotFound, "none of these tasks exists; the documents that they were found in may have been deleted, which is final")
		}
		left, seen := chunkSize, map[string]bool{}
		for _, id := range known {
			t := k.Task(id)
			if seen[t.DocumentID] {
				continue
			}
			seen[t.DocumentID] = true
			d, err := store.Find[record.SourceDocument](r, record.Of(u.userID).Child("processed-documents", t.DocumentID))
			if err != nil {
				return err
			}
			if d == nil {
				continue
			}
			s := shownDocument{ID: d.ID, Title: d.Title, Chunk: chunk}
			if s.Text, s.Chunks = chunkOf(d.Content, chunk); chunk > s.Chunks {
				s.Note = "the text has no such chunk"
			}
			if n := len([]rune(s.Text)); n > left {
				s.Text, s.Note = "", "left out, since the texts of all documents are too long for one call: ask for it alone"
			} else {
				left -= n
			}
			for _, e := range d.StructuredOutput.Tasks {
				if k.Has(e.ID) {
					s.Tasks = append(s.Tasks, shown(k.Task(e.ID)))
				}
			}
			out.Documents = append(out.Documents, s)
		}
		return nil
	})
}

// chunkOf is a part of a text, counted from 1, and how many there are. Parts overlap,
// so that what stands at the end of one can be read in the next, too.
func chunkOf(text string, n int) (part string, chunks int) {
	runes := []rune(text)
	chunks = 1
	if rest := len(runes) - chunkSize; rest > 0 {
		chunks += (rest + chunkSize - overlap - 1) / (chunkSize - overlap)
	}
	if n > chunks {
		return "", chunks
	}
	from := (n - 1) * (chunkSize - overlap)
	return string(runes[from:min(from+chunkSize, len(runes))]), chunks
}
