package store

import (
	"encoding/json"
	"strings"

	"github.com/nestorhq/nestor"
)

// JobColumns are the columns a job is read by, in the order of [Catalogue.ScanJob].
const JobColumns = "id, key, state, trigger_id, event, path, version, seq, at, documents, attempt, run_at, owner, error, run"

// ScanJob reads a row of JobColumns.
func (c *Catalogue) ScanJob(scan func(...any) error) (nestor.Job, error) {
	var j nestor.Job
	var documents, owner, failure, run *string
	ch := &j.Change
	err := scan(&j.ID, &j.Key, (*string)(&j.State), &j.Trigger, (*string)(&ch.Type), (*string)(&ch.Path), &ch.Version,
		&ch.Seq, &ch.At, &documents, &j.Attempt, &j.RunAt, &owner, &failure, &run)
	if err != nil {
		return j, err
	}
	j.CreatedAt = ch.At
	if owner != nil {
		j.Owner = *owner
	}
	if failure != nil {
		j.Error = *failure
	}
	if run != nil {
		j.Run = nestor.Path(*run)
	}
	if documents != nil {
		err = c.decodeJobDocuments(ch, *documents)
	}
	return j, err
}

// JobRun is the value of a job's run column.
func JobRun(j *nestor.Job) *string {
	if j.Run == "" {
		return nil
	}
	run := string(j.Run)
	return &run
}

type jobDocuments struct {
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after,omitempty"`
}

// JobDocuments is the text of a job's documents column: those documents of its
// change that the planner left in, nil when there are none.
func (c *Catalogue) JobDocuments(j *nestor.Job) *string {
	if j.Change.Before == nil && j.Change.After == nil {
		return nil
	}
	// Put together by hand: an encoder would escape what is stored as it was
	// written.
	var parts []string
	if j.Change.Before != nil {
		parts = append(parts, `"before":`+string(c.EncodeReplaced(j.Change.Before)))
	}
	if j.Change.After != nil {
		parts = append(parts, `"after":`+string(c.EncodeReplaced(j.Change.After)))
	}
	s := "{" + strings.Join(parts, ",") + "}"
	return &s
}

func (c *Catalogue) decodeJobDocuments(ch *nestor.Change, text string) error {
	var d jobDocuments
	err := json.Unmarshal([]byte(text), &d)
	if err == nil && d.Before != nil {
		ch.Before, err = c.DecodeReplaced(ch.Path, d.Before)
	}
	if err == nil && d.After != nil {
		ch.After, err = c.DecodeReplaced(ch.Path, d.After)
	}
	if err != nil {
		return nestor.Errorf(nestor.CodeInternal, "a job of %s is damaged: %w", ch.Path, err)
	}
	return nil
}
