package conversation

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/nestorhq/nestor"
)

// people are the messages that people wrote, oldest first, as far as the model
// sees them.
func (d *Dialogue) people() (messages []nestor.Message) {
	for _, m := range slices.Concat(d.History, d.Open) {
		if m.Role == nestor.RoleUser {
			messages = append(messages, m)
		}
	}
	slices.SortStableFunc(messages, func(a, b nestor.Message) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.CreatedSeq, b.CreatedSeq))
	})
	return messages
}

// Handed are the messages of people that others than the orchestrator were given to
// answer.
func (d *Dialogue) Handed() (messages []nestor.Message) {
	for _, m := range d.History {
		if m.Role == nestor.RoleUser && m.HandedTo != "" {
			messages = append(messages, m)
		}
	}
	return messages
}

// NewestOfPerson is the newest of them, "" if there is none since the summary.
func (d *Dialogue) NewestOfPerson() string {
	all := d.people()
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1].ID
}

// SaysMoreThan reports whether people said anything else than one message, and than what they
// answered agents.
func (d *Dialogue) SaysMoreThan(message string) bool {
	return slices.ContainsFunc(d.people(), func(m nestor.Message) bool { return m.ID != message && m.QuestionID == "" })
}

// Holds reports whether a person said these words, in one message and in this
// order. Case, white space and punctuation do not matter: models change them.
func (d *Dialogue) Holds(words string) bool {
	words = plainWords(words)
	return words != "" && slices.ContainsFunc(d.people(), func(m nestor.Message) bool {
		return strings.Contains(" "+plainWords(m.Content)+" ", " "+words+" ")
	})
}

func plainWords(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsPunct(r)
	}), " ")
}
