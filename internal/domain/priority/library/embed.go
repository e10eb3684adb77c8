package library

import (
	"context"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/domain/priority/vector"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/trigger"
	"github.com/nestorhq/nestor/internal/worker"
)

// Stage is what makes vectors. Its jobs for one user, which are above their documents
// and their set, run one after the other: so none writes vectors of a model that has
// been given up meanwhile. They are not coalesced, since each is for another document.
var Stage = trigger.Stage{Name: "embed-tasks", Key: "vectors:{parent}"}

// Reactions let vectors follow their tasks.
var Reactions = []nestor.Trigger{{
	// Any write of a processed document, whose tasks may be others now. To compare them
	// in the condition could cost any amount; the job finds out.
	ID:         "on-tasks-found",
	Collection: "users/*/processed-documents",
	Condition:  "event.document.data.status == 'completed' && (event.type == 'create' || event.before.data.status != '')",
	Action:     "POST /webhook/" + Stage.Name,
}, {
	// Another model is to make the vectors of a user.
	ID:         "on-vectors-wanted",
	Collection: "users/*/task-vectors",
	Action:     "POST /webhook/" + Stage.Name,
}}

// maxText is how many characters of a text a model is given.
const maxText = 4000

// EmbedTasks brings vectors up to date: those of a document whose tasks were found, or
// all of a user whose [record.VectorSet] was written. It commits batch by batch, so a
// job that is run again makes at most one batch twice, and writes the same documents.
// If the model fails for good, the vectors are made by words.
func (l *Library) EmbedTasks(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
	p := job.Change.Path
	userID := p.UserID()
	t, err := l.target(ctx, userID)
	if err != nil {
		return nil, err
	}
	if !t.noted {
		if err := l.note(ctx, userID, t.model); err != nil {
			return nil, err
		}
	}
	documents := []nestor.Path{p}
	if p == record.VectorSetOf(userID) {
		if documents, err = l.documents(ctx, userID); err != nil {
			return nil, err
		}
	}
	for _, d := range documents {
		if err := l.embedDocument(ctx, t, d); err != nil {
			if failed := (*embedError)(nil); errors.As(err, &failed) && lasting(failed.error) {
				return fallBack(userID, failed.error), nil
			}
			return nil, err
		}
	}
	return nil, nil
}

// EmbedFailed ends a job that is given up: the vectors are made by words.
func (l *Library) EmbedFailed(job *nestor.Job, cause error) worker.Effect {
	return fallBack(job.Change.Path.UserID(), cause)
}

// embedError is what the model says, other than what the store does.
type embedError struct{ error }

func (e *embedError) Unwrap() error { return e.error }

// documents are those of a user.
func (l *Library) documents(ctx context.Context, userID string) (all []nestor.Path, err error) {
	err = l.store.View(ctx, func(r store.Reader) error {
		all = nil
		return store.Each(r, store.Query{Collection: record.DocumentsOf(userID), Limit: documentsPage},
			func(p nestor.Path, _ *struct{}) { all = append(all, p) })
	})
	return all, err
}

// embedDocument makes the vectors that a document lacks, and deletes those whose task
// is gone.
func (l *Library) embedDocument(ctx context.Context, t target, p nestor.Path) error {
	var missing []record.ExtractedTask
	var gone []string
	err := l.store.View(ctx, func(r store.Reader) (err error) {
		missing, gone, err = compare(r, t.model, p)
		return err
	})
	if err != nil {
		return err
	}
	for some := range slices.Chunk(missing, llm.MaxTexts) {
		vectors, err := t.vectors(ctx, some)
		if err != nil {
			return &embedError{err}
		}
		if err := l.write(ctx, t.model, p, some, vectors); err != nil {
			return err
		}
	}
	if len(gone) == 0 {
		return nil
	}
	return l.store.Update(ctx, func(tx store.Tx) error {
		_, gone, err := compare(tx, t.model, p)
		for _, id := range gone {
			err = errors.Join(err, tx.Delete(vectorPath(p, id), store.AnyVersion))
		}
		return err
	})
}

// compare finds the tasks of a document without a vector of the model and of their
// text, and the vectors without a task.
func compare(r store.Reader, model string, p nestor.Path) (missing []record.ExtractedTask, gone []string, err error) {
	tasks, err := tasksOf(r, p)
	if err != nil || tasks == nil {
		return nil, nil, err // those of a document that is gone went with it
	}
	lacking := map[string]string{} // texts by id
	for _, task := range tasks {
		lacking[task.ID] = task.Text
	}
	known := map[string]bool{}
	for id := range lacking {
		known[id] = true
	}
	vectors := store.Query{Collection: vectorPath(p, "x").Collection(), Limit: vectorsPage}
	err = store.Each(r, vectors, func(_ nestor.Path, e *record.TaskEmbedding) {
		switch {
		case !known[e.ID]:
			gone = append(gone, e.ID)
		case e.Model == model && e.TextHash == record.HashText(lacking[e.ID]):
			delete(lacking, e.ID)
		}
	})
	if err != nil {
		return nil, nil, err
	}
	for _, task := range tasks {
		if _, ok := lacking[task.ID]; ok {
			delete(lacking, task.ID) // the same task may stand in a document twice
			missing = append(missing, task)
		}
	}
	return missing, gone, nil
}

// write stores vectors of tasks that are still as they were, if they are still to be
// made by the model.
func (l *Library) write(ctx context.Context, model string, p nestor.Path, tasks []record.ExtractedTask, vectors [][]float32) error {
	return l.store.Update(ctx, func(tx store.Tx) error {
		set, err := store.Find[record.VectorSet](tx, record.VectorSetOf(p.UserID()))
		if err != nil || set == nil || set.Model != model {
			return err
		}
		now, err := tasksOf(tx, p)
		if err != nil {
			return err
		}
		for i, task := range tasks {
			same := func(other record.ExtractedTask) bool { return other.ID == task.ID && other.Text == task.Text }
			if !slices.ContainsFunc(now, same) {
				continue
			}
			_, err := tx.Put(vectorPath(p, task.ID), record.TaskEmbedding{
				UserID: p.UserID(), DocumentID: p.ID(), Model: model, TextHash: record.HashText(task.Text), Vector: vector.Encode(vectors[i]),
			}, store.AnyVersion)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// tasksOf are the tasks of a document, nil if it is gone.
func tasksOf(r store.Reader, p nestor.Path) ([]record.ExtractedTask, error) {
	d, err := store.Find[record.SourceDocument](r, p)
	if err != nil || d == nil {
		return nil, err
	}
	if d.StructuredOutput == nil {
		return []record.ExtractedTask{}, nil
	}
	return d.StructuredOutput.Tasks, nil
}

func vectorPath(document nestor.Path, taskID string) nestor.Path {
	return document.Child("task-embeddings", taskID)
}

// vectors makes those of tasks.
func (t target) vectors(ctx context.Context, tasks []record.ExtractedTask) ([][]float32, error) {
	texts := make([]string, len(tasks))
	for i, task := range tasks {
		texts[i] = task.Text
	}
	return t.embed(ctx, texts)
}

// embed makes the vectors of texts, of which a model is shown the beginning.
func (t target) embed(ctx context.Context, texts []string) ([][]float32, error) {
	if t.embedder == nil {
		vectors := make([][]float32, len(texts))
		for i, text := range texts {
			vectors[i] = vector.Lexical(text)
		}
		return vectors, nil
	}
	short := make([]string, len(texts))
	for i, text := range texts {
		short[i] = beginning(text)
	}
	made, err := t.embedder.Embed(ctx, short)
	return made.Vectors, err
}

func beginning(text string) string {
	if utf8.RuneCountInString(text) <= maxText {
		return text
	}
	return string([]rune(text)[:maxText])
}
