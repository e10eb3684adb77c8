package httpapi

import (
	"net/http"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi/web"
	"github.com/nestorhq/nestor/internal/store"
)

// What the runtime is doing: triggers and jobs.

func (s *server) listTriggers(*http.Request) (response, error) {
	return response{body: map[string]any{"items": s.Triggers.List()}}, nil
}

type triggerSwitch struct {
	Enabled *bool `json:"enabled"`
}

func (s *server) switchTrigger(r *http.Request) (response, error) {
	var req triggerSwitch
	if err := web.Read(r, &req); err != nil {
		return response{}, err
	}
	if req.Enabled == nil {
		return response{}, nestor.Errorf(nestor.CodeInvalid, `say {"enabled": true} or {"enabled": false}`)
	}
	id := r.PathValue("id")
	if err := s.Triggers.SetEnabled(id, *req.Enabled); err != nil {
		return response{}, err
	}
	info, _ := s.Triggers.Get(id)
	return response{body: info}, nil
}

// job is a job as the API shows it: with what its trigger does now.
type job struct {
	nestor.Job
	Action string `json:"action,omitempty"`
}

func (s *server) listJobs(r *http.Request) (response, error) {
	q := r.URL.Query()
	f := store.JobFilter{State: nestor.JobState(q.Get("state")), Trigger: q.Get("trigger")}
	switch f.State {
	case "", nestor.JobReady, nestor.JobRunning, nestor.JobBlocked, nestor.JobDead:
	default:
		return response{}, nestor.Errorf(nestor.CodeInvalid, "state is one of ready, running, blocked, dead")
	}
	var err error
	if f.Limit, err = limitOf(q.Get("limit")); err != nil {
		return response{}, err
	}
	jobs, err := s.Store.Jobs(r.Context(), f)
	items := make([]job, len(jobs))
	for i, j := range jobs {
		t, _ := s.Triggers.Get(j.Trigger)
		items[i] = job{Job: j, Action: t.Action}
	}
	return response{body: map[string]any{"items": items}}, err
}

func (s *server) retryJob(r *http.Request) (response, error) {
	if err := s.Store.Revive(r.Context(), r.PathValue("id")); err != nil {
		return response{}, err
	}
	return response{status: http.StatusAccepted, body: map[string]any{"queued": true}}, nil
}
