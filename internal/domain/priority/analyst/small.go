package analyst

import (
	"fmt"
	"strings"

	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/domain/priority/tasks"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
)

// A set is small if it has fewer open tasks than fewTasks and its documents have no more tokens
// than textTokens, by estimate. Then the first message has all of it.
const (
	fewTasks   = 50
	textTokens = 8_000
	// tokenBytes is more bytes than a token has in any text worth reading.
	tokenBytes = 8
)

// fewDocuments reads the documents of a small set, nil if it is not small.
func fewDocuments(r store.Reader, userID string, k *tasks.List) ([]*record.SourceDocument, error) {
	size := 0
	for _, d := range k.Documents {
		size += d.Size
	}
	if len(k.Open()) >= fewTasks || size > textTokens*tokenBytes {
		return nil, nil
	}
	documents, tokens := []*record.SourceDocument{}, 0
	for _, d := range k.Documents {
		found, err := store.Find[record.SourceDocument](r, record.Of(userID).Child("processed-documents", d.ID))
		if err != nil {
			return nil, err
		}
		if found == nil {
			continue
		}
		if tokens += llm.EstimateTokens(found.Content); tokens > textTokens {
			return nil, nil
		}
		documents = append(documents, found)
	}
	return documents, nil
}

// small reports whether the first message has all that is stored.
func (s *situation) small() bool { return s.documents != nil }

// maxKnown is how many relationships the first message has.
const maxKnown = 200

// known is what is stored about the order of open tasks, a line each.
func (s *situation) known() string {
	var b strings.Builder
	lines := 0
	for _, r := range s.relationships {
		if s.tasks.Task(r.SourceTaskID).Done || s.tasks.Task(r.TargetTaskID).Done {
			continue
		}
		if lines++; lines > maxKnown {
			fmt.Fprintf(&b, "There is more, which %s returns.\n", queryTaskGraph)
			break
		}
		by := fmt.Sprintf("found before, %.0f%% sure", 100*r.Confidence)
		if r.Origin == record.OriginManual {
			by = "the person said so"
		}
		fmt.Fprintf(&b, "- %s (%s)\n", meaning(s.names.handles[r.SourceTaskID], s.names.handles[r.TargetTaskID], r.Type), by)
	}
	if b.Len() == 0 {
		return "\nNothing is stored about their order yet.\n"
	}
	return "\n# What is known about their order\n" + b.String()
}

// texts are the documents. A line that is a task has its name instead, since the task has been
// shown already.
func (s *situation) texts() string {
	var b strings.Builder
	for _, d := range s.documents {
		named := map[string]string{}
		for _, t := range tasks.In(d.ID, d.Title, d.StructuredOutput) {
			if h := s.names.handles[t.ID]; h != "" && !s.tasks.Task(t.ID).Done {
				named[t.Text] = h
			}
		}
		fmt.Fprintf(&b, "\n# Document: %s (of %s)\n", excerpt(d.Title, 200), record.LongDay(d.Added()))
		for _, line := range strings.Split(strings.TrimSpace(d.Content), "\n") {
			line = strings.TrimRight(line, " \t\r")
			if mark, text, ok := item(line); ok && named[text] != "" {
				line = mark + "[" + named[text] + "]"
			}
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// item divides a line into what marks it as an item of a list and its text.
func item(line string) (mark, text string, ok bool) {
	rest := strings.TrimLeft(line, " \t-*+•0123456789.)[]xX☐☑")
	at := len(line) - len(rest)
	return line[:at], rest, at > 0
}
