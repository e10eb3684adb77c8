package analyst

import (
	"context"
	"math"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/tasks"
	"github.com/nestorhq/nestor/internal/store"
)

type searchInput struct {
	Query     string   `json:"query"`
	Limit     int      `json:"limit"`
	Threshold *float64 `json:"threshold"`
}

type searchOutput struct {
	Tasks         []foundTask `json:"tasks"`
	ThresholdUsed float64     `json:"threshold_used"`
	TotalFound    int         `json:"total_found"`
}

type foundTask struct {
	shownTask
	Similarity float64 `json:"similarity"`
}

// shownTask is a task in the output of tools.
type shownTask struct {
	ID          string  `json:"task_id"`
	Text        string  `json:"text"`
	DocumentID  string  `json:"document_id"`
	EffortHours float64 `json:"effort_hours"`
	Done        bool    `json:"done,omitempty"`
	DueDate     string  `json:"due_date,omitempty"`
	NotBefore   string  `json:"not_before,omitempty"`
}

func shown(t tasks.Task) shownTask {
	return shownTask{t.ID, t.Text, t.DocumentID, t.EffortHours, t.Done, t.DueDate, t.NotBefore}
}

// The similarity that is asked for unless a call says otherwise, and what is tried
// when nothing is so similar.
const defaultThreshold = 0.7

var lowerThresholds = []float64{0.5, 0.4}

func (a *Analyst) search(ctx context.Context, u *use, in searchInput) (any, error) {
	if in.Limit == 0 {
		in.Limit = 20
	}
	threshold := defaultThreshold
	if in.Threshold != nil {
		threshold = *in.Threshold
	}
	k, err := a.tasksOf(ctx, u.userID)
	if err != nil {
		return nil, err
	}
	out := searchOutput{Tasks: []foundTask{}, ThresholdUsed: threshold}
	for _, next := range append([]float64{threshold}, lowerThresholds...) {
		if next > out.ThresholdUsed {
			continue
		}
		out.ThresholdUsed = next
		hits, err := a.library.Search(ctx, u.userID, in.Query, in.Limit, next)
		if err != nil {
			return nil, err
		}
		for _, h := range hits {
			if k.Has(h.ID) { // else it was deleted meanwhile
				out.Tasks = append(out.Tasks, foundTask{shown(k.Task(h.ID)), rounded(h.Similarity)})
			}
		}
		if out.TotalFound = len(out.Tasks); out.TotalFound > 0 {
			break
		}
	}
	return out, nil
}

// rounded is a similarity with as many digits as mean something.
func rounded(x float64) float64 { return math.Round(x*10_000) / 10_000 }

func (a *Analyst) tasksOf(ctx context.Context, userID string) (k *tasks.List, err error) {
	err = a.store.View(ctx, func(r store.Reader) (err error) {
		k, err = tasks.Read(r, userID)
		return err
	})
	return k, err
}

// among sorts the ids of a call. Fewer than least that exist are an error.
func (a *Analyst) among(ctx context.Context, userID string, ids []string, least int) (k *tasks.List, known, unknown []string, err error) {
	if k, err = a.tasksOf(ctx, userID); err != nil {
		return nil, nil, nil, err
	}
	if known, unknown = k.Sort(ids); len(known) < least {
		return nil, nil, nil, nestor.Errorf(nestor.CodeInvalid,
			"%d of the task ids exist, and at least %d are needed; unknown: %s", len(known), least, excerpt(joined(unknown), 500))
	}
	return k, known, unknown, nil
}
