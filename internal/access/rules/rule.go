package rules

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
)

// Op is what a caller wants to do with a document.
type Op string

// The operations.
const (
	Read   Op = "read"
	Create Op = "create"
	Update Op = "update"
	Delete Op = "delete"
	// Act is to have the server do something about a document, by a route that
	// knows what may change: stop a task, answer an agent, invite a member.
	Act Op = "act"
)

var ops = []Op{Read, Create, Update, Delete, Act}

// need is what an operation asks of a credential.
func (op Op) need() access.Need {
	switch op {
	case Read:
		return access.ToRead
	case Act:
		return access.ToAct
	}
	return access.ToWrite
}

// rule allows operations on the documents of a pattern under a condition.
type rule struct {
	path *pattern
	ops  []Op
	when *condition
}

// entry is a rule as it stands in the file.
type entry struct {
	ID         string `json:"id"`
	Path       string `json:"path"`
	Operations []Op   `json:"operations"`
	Condition  lines  `json:"condition"`
	Comment    string `json:"comment"` // for people
}

// lines is a text, or a list of its lines.
type lines string

// UnmarshalJSON reads either form.
func (l *lines) UnmarshalJSON(b []byte) error {
	var list []string
	if len(b) > 0 && b[0] != '[' {
		list = []string{""}
		if err := json.Unmarshal(b, &list[0]); err != nil {
			return err
		}
	} else if err := json.Unmarshal(b, &list); err != nil {
		return err
	}
	*l = lines(strings.Join(list, "\n"))
	return nil
}

// parse reads a rules file. Its error lists everything that is wrong, one
// problem per line.
func parse(name string, data []byte) ([]*rule, error) {
	var file struct {
		Rules []entry `json:"rules"`
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	err := dec.Decode(&file)
	if err == nil {
		if _, more := dec.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is text after the rules")
		}
	}
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "%s%s: %v", name, place(err, data), err)
	}
	var rules []*rule
	var problems []string
	seen := map[string]bool{}
	for i, e := range file.Rules {
		label := fmt.Sprintf("%s: rule #%d", name, i+1)
		if e.ID != "" {
			label = fmt.Sprintf("%s: rule %q", name, e.ID)
		}
		r, err := e.compile()
		if err == nil && seen[e.ID] {
			err = errors.New("another rule has this id")
		}
		seen[e.ID] = true
		if err != nil {
			problems = append(problems, label+": "+err.Error())
			continue
		}
		rules = append(rules, r)
	}
	if len(problems) > 0 {
		return nil, nestor.Errorf(nestor.CodeInvalid, "%s", strings.Join(problems, "\n"))
	}
	return rules, nil
}

// place says in which line the JSON is not what it should be, if err knows.
func place(err error, data []byte) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var offset int64
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	case errors.Is(err, io.ErrUnexpectedEOF):
		offset = int64(len(data))
	default:
		return ""
	}
	return fmt.Sprintf(", line %d", 1+bytes.Count(data[:offset], []byte("\n")))
}

func (e *entry) compile() (*rule, error) {
	if err := nestor.CheckID(e.ID); err != nil {
		return nil, fmt.Errorf("id: %w", err)
	}
	p, err := parsePattern(e.Path)
	if err != nil {
		return nil, fmt.Errorf("path %.100q: %w", e.Path, err)
	}
	if len(e.Operations) == 0 {
		return nil, fmt.Errorf("operations: name some of %v", ops)
	}
	for _, op := range e.Operations {
		if !slices.Contains(ops, op) {
			return nil, fmt.Errorf("operations: %q is not one of %v", string(op), ops)
		}
	}
	if e.Condition == "" {
		return nil, errors.New(`condition: is missing; "true" would let everybody in, also those who did not log in`)
	}
	when, err := compile(string(e.Condition), p)
	if err != nil {
		return nil, fmt.Errorf("condition: %w", err)
	}
	return &rule{path: p, ops: e.Operations, when: when}, nil
}
