package store

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/nestorhq/nestor"
)

// Runs has everything that one cause set in motion carry the run that it is part of:
//
//   - A document of a kind with [Collection.InRun] has the id of its run in the field
//     runId. It is that of the document above it, if that has one; else that of the
//     job whose handler writes it; else that of the document that it joins; else, if Begin
//     says so, the document begins a run, whose document is written in the same
//     transaction.
//   - A run stays within the reach of whatever takes part in it: of the request that
//     begins it or writes a document of it, and of other runs whose handlers do.
//   - A job is part of the run of the document that caused it, or else of the run of
//     the job whose handler wrote that.
//   - A transaction after which no job of a run is left, though it ended one of them or
//     wrote documents of the run, queues a job of the trigger Check. So that job runs
//     when nothing of the run is under way any more, whatever became of the others.
//
// The last of these is exact: of jobs that end at the same time the one whose
// commit comes last queues it. On PostgreSQL such transactions take the lock of the
// job's key before they look, and hold it until they have committed; those
// that cause another job of the run need not look.
type Runs struct {
	// Check is the id of the trigger whose jobs look whether a run is over. Its path
	// is that of the run.
	Check string
	// Begin returns the run that a new document begins, nil if it begins none. Fields are
	// those of the new document, which must not be changed.
	Begin func(p nestor.Path, fields map[string]any) *nestor.Run
	// Joins returns the document whose run a new document is part of, whoever writes it, ""
	// for none. Nil: there are no such documents.
	Joins func(p nestor.Path, fields map[string]any) nestor.Path
}

// RunField is the field of documents that names their run.
const RunField = "runId"

// RunAt is where the run lies that a document of the same user is part of, "" if the id
// is "".
func RunAt(p nestor.Path, id string) nestor.Path {
	if id == "" {
		return ""
	}
	return nestor.Path(p.Tenant()).Child("runs", id)
}

// CheckKey is the key of the jobs that look whether a run is over.
func CheckKey(run nestor.Path) string { return "run:" + string(run) }

// runIn is the run of the job whose handler ctx is of.
func runIn(ctx context.Context) nestor.Path {
	if job := JobOf(ctx); job != nil {
		return job.Run
	}
	return ""
}

// runs is what a session knows of runs.
type runs struct {
	// own is the run of the job whose handler writes, "" if nobody's does.
	own nestor.Path
	// within bounds the runs that the transaction takes part in, and narrowed are those
	// that have been bounded.
	within   []nestor.Reach
	narrowed []nestor.Path
	// ends is the job that the transaction ends, nil if it ends none.
	ends *nestor.Job
	// touched are the runs of which documents are written, and caused those that get a job.
	touched, caused []nestor.Path
	// above remembers the runs of the documents that others are written below.
	above map[nestor.Path]nestor.Path
}

// Ends says that the transaction ends a job. What it writes is part of the job's run.
func (s *Session) Ends(job *nestor.Job) { s.runs.own, s.runs.ends, s.job = job.Run, job, job }

// runOf tells the run that a document is part of, and writes it into the fields of
// one that is to have it. Nobody outside can change it.
func (s *Session) runOf(c *Collection, p nestor.Path, before *nestor.Document, m map[string]any) (run nestor.Path, err error) {
	below := c.Parent != nil && c.Parent.InRun
	if s.rules.Runs == nil || s.rules.Restores || !c.InRun && !below {
		return "", nil
	}
	id, _ := m[RunField].(string)
	switch {
	case c.InRun && before != nil:
		if s.outside || id == "" {
			id = runID(before)
		}
		if id != "" {
			run = RunAt(p, id)
		}
	case below:
		run, err = s.runAbove(p.Parent())
	case id != "" && !s.outside:
		run = RunAt(p, id)
	default:
		run, err = s.joinOrBegin(p, m)
	}
	if err == nil {
		err = s.narrow(run)
	}
	if err != nil || !c.InRun {
		return run, err
	}
	delete(s.runs.above, p) // what is written below it from now on is part of this run
	delete(m, RunField)
	if run != "" {
		m[RunField] = run.ID()
	}
	return run, nil
}

// joinOrBegin is the run that a new document is part of: that of the handler that writes it,
// or one that it begins.
func (s *Session) joinOrBegin(p nestor.Path, m map[string]any) (nestor.Path, error) {
	if own := s.runs.own; own != "" {
		if own.Tenant() != p.Tenant() {
			return "", nil // a run does not reach into the documents of others
		}
		return own, nil
	}
	if joins := s.rules.Runs.Joins; joins != nil {
		if with := joins(p, m); with != "" {
			return s.runAbove(with)
		}
	}
	body := s.rules.Runs.Begin(p, m)
	if body == nil {
		return "", nil
	}
	// The id is that of the document that began it, unless that of another chat had
	// the same.
	run := RunAt(p, p.ID())
	old, err := s.load(run, true)
	if err != nil {
		return "", err
	}
	if old != nil {
		var is struct {
			Root nestor.Path `json:"root"`
		}
		if err := json.Unmarshal(old.Data, &is); err != nil {
			return "", err
		}
		if nestor.Path(p.Tenant())+"/"+is.Root != p {
			run = RunAt(p, nestor.DeriveID("run", string(p)))
		}
	}
	body.Reach = s.runs.within
	s.runs.narrowed = append(s.runs.narrowed, run)
	_, err = s.Put(run, body, AnyVersion)
	return run, err
}

// narrow keeps a run that the transaction takes part in within the transaction's reach, and
// within that of the run whose handler writes.
func (s *Session) narrow(run nestor.Path) error {
	if run == "" || run == s.runs.own || s.runs.own == "" && len(s.runs.within) == 0 || slices.Contains(s.runs.narrowed, run) {
		return nil
	}
	s.runs.narrowed = append(s.runs.narrowed, run)
	reach := s.runs.within
	if own := s.runs.own; own != "" {
		from, err := Find[nestor.Run](s, own)
		if err != nil {
			return err
		}
		if from != nil {
			reach = nestor.Narrowed(reach, from.Reach)
		}
	}
	return Narrow(s, run, reach)
}

// Narrow keeps a run within a reach from now on.
func Narrow(tx Tx, run nestor.Path, reach []nestor.Reach) error {
	if len(reach) == 0 {
		return nil
	}
	d, err := Find[nestor.Run](tx, run)
	if err != nil || d == nil {
		return err
	}
	all := nestor.Narrowed(d.Reach, reach)
	if len(all) == len(d.Reach) {
		return nil
	}
	_, err = tx.Patch(run, map[string]any{"reach": all}, AnyVersion)
	return err
}

// runAbove is the run of the document at p, which another is written below. A handler
// that did not look at it works for it: its job is part of the same run.
func (s *Session) runAbove(p nestor.Path) (nestor.Path, error) {
	if run, ok := s.runs.above[p]; ok {
		return run, nil
	}
	if _, known := s.known[p]; !known && s.runs.own != "" && s.runs.own.Tenant() == p.Tenant() {
		return s.runs.own, nil
	}
	d, err := s.load(p, false)
	if err != nil {
		return "", err
	}
	var run nestor.Path
	if d != nil {
		if id := runID(d); id != "" {
			run = RunAt(p, id)
		}
	}
	if s.runs.above == nil {
		s.runs.above = map[nestor.Path]nestor.Path{}
	}
	s.runs.above[p] = run
	return run, nil
}

// runID is the run that a document says it is part of.
func runID(d *nestor.Document) string {
	var is struct {
		RunID string `json:"runId"`
	}
	_ = json.Unmarshal(d.Data, &is) // what is stored was decoded before it was written
	return is.RunID
}

// noteDeleted notes the run of a document that is deleted. What lay below it goes with it.
func (s *Session) noteDeleted(d *nestor.Document) {
	if s.rules.Runs == nil || !s.rules.Catalogue.Of(d.Path).InRun {
		return
	}
	if id := runID(d); id != "" {
		s.touch(RunAt(d.Path, id))
	}
}

func (s *Session) touch(run nestor.Path) {
	if !slices.Contains(s.runs.touched, run) {
		s.runs.touched = append(s.runs.touched, run)
	}
}

// assignRun says which run the jobs that a write causes are part of.
func (s *Session) assignRun(e *Event, jobs []nestor.Job) {
	if s.rules.Runs == nil {
		return
	}
	if e.run != "" {
		s.touch(e.run)
	}
	for i := range jobs {
		j := &jobs[i]
		if j.Detached {
			continue
		}
		if j.Run = e.run; j.Run == "" {
			j.Run = s.runs.own
		}
		if j.Run != "" && !slices.Contains(s.runs.caused, j.Run) {
			s.runs.caused = append(s.runs.caused, j.Run)
		}
	}
}

// Checks are the jobs that are to look whether a run is over. Each is to be queued if
// no other job of its run is left than the one that the transaction ends. Engines
// ask when all writes have been numbered.
func (s *Session) Checks() []nestor.Job {
	if s.rules.Runs == nil {
		return nil
	}
	var runs []nestor.Path
	for _, run := range s.runs.touched {
		if run != s.runs.own { // a handler that has not ended is a job of its run
			runs = append(runs, run)
		}
	}
	if ends := s.runs.ends; ends != nil && ends.Run != "" {
		runs = append(runs, ends.Run)
	}
	var checks []nestor.Job
	for _, run := range runs {
		if !slices.Contains(s.runs.caused, run) {
			checks = append(checks, s.check(run))
		}
	}
	return checks
}

func (s *Session) check(run nestor.Path) nestor.Job {
	return nestor.Job{
		ID: nestor.NewID(), Key: CheckKey(run), Trigger: s.rules.Runs.Check, Coalesce: true, Detached: true,
		Change: nestor.Change{Type: nestor.Update, Path: run, At: s.now},
	}
}
