package library_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/library"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/domain/priority/vector"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/llmtest"
	"github.com/nestorhq/nestor/internal/store"
)

func TestVectorsFollowTheirTasks(t *testing.T) {
	each(t, func(w *world) {
		w.use("model-a")
		w.writes(ann, "d1", "t1: Wash the car", "t2: Mow the lawn", "t3: Write a letter")
		w.wantVectors(ann, "model-a 3")
		w.wantFound(w.library, ann, "automobile", "Wash the car")

		// One task is gone, one is new, and one has another text.
		before := len(w.server.Texts())
		w.writes(ann, "d1", "t1: Wash the car", "t3: Sell the garden chairs", "t4: Buy a car")
		w.wantVectors(ann, "model-a 3")
		if made := w.server.Texts()[before:]; strings.Join(made, " | ") != "Sell the garden chairs | Buy a car" {
			t.Errorf("vectors were made of %q", made)
		}
		w.wantFound(w.library, ann, "automobile", "Wash the car | Buy a car")
		w.wantFound(w.library, ann, "lawn", "Sell the garden chairs")

		// Nothing has changed.
		before = len(w.server.Requests())
		w.writes(ann, "d1", "t1: Wash the car", "t3: Sell the garden chairs", "t4: Buy a car")
		if n := len(w.server.Requests()) - before; n != 0 {
			t.Errorf("%d requests for vectors that are there", n)
		}

		w.update(func(tx store.Tx) error { return tx.Delete(documentPath(ann, "d1"), store.AnyVersion) })
		w.idle()
		w.wantVectors(ann, "")
		w.wantFound(w.library, ann, "automobile", "")
	})
}

// Whoever searches notices that another model is connected.
func TestAnotherModelMakesAllVectorsAnew(t *testing.T) {
	each(t, func(w *world) {
		w.writes(ann, "d1", "Wash the car", "Mow the lawn")
		w.writes(ann, "d2", "Write a letter")
		w.wantVectors(ann, "lexical-1 3")
		w.wantFound(w.library, ann, "automobile", "")
		w.wantFound(w.library, ann, "washing cars", "Wash the car")

		for _, model := range []string{"model-a", "model-b"} {
			w.use(model)
			w.finds(w.library, ann, "automobile", 0.5) // perhaps by words, as vectors are yet to be made
			w.idle()
			w.wantVectors(ann, model+" 3")
			w.wantFound(w.library, ann, "automobile", "Wash the car")
		}
		w.use("")
		w.wantFound(w.library, ann, "automobile", "")
		w.idle()
		w.wantVectors(ann, "lexical-1 3")
		if n := len(w.server.Texts()); n != 2*3+2 {
			t.Errorf("%d texts were sent, want the tasks and the query once for each model", n)
		}
	})
}

func TestAModelThatFailsForGoodIsReplacedByWords(t *testing.T) {
	each(t, func(w *world) {
		w.use("model-a")
		w.server.Fail(llmtest.Turn{Status: http.StatusUnauthorized, Message: "bad key " + secret})
		w.writes(ann, "d1", "Wash the car", "Mow the lawn")
		w.wantVectors(ann, "lexical-1 2")
		set := w.set(ann)
		if set.Model != vector.LexicalModel || set.FailedModel != "model-a" || !strings.Contains(set.Note, "API key") || strings.Contains(set.Note, secret) {
			t.Errorf("noted: %+v", set)
		}
		// It is not asked again for a while, not even by other documents.
		w.writes(ann, "d2", "Write a letter")
		w.wantFound(w.library, ann, "washing cars", "Wash the car")
		w.idle()
		if n := len(w.server.Requests()); n != 1 {
			t.Errorf("%d requests, want 1", n)
		}
		set.FailedAt = nestor.Millis(time.Now().Add(-2 * time.Hour))
		w.update(func(tx store.Tx) error {
			_, err := tx.Put(record.VectorSetOf(ann), set, store.AnyVersion)
			return err
		})
		w.idle()
		w.wantVectors(ann, "model-a 3")
		w.wantFound(w.library, ann, "automobile", "Wash the car")
		if set := w.set(ann); set.Model != "model-a" || set.Note != "" {
			t.Errorf("noted: %+v", set)
		}
	})
}

func TestAModelThatFailsForAWhileIsTriedAgain(t *testing.T) {
	each(t, func(w *world) {
		w.use("model-a")
		busy := llmtest.Turn{Status: http.StatusServiceUnavailable, Message: "busy"}
		w.server.Fail(busy, busy)
		w.writes(ann, "d1", "Wash the car")
		w.wantVectors(ann, "model-a 1")

		// A model that fails in every attempt of the job is given up.
		w.use("model-b")
		w.server.Fail(busy, busy, busy)
		if _, err := w.library.Vectors(t.Context(), ann, nil); err != nil {
			t.Fatal(err)
		}
		w.idle()
		w.wantVectors(ann, "lexical-1 1")
		if set := w.set(ann); set.FailedModel != "model-b" || !strings.Contains(set.Note, "busy") {
			t.Errorf("noted: %+v", set)
		}
	})
}

// A job that is interrupted goes on where it was: at most one batch is made twice, and
// nothing is there twice.
func TestAJobThatIsInterruptedGoesOn(t *testing.T) {
	each(t, func(w *world) {
		var tasks []string
		for i := range 3*llm.MaxTexts + 5 {
			tasks = append(tasks, fmt.Sprint("Task number ", i))
		}
		w.use("model-a")
		w.writes(ann, "d0", "Wash the car")
		w.stores(ann, "d1", record.DocumentProcessing, tasks...) // so that no other job makes the vectors
		before := len(w.server.Texts())
		job := &nestor.Job{ID: "j", Change: nestor.Change{Path: documentPath(ann, "d1")}}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		dying := library.New(library.Options{Store: w.store, Embedders: dies{w, cancel}, Logger: quiet})
		if _, err := dying.EmbedTasks(ctx, job); err == nil {
			t.Fatal("it was not interrupted")
		}
		w.wantVectors(ann, fmt.Sprint("model-a ", 1+llm.MaxTexts))
		if effect, err := w.library.EmbedTasks(t.Context(), job); err != nil || effect != nil {
			t.Fatalf("%v, %v", effect, err)
		}
		w.wantVectors(ann, fmt.Sprint("model-a ", 1+len(tasks)))
		if n := len(w.server.Texts()) - before; n != len(tasks)+llm.MaxTexts {
			t.Errorf("%d texts were sent for %d tasks, want one batch more", n, len(tasks))
		}
	})
}

// dies opens embedders that interrupt their caller in the second request, after the
// server has answered it.
type dies struct {
	*world
	cancel func()
}

func (d dies) Embedder(ctx context.Context, userID, id string) (llm.Embedder, error) {
	e, err := d.world.Embedder(ctx, userID, id)
	return &dying{e, d.cancel, 0}, err
}

type dying struct {
	llm.Embedder
	cancel   func()
	requests int
}

func (d *dying) Embed(ctx context.Context, texts []string) (llm.Embeddings, error) {
	made, err := d.Embedder.Embed(ctx, texts)
	if d.requests++; d.requests == 2 {
		d.cancel()
		return llm.Embeddings{}, context.Cause(ctx)
	}
	return made, err
}

// What another node writes is there at once, and no user sees another's.
func TestNodesAndUsers(t *testing.T) {
	each(t, func(w *world) {
		w.use("model-a")
		other := w.another(w.open(), 0)
		w.wantFound(other, ann, "automobile", "")
		w.writes(ann, "d1", "Wash the car")
		w.wantFound(other, ann, "automobile", "Wash the car")
		w.wantFound(w.library, ann, "automobile", "Wash the car")
		w.writes(bob, "d1", "Sell the car")
		w.writes(ann, "d1", "Buy a car")
		w.wantFound(other, ann, "automobile", "Buy a car")
		w.wantFound(other, bob, "automobile", "Sell the car")
		theirs, err := w.library.Tasks(t.Context(), bob)
		if err != nil || len(theirs) != 1 {
			t.Fatalf("%v, %v", theirs, err)
		}
		if v, err := w.library.Vectors(t.Context(), ann, []string{theirs[0].ID}); err != nil || len(v) != 0 {
			t.Errorf("ann is shown %v, %v", v, err)
		}
		w.update(func(tx store.Tx) error { return tx.Delete(documentPath(ann, "d1"), store.AnyVersion) })
		w.wantFound(other, ann, "automobile", "")
		if _, err := other.Search(t.Context(), "a/b", "x", 1, 0); nestor.CodeOf(err) != nestor.CodeInvalid {
			t.Errorf("a user that cannot be: %v", err)
		}
	})
}

// A library that remembers nothing finds the same.
func TestALibraryThatForgetsEverything(t *testing.T) {
	each(t, func(w *world) {
		w.use("model-a")
		forgetful := w.another(w.store, 1)
		w.writes(ann, "d1", "Wash the car")
		w.writes(bob, "d1", "Sell the car")
		for range 2 {
			w.wantFound(forgetful, ann, "automobile", "Wash the car")
			w.wantFound(forgetful, bob, "automobile", "Sell the car")
		}
	})
}

// Tasks whose vectors are yet to be made, or a query that gets none, are compared by
// words. A query that is repeated with another threshold is sent once.
func TestASearchDoesNotDependOnTheModel(t *testing.T) {
	each(t, func(w *world) {
		w.use("model-a")
		w.writes(ann, "d1", "Wash the car", "Mow the lawn")
		w.server.Fail(llmtest.Turn{Status: http.StatusTooManyRequests, Message: "slow down"})
		w.wantFound(w.library, ann, "washing cars", "Wash the car")
		before := len(w.server.Requests())
		for _, threshold := range []float64{0.7, 0.5, 0.4} {
			if got := w.finds(w.library, ann, "automobile", threshold); got != "Wash the car" {
				t.Errorf("found %q", got)
			}
		}
		if n := len(w.server.Requests()) - before; n != 1 {
			t.Errorf("%d requests for one query", n)
		}
		if got := w.finds(w.library, ann, "  ", 0); got != "" {
			t.Errorf("an empty query finds %q", got)
		}
		tasks, err := w.library.Tasks(t.Context(), ann)
		if err != nil {
			t.Fatal(err)
		}
		v, err := w.library.Vectors(t.Context(), ann, []string{tasks[0].ID, tasks[1].ID, "unknown"})
		if err != nil || len(v) != 2 {
			t.Fatalf("%v, %v", v, err)
		}
		for id, one := range v {
			if length := vector.Dot(one, one); len(one) != 3 || math.Abs(float64(length)-1) > 1e-5 {
				t.Errorf("%s has %v", id, one)
			}
		}
	})
}
