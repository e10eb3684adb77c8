package analyst

import (
	"errors"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/domain/priority/tasks"
	"github.com/nestorhq/nestor/internal/store"
)

// Why an analysis cannot begin, for programs.
const (
	ReasonNoOutcome = "NO_ACTIVE_OUTCOME"
	ReasonNoTasks   = "NO_TASKS"
	ReasonRunning   = "ALREADY_RUNNING"
)

// NewSession is where a session of a user is going to be.
func NewSession(userID string) nestor.Path {
	return record.Of(userID).Child("agent-sessions", nestor.NewID())
}

// Start asks for an analysis: it writes a session that waits for its first step.
func Start(tx store.Tx, path nestor.Path) error {
	userID := path.UserID()
	running, err := RunningID(tx, userID)
	if err != nil {
		return err
	}
	if running != "" {
		return alreadyRuns(running)
	}
	outcomes, err := tx.Query(store.Query{Collection: string(record.Of(userID)) + "/outcomes", Where: store.Where("slot", store.Eq, record.SlotActive)})
	if err != nil {
		return err
	}
	if len(outcomes.Items) == 0 {
		return nestor.Errorf(nestor.CodeForbidden, "no outcome is active: say first what you want to reach").With("reason", ReasonNoOutcome)
	}
	k, err := tasks.Read(tx, userID)
	if err != nil {
		return err
	}
	if len(k.Open()) == 0 {
		return noTasks(k)
	}
	_, err = tx.Create(path, record.AgentSession{
		UserID: userID, OutcomeID: outcomes.Items[0].Path.ID(), Status: record.SessionQueued, Slot: record.SlotRunning,
		ExecutionMetadata: record.ExecutionMetadata{ToolCallCount: map[string]int{}},
	})
	if err != nil {
		return err
	}
	_, err = tx.Create(TraceOf(path), record.ReasoningTrace{
		UserID: userID, SessionID: path.ID(), Steps: []record.ReasoningStep{}, ToolsUsedCount: map[string]int{},
	})
	return err
}

// RunningID is the id of the session of a user that is under way, "" if there is none.
func RunningID(r store.Reader, userID string) (string, error) {
	page, err := r.Query(store.Query{Collection: record.SessionsOf(userID), Where: store.Where("slot", store.Eq, record.SlotRunning)})
	if err != nil || len(page.Items) == 0 {
		return "", err
	}
	return page.Items[0].Path.ID(), nil
}

func alreadyRuns(id string) error {
	return nestor.Errorf(nestor.CodeConflict, "the analysis %s is under way: wait for it, or cancel it", id).
		With("reason", ReasonRunning).With("session_id", id)
}

// Refused turns the error of a [Start] that met another one into what the caller can
// do about it.
func Refused(r store.Reader, userID string, err error) error {
	if !errors.Is(err, nestor.ErrExists) {
		return err
	}
	id, failure := RunningID(r, userID)
	if failure != nil || id == "" {
		return err
	}
	return alreadyRuns(id)
}

// noTasks says what is missing.
func noTasks(k *tasks.List) *nestor.Error {
	switch {
	case k.Unfinished:
		return nestor.Errorf(nestor.CodeInvalid, "no tasks found in your documents yet: they are still being processed").With("reason", ReasonNoTasks)
	case len(k.All) > 0:
		return nestor.Errorf(nestor.CodeInvalid, "no open tasks found in your documents: all are done").With("reason", ReasonNoTasks)
	}
	return nestor.Errorf(nestor.CodeInvalid, "no tasks found in your documents: add a document that lists what there is to do").With("reason", ReasonNoTasks)
}

// Cancelled is the error of a session that its user stopped.
const Cancelled = "you cancelled this analysis"

// Cancel stops a session.
func Cancel(tx store.Tx, path nestor.Path) error {
	d, err := tx.Get(path)
	if err != nil {
		return err
	}
	s, err := nestor.As[record.AgentSession](d)
	if err != nil {
		return err
	}
	if !Active(&s) {
		return nestor.Errorf(nestor.CodeConflict, "the analysis has ended: it is %s", s.Status).With("status", s.Status)
	}
	end(&s, Cancelled)
	_, err = tx.Put(path, &s, store.AnyVersion)
	return err
}
