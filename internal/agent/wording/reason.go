package wording

import (
	"regexp"
	"slices"

	"github.com/nestorhq/nestor"
)

// Reason is why a job failed, in words for a person. All that a chat, a task or
// an agent is told of a failure goes through here: what is unforeseen becomes a
// plain sentence with the job's id, under which the log has it in full.
func Reason(job *nestor.Job, err error) string {
	text, ok := nestor.PublicText(err)
	if !ok || slices.Contains(insideCodes, nestor.CodeOf(err)) || documentPath.MatchString(text) {
		return "something went wrong inside Nestor; its log says what (reference " + job.ID + ")"
	}
	return Storable(text)
}

// insideCodes are of failures that no person can do anything about: two writers
// met, or something is there that the runtime did not expect.
var insideCodes = []nestor.Code{nestor.CodeExists, nestor.CodeConflict, nestor.CodeLeaseLost, nestor.CodeTooOld}

// documentPath finds the path of a document of a user. It means something only to
// readers of the log.
var documentPath = regexp.MustCompile(`\busers/[^/\s]+/`)
