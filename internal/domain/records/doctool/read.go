package doctool

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/onbehalf"
	"github.com/nestorhq/nestor/internal/domain/records/record"
	"github.com/nestorhq/nestor/internal/domain/records/version"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
)

const readDescription = `Reads the user's text documents: one by id or title, with the id of its version, which write_document needs as based_on; else it lists the newest, or those that hold the words of search. Of a long text it returns the first lines and says how many there are.`

type readInput struct {
	ID       string `json:"id,omitempty" jsonschema:"of a document or a version"`
	Title    string `json:"title,omitempty" jsonschema:"if you do not know the id"`
	Search   string `json:"search,omitempty" jsonschema:"words to list documents by"`
	FromLine int    `json:"from_line,omitempty" jsonschema:"first line; 1 if left out"`
	Lines    int    `json:"lines,omitempty" jsonschema:"how many at most"`
}

const (
	// mostBytes is how much of a text is returned at once.
	mostBytes = 48 << 10
	// mostListed is how many documents are listed at once.
	mostListed = 20
)

func readTool(s store.Documents) *tool.Tool {
	spec := tool.Spec{Name: Read, Description: readDescription, Effect: tool.Pure, Source: source}
	return tool.Func(spec, func(ctx context.Context, call tool.Call, in readInput) (text string, err error) {
		person, err := onbehalf.Of(ctx, s, call.Scope)
		if err != nil {
			return "", err
		}
		if in.FromLine < 0 || in.Lines < 0 {
			return "", nestor.Errorf(nestor.CodeInvalid, "lines are counted from 1")
		}
		err = s.View(ctx, func(r store.Reader) (err error) {
			text, err = read(person.Reader(r), person.UserID, in)
			return err
		})
		return text, err
	})
}

func read(r store.Reader, userID string, in readInput) (string, error) {
	switch {
	case in.ID != "":
		if err := nestor.CheckID(in.ID); err != nil {
			return "", nestor.Errorf(nestor.CodeInvalid, "id is that of a document: %w", err)
		}
		v, err := store.Find[record.TextDocument](r, at(userID, in.ID))
		if err != nil {
			return "", err
		}
		if v == nil {
			return "", nestor.Errorf(nestor.CodeNotFound, "there is no document %s: list them with read_document without id and title", in.ID)
		}
		return shown(r, v, in)
	case strings.TrimSpace(in.Title) != "":
		return readTitled(r, userID, in)
	}
	found, next, err := version.Search(r, of(userID), in.Search, mostListed, "")
	switch {
	case err != nil:
		return "", err
	case len(found) == 0 && next != "":
		return "Among the newest documents none has all these words. There are older ones, which were not looked at.", nil
	case len(found) == 0 && strings.TrimSpace(in.Search) != "":
		return "No document has all these words.", nil
	case len(found) == 0:
		return "There are no documents yet.", nil
	}
	more := ""
	if next != "" {
		more = "\nThere are more, which are not listed."
	}
	return "The documents, newest first:\n" + listed(found) + more, nil
}

func readTitled(r store.Reader, userID string, in readInput) (string, error) {
	found, err := titled(r, userID, in.Title)
	switch {
	case err != nil:
		return "", err
	case len(found) > 1:
		return "", nestor.Errorf(nestor.CodeConflict, "several documents have the title %q; give the id of one:\n%s", in.Title, listed(found))
	case len(found) == 0:
		similar, _, err := version.Search(r, of(userID), in.Title, mostListed, "")
		if err != nil {
			return "", err
		}
		hint := "list them with read_document without id and title"
		if len(similar) > 0 {
			hint = "these have its words:\n" + listed(similar)
		}
		return "", nestor.Errorf(nestor.CodeNotFound, "there is no document with the title %q; %s", in.Title, hint)
	}
	v, err := store.Find[record.TextDocument](r, at(userID, found[0].ID))
	if err != nil || v == nil {
		return "", err
	}
	return shown(r, v, in)
}

// titled are the documents with a title, or if there are none those with the title in
// another case.
func titled(r store.Reader, userID, title string) (found []version.Summary, err error) {
	if found, err = exactly(r, userID, title); err != nil || len(found) > 0 {
		return found, err
	}
	for cursor := ""; ; {
		some, next, err := version.Search(r, of(userID), title, store.MaxLimit, cursor)
		if err != nil {
			return nil, err
		}
		for _, s := range some {
			if strings.EqualFold(s.Title, strings.TrimSpace(title)) {
				found = append(found, s)
			}
		}
		if cursor = next; cursor == "" {
			return found, nil
		}
	}
}

// exactly are the documents with a title, as far as they are listed.
func exactly(r store.Reader, userID, title string) (found []version.Summary, err error) {
	page, err := r.Query(store.Query{Collection: of(userID), Limit: mostListed, Where: &store.Filter{And: []store.Filter{
		*store.Where("title", store.Eq, strings.TrimSpace(title)), *store.Where("nextId", store.Eq, nil),
	}}})
	if err != nil {
		return nil, err
	}
	for _, d := range page.Items {
		s, err := version.Summarise(d)
		if err != nil {
			return nil, err
		}
		found = append(found, s)
	}
	return found, nil
}

func listed(found []version.Summary) string {
	var b strings.Builder
	for _, s := range found {
		fmt.Fprintf(&b, "- %s (id %s, version %d, %d characters, %s)\n", s.Title, s.ID, s.Number, s.Characters, when(s.UpdatedAt))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func when(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04 UTC") }

// shown is a document for a model: what it is, and the lines that are wanted.
func shown(r store.Reader, v *record.TextDocument, in readInput) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "Document %q, version %d, id %s, saved by %s at %s.\n", v.Title, v.Number, v.ID, who(v.WrittenBy), when(v.UpdatedAt))
	if v.NextID != nil {
		newest, err := version.Newest(r, at(v.UserID, v.ID))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "This is an old version. The newest one is %s.\n", newest.ID())
	}
	lines := strings.SplitAfter(v.Content, "\n")
	if len(lines) > 1 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	from := max(in.FromLine, 1)
	if from > len(lines) {
		return "", nestor.Errorf(nestor.CodeInvalid, "the document has %d lines, so there is no line %d", len(lines), from)
	}
	wanted := lines[from-1:]
	if in.Lines > 0 {
		wanted = wanted[:min(len(wanted), in.Lines)]
	}
	text, whole := fitting(wanted)
	to := from - 1 + whole
	switch {
	case whole == 0:
		text = strings.ToValidUTF8(wanted[0][:mostBytes], "")
		fmt.Fprintf(&b, "Line %d of %d is too long to be shown whole: these are the first %d of its %d characters.\n",
			from, len(lines), utf8.RuneCountInString(text), utf8.RuneCountInString(wanted[0]))
	case from == 1 && to == len(lines):
		fmt.Fprintf(&b, "All of its lines (%d):\n", len(lines))
	default:
		fmt.Fprintf(&b, "Lines %d to %d of %d", from, to, len(lines))
		if to < len(lines) {
			fmt.Fprintf(&b, "; the rest begins with from_line %d", to+1)
		}
		b.WriteString(":\n")
	}
	return b.String() + "\n" + text, nil
}

// fitting is as many whole lines as are returned at once.
func fitting(lines []string) (text string, n int) {
	var b strings.Builder
	for _, line := range lines {
		if b.Len()+len(line) > mostBytes {
			break
		}
		b.WriteString(line)
		n++
	}
	return b.String(), n
}

func who(by *record.Author) string {
	switch {
	case by == nil:
		return "somebody"
	case by.SubAgentID != "":
		return "the agent " + by.Role
	}
	return by.UserID
}
