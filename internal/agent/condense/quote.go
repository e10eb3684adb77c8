package condense

import (
	"strings"

	"github.com/nestorhq/nestor/internal/llm"
)

// preamble tells the model what it is reading.
const preamble = "[A summary of the conversation so far. The messages that it stands for are no longer shown.]\n\n"

// heading sets the quotation of the user's last message apart from the summary
// before it.
const heading = "\n\n# The last message of the user, word for word\n\n"

// SummaryTurn shows a stored summary to a model.
func SummaryTurn(id, text string) Turn {
	message := llm.Message{Role: llm.RoleUser, Parts: []llm.Part{llm.Text{Text: preamble + text}}}
	return Turn{ID: id, Summary: true, Message: message}
}

// summaryText is the text that a summary turn was made from.
func summaryText(t Turn) string {
	return strings.TrimPrefix(plainText(t.Message), preamble)
}

// quote is what the user said last, if a summary of the turns before end covers
// it: what all the work is about must not depend on how a summary words it. If
// nothing was said since the summary before, its quotation goes on.
func (v *view) quote(end int) string {
	if last := v.lastUser(); last >= end {
		return ""
	} else if last >= 0 {
		return plainText(v.turns[last].Message)
	}
	_, quote := v.sofar()
	return quote
}

// sofar is the summary that the conversation begins with, and its quotation.
func (v *view) sofar() (text, quote string) {
	if v.first > 0 {
		text, quote, _ = strings.Cut(summaryText(v.turns[0]), heading)
	}
	return text, quote
}

// quoteRoom bounds a quotation, so that the latest steps have room beside it.
func (v *view) quoteRoom() int { return v.room / 4 }

// compose puts a summary together so that its turn takes at most most.
func (v *view) compose(text, quote string, most int) string {
	// The heading is a mark: only the quotation may follow it.
	text = strings.TrimSpace(strings.ReplaceAll(text, strings.TrimSpace(heading), ""))
	quotation := ""
	if quote != "" {
		quotation = heading + v.cut(quote, v.quoteRoom()-v.text(heading), "")
	}
	size := func(text string) int { return v.turn(SummaryTurn("", text+quotation)) }
	if size(text) > most {
		text = cutMiddle(text, most, size, "")
	}
	return text + quotation
}

// plainText is what can be read of a message, without calls and results.
func plainText(m llm.Message) string {
	var texts []string
	for _, p := range m.Parts {
		switch p := p.(type) {
		case llm.Text:
			texts = append(texts, p.Text)
		case llm.Media:
			texts = append(texts, mediaLine(p))
		}
	}
	return strings.Join(texts, "\n")
}

func mediaLine(m llm.Media) string {
	if m.Name != "" {
		return "[" + m.MIMEType + ": " + m.Name + "]"
	}
	return "[" + m.MIMEType + "]"
}
