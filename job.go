package nestor

// JobState says where a job stands.
type JobState string

// The states of a job. A finished job is deleted.
const (
	// JobReady: may be claimed once RunAt has come.
	JobReady JobState = "ready"
	// JobRunning: claimed by Owner.
	JobRunning JobState = "running"
	// JobBlocked: an older job of the same key comes first.
	JobBlocked JobState = "blocked"
	// JobDead: given up after its last attempt; can be replayed.
	JobDead JobState = "dead"
)

// Job is work that a change caused. It is written in the transaction of the
// change and deleted in the transaction of its effects.
type Job struct {
	// ID derives from the trigger and the change, so the same change can never
	// queue the same work twice.
	ID string `json:"id"`
	// Key: at most one job of a key runs at a time, oldest first.
	Key string `json:"key"`
	// Trigger says what to do: its action as it is when the job runs.
	Trigger string   `json:"trigger"`
	State   JobState `json:"state"`
	// Change that caused the job. Before and After are filled only where the
	// job needs them: for webhooks, and Before for deletes. A built-in handler
	// reads the document as it is now.
	Change Change `json:"change"`
	// Attempt counts the runs that began, the current one included.
	Attempt int `json:"attempt"`
	// RunAt is the earliest time of the next attempt, in Unix milliseconds.
	RunAt     int64 `json:"runAt"`
	CreatedAt int64 `json:"createdAt"`
	// Owner is the node that runs the job.
	Owner string `json:"owner,omitempty"`
	// Error is the failure of the last attempt.
	Error string `json:"error,omitempty"`
	// Attempts are the last ones that failed or were interrupted, oldest first. Lists of
	// jobs have them.
	Attempts []JobAttempt `json:"attempts,omitempty"`

	// Run is the path of the run that the job is part of, "" if it is part of none.
	Run Path `json:"run,omitempty"`

	// Coalesce is the trigger's; see [Trigger.Coalesce].
	Coalesce bool `json:"-"`
	// Number is the place of the job among all that were queued. Lists of jobs have it.
	Number int64 `json:"-"`
	// BeganAt is when the attempt that runs began, in Unix milliseconds.
	BeganAt int64 `json:"-"`
	// Place is whose limits the job counts for while it runs, nil where there are no
	// limits.
	Place *Place `json:"-"`
	// Detached: the job is part of no run, whatever caused it. No run waits for it.
	Detached bool `json:"-"`
}

// JobAttempt is an attempt at a job that failed or was interrupted.
type JobAttempt struct {
	// Attempt counts from 1, and again when a dead letter is tried again.
	Attempt int `json:"attempt"`
	// Node is who made it.
	Node string `json:"node,omitempty"`
	// BeganAt and EndedAt are Unix milliseconds. When an attempt began that was
	// interrupted is not known.
	BeganAt int64  `json:"beganAt,omitempty"`
	EndedAt int64  `json:"endedAt"`
	Error   string `json:"error"`
}

// Place says for whose limits a running job counts. Either is "" if there is no
// limit of that kind.
type Place struct {
	Tenant  string
	Account string
}

// RunID is the id of the run that the job is part of, "" for none.
func (j *Job) RunID() string {
	if j.Run == "" {
		return ""
	}
	return j.Run.ID()
}

// JobID is the identity of the work that trigger does for a change.
func JobID(trigger string, c *Change) string {
	return DeriveID("job", trigger, string(c.Path), string(c.Type), formatInt(c.Version))
}

// DeriveID names a document that the job creates, by its purpose. A rerun of
// the job derives the same id.
func (j *Job) DeriveID(purpose ...string) string {
	return DeriveID(append([]string{j.ID}, purpose...)...)
}
