package analyst

import (
	"context"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/ask"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/domain/priority/tasks"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// TraceID is the id of the one trace below a session.
const TraceID = "trace"

// TraceOf is where the trace of a session lies.
func TraceOf(session nestor.Path) nestor.Path { return session.Child("reasoning-traces", TraceID) }

// situation is what a job finds.
type situation struct {
	path          nestor.Path
	session       record.AgentSession
	trace         record.ReasoningTrace
	outcome       *record.Outcome // nil: it was deleted
	tasks         *tasks.List
	names         *names
	documents     []*record.SourceDocument // all, if there are few; see [situation.small]
	relationships []record.TaskRelationship
	reflections   []record.Reflection
	bill          *ask.Bill
}

// look returns nil for a session that has ended, or is gone.
func (a *Analyst) look(ctx context.Context, job *nestor.Job) (s *situation, err error) {
	path := job.Change.Path
	err = a.store.View(ctx, func(r store.Reader) error {
		s = nil
		session, err := store.Find[record.AgentSession](r, path)
		if err != nil || session == nil || !Active(session) {
			return err
		}
		now := &situation{path: path, session: *session, bill: a.asker.NewBill(job.ID, path.UserID())}
		s = now
		if session.Status == record.SessionQueued {
			return nil
		}
		trace, err := store.Find[record.ReasoningTrace](r, TraceOf(path))
		if err != nil {
			return err
		}
		if trace != nil {
			now.trace = *trace
		}
		if now.outcome, err = store.Find[record.Outcome](r, record.Of(path.UserID()).Child("outcomes", session.OutcomeID)); err != nil {
			return err
		}
		if now.tasks, err = tasks.Read(r, path.UserID()); err != nil {
			return err
		}
		if now.relationships, err = now.tasks.Relationships(r, path.UserID()); err != nil {
			return err
		}
		page, err := r.Query(store.Query{
			Collection: string(record.Of(path.UserID())) + "/reflections",
			OrderBy:    []store.Order{{Field: "createdAt", Desc: true}}, Limit: maxReflections,
		})
		for _, d := range page.Items {
			n, err := nestor.As[record.Reflection](d)
			if err != nil {
				return err
			}
			now.reflections = append(now.reflections, n)
		}
		if err != nil {
			return err
		}
		own := []string{}
		if now.outcome != nil {
			own = append(own, now.outcome.AssembledText)
		}
		now.names = newNames(now.tasks, own...)
		now.documents, err = fewDocuments(r, path.UserID(), now.tasks)
		return err
	})
	return s, err
}

// maxReflections is how many of the newest reflections the model sees.
const maxReflections = 50

// Active reports whether a session is waiting for its first step or under way.
func Active(s *record.AgentSession) bool {
	return s.Status == record.SessionQueued || s.Status == record.SessionRunning
}

// next is the number of the step that comes, or is under way.
func (s *situation) next() int { return len(s.trace.Steps) + 1 }

// commit writes a change of the session if that still is where the job found it, and
// pays in any case: what was used was used.
func (s *situation) commit(change func(tx store.Tx, session *record.AgentSession, trace *record.ReasoningTrace) error) worker.Effect {
	return s.commitWith(s.bill.Pay, change)
}

func (s *situation) commitWith(last worker.Effect, change func(store.Tx, *record.AgentSession, *record.ReasoningTrace) error) worker.Effect {
	return func(tx store.Tx) error {
		session, trace, err := s.again(tx)
		if err != nil {
			return err
		}
		if session == nil {
			return s.bill.Pay(tx)
		}
		if err := change(tx, session, trace); err != nil {
			return err
		}
		if _, err := tx.Put(s.path, session, store.AnyVersion); err != nil {
			return err
		}
		return last(tx)
	}
}

// again reads session and trace in the transaction that changes them. It returns nil
// if somebody else has moved the session.
func (s *situation) again(tx store.Tx) (*record.AgentSession, *record.ReasoningTrace, error) {
	session, err := store.Find[record.AgentSession](tx, s.path)
	if err != nil || session == nil || session.Status != s.session.Status || (session.Doing == nil) != (s.session.Doing == nil) {
		return nil, nil, err
	}
	trace, err := store.Find[record.ReasoningTrace](tx, TraceOf(s.path))
	if err != nil {
		return nil, nil, err
	}
	if trace == nil {
		trace = &record.ReasoningTrace{UserID: s.path.UserID(), SessionID: s.path.ID()}
	}
	if session.Status == record.SessionRunning && len(trace.Steps) != len(s.trace.Steps) {
		return nil, nil, nil
	}
	return session, trace, nil
}

// began is when the session was asked for. Its day is the day of all its prompts.
func (s *situation) began() time.Time { return time.UnixMilli(s.session.CreatedAt) }

// since is how long ago the session was asked for.
func (s *situation) since() int64 {
	return max(nestor.Millis(time.Now())-s.session.CreatedAt, 0)
}
