package store

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
)

const (
	// KeptAttempts is how many attempts at a job are kept, the newest.
	KeptAttempts = 10
	// keptError is how many bytes of an attempt's error are kept.
	keptError = 2000
)

// ListedColumns are the columns a job is listed by: JobColumns, its attempts and its
// number, which those who run jobs have no use for.
const ListedColumns = JobColumns + ", attempts, n"

// Attempt is what an engine keeps of the attempt at a job that ended just now, as JSON.
func Attempt(j *nestor.Job, cause string) string {
	text, err := json.Marshal(nestor.JobAttempt{
		Attempt: j.Attempt, Node: j.Owner, BeganAt: j.BeganAt, EndedAt: nestor.Millis(time.Now()),
		Error: Storable(cause[:min(len(cause), keptError)]),
	})
	if err != nil {
		panic(err) // it has texts and numbers only
	}
	return string(text)
}

// Storable is a cause as both engines can store it. PostgreSQL takes no text with a zero
// byte or bytes that are no UTF-8, and a failure that cannot be recorded would be tried to be
// recorded for ever.
func Storable(cause string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(cause, ""), "\x00", "")
}

// ScanListedJob reads a row of ListedColumns.
func (c *Catalogue) ScanListedJob(scan func(...any) error) (nestor.Job, error) {
	var attempts *string
	var number int64
	j, err := c.ScanJob(func(dest ...any) error { return scan(append(dest, &attempts, &number)...) })
	j.Number = number
	if err != nil || attempts == nil {
		return j, err
	}
	var kept struct {
		Job  string              `json:"job"`
		List []nestor.JobAttempt `json:"list"`
	}
	if err := json.Unmarshal([]byte(*attempts), &kept); err != nil {
		return j, nestor.Errorf(nestor.CodeInternal, "the attempts at job %s are damaged: %w", j.ID, err)
	}
	if kept.Job == j.ID {
		j.Attempts = kept.List
	}
	return j, nil
}
