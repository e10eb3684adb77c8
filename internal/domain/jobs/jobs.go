package jobs

import (
	"cmp"
	"log/slog"
	"strconv"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/trigger"
)

// Jobs has the routes and handlers of the module as its methods.
type Jobs struct {
	store    store.Store
	triggers *trigger.Set
	log      *slog.Logger
}

func (j *Jobs) listTriggers(*httpapi.Request) (any, error) {
	return httpapi.List[trigger.Info]{Items: j.triggers.List()}, nil
}

type triggerSwitch struct {
	Enabled bool `json:"enabled"`
}

func (j *Jobs) switchTrigger(r *httpapi.Request) (any, error) {
	var req triggerSwitch
	if err := r.Decode(&req); err != nil {
		return nil, err
	}
	id := r.PathValue("id")
	if err := j.triggers.SetEnabled(id, req.Enabled); err != nil {
		return nil, err
	}
	info, _ := j.triggers.Get(id)
	return info, nil
}

// job is a job as the API shows it, with what its trigger does now.
type job struct {
	nestor.Job
	Action string `json:"action,omitempty"`
	// WaitsFor is the limit that keeps a job that is ready from running, if one does.
	WaitsFor *limit `json:"waitsFor,omitempty"`
}

// listedJobs is how many jobs a page has unless the client says otherwise.
const listedJobs = 100

func (j *Jobs) listJobs(r *httpapi.Request) (any, error) {
	q := r.URL.Query()
	f := store.JobFilter{State: nestor.JobState(q.Get("state")), Trigger: q.Get("trigger")}
	switch f.State {
	case "", nestor.JobReady, nestor.JobRunning, nestor.JobBlocked, nestor.JobDead:
	default:
		return nil, nestor.Errorf(nestor.CodeInvalid, "state is one of ready, running, blocked, dead")
	}
	if user := q.Get("userId"); user != "" {
		if err := nestor.CheckID(user); err != nil {
			return nil, err
		}
		f.Tenant = "users/" + user
	}
	limit, cursor, err := r.Page()
	if err != nil {
		return nil, err
	}
	if cursor != "" {
		if f.After, err = strconv.ParseInt(cursor, 36, 64); err != nil {
			return nil, nestor.Errorf(nestor.CodeInvalid, "the cursor does not belong to this list: pass on the next of its last page")
		}
	}
	limit = cmp.Or(limit, listedJobs)
	f.Limit = limit + 1
	jobs, err := j.store.Jobs(r.Context(), f)
	if err != nil {
		return nil, err
	}
	var answer httpapi.List[job]
	if len(jobs) > limit {
		jobs = jobs[:limit]
		answer.Next = strconv.FormatInt(jobs[limit-1].Number, 36)
	}
	items := make([]job, len(jobs))
	for i, one := range jobs {
		t, _ := j.triggers.Get(one.Trigger)
		items[i] = job{Job: one, Action: t.Action}
	}
	answer.Items = items
	return answer, j.explain(r.Context(), items)
}

func (j *Jobs) discardJob(r *httpapi.Request) (any, error) {
	return nil, j.store.Discard(r.Context(), r.PathValue("id"))
}

// queued tells that a job waits for its turn.
type queued struct {
	Queued bool `json:"queued"`
}

func (j *Jobs) retryJob(r *httpapi.Request) (any, error) {
	if err := j.store.Revive(r.Context(), r.PathValue("id")); err != nil {
		return nil, err
	}
	return queued{true}, nil
}
