package scripted

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// Parse reads a script. Its errors start with the line they are about.
func Parse(script []byte) (*Model, error) {
	archive := txtar.Parse(script)
	m := &Model{}
	line := 1 + bytes.Count(archive.Comment, []byte("\n"))
	for _, file := range archive.Files {
		if first, _, _ := strings.Cut(file.Name, " "); first == "reply" {
			r, err := parseReply(file, line)
			if err != nil {
				return nil, err
			}
			if i := slices.IndexFunc(m.replies, func(o *reply) bool { return o.name == r.name }); i >= 0 {
				return nil, failure(line, "%q is already the name of the reply in line %d", r.name, m.replies[i].line)
			}
			m.replies = append(m.replies, r)
		}
		line += 1 + bytes.Count(file.Data, []byte("\n"))
	}
	return m, nil
}

func parseReply(file txtar.File, line int) (*reply, error) {
	r := &reply{name: file.Name, line: line}
	p := replyParser{reply: r}
	lines := strings.Split(strings.TrimSuffix(string(file.Data), "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		at := line + 1 + i
		text := strings.TrimSuffix(lines[i], "\r")
		if strings.TrimSpace(text) == "" || strings.HasPrefix(text, "#") {
			continue
		}
		if strings.HasPrefix(text, "|") {
			return nil, failure(at, "there is nothing for %q to continue", text)
		}
		var more []string
		for i+1 < len(lines) && strings.HasPrefix(lines[i+1], "|") {
			i++
			rest := strings.TrimSuffix(lines[i][1:], "\r")
			more = append(more, strings.TrimPrefix(rest, " "))
		}
		if err := p.statement(text, more); err != nil {
			return nil, failure(at, "%v", err)
		}
	}
	p.end()
	return r, nil
}

func failure(line int, format string, args ...any) error {
	return nestor.Errorf(nestor.CodeInvalid, "line %d: %s", line, fmt.Sprintf(format, args...))
}

// replyParser reads the statements of one reply.
type replyParser struct {
	*reply
	called bool
	ended  bool // by finish or error
}

func (p *replyParser) statement(line string, more []string) error {
	word, rest, _ := strings.Cut(line, " ")
	if p.ended {
		return fmt.Errorf("%q comes after the end of the reply", word)
	}
	if text, ok := strings.CutPrefix(line, "text:"); ok {
		p.add(llm.Text{Text: freeText(text, more)})
		return nil
	}
	if text, ok := strings.CutPrefix(line, "think:"); ok {
		p.add(llm.Reasoning{Text: freeText(text, more)})
		return nil
	}
	if text, ok := strings.CutPrefix(line, "sign:"); ok {
		p.add(llm.Reasoning{Signature: freeText(text, more)})
		return nil
	}
	if more != nil && word != "call" {
		return fmt.Errorf("%q cannot be continued", word)
	}
	switch word {
	case "when":
		return p.condition(rest)
	case "call":
		return p.call(strings.Join(append([]string{rest}, more...), "\n"))
	case "usage":
		return p.usage(rest)
	case "wait":
		return p.wait(rest)
	case "finish":
		return p.finish(rest)
	case "error":
		return p.failure(rest)
	case "repeat":
		p.repeat = true
		return nil
	}
	return fmt.Errorf("unknown statement %q", word)
}

func (p *replyParser) add(ev llm.Event) { p.steps = append(p.steps, step{event: ev}) }

// end completes a reply that does not say how it ends.
func (p *replyParser) end() {
	if p.ended {
		return
	}
	reason := llm.ReasonStop
	if p.called {
		reason = llm.ReasonToolCalls
	}
	p.add(llm.Finish{Reason: reason})
}

func (p *replyParser) condition(s string) error {
	for _, subject := range subjects {
		rest, ok := strings.CutPrefix(s, subject.name+" ")
		if !ok {
			continue
		}
		verb, text, _ := strings.Cut(rest, " ")
		if verbs[verb] == nil {
			return fmt.Errorf(`want "when %s contains|lacks|is TEXT"`, subject.name)
		}
		p.when = append(p.when, condition{subject: subject.name, verb: verb, text: unquote(text)})
		return nil
	}
	return fmt.Errorf("unknown subject in %q", "when "+s)
}

func (p *replyParser) call(s string) error {
	name, args, _ := strings.Cut(s, " ")
	if name == "" {
		return fmt.Errorf("want a tool's name after call")
	}
	call := llm.ToolCall{Name: name, Arguments: args}
	if rest, ok := strings.CutPrefix(args, "id="); ok {
		call.ID, call.Arguments, _ = strings.Cut(rest, " ")
	}
	p.called = true
	p.add(call)
	return nil
}

func (p *replyParser) usage(s string) error {
	var u llm.Usage
	counts := map[string]*int64{
		"in": &u.Input, "cached": &u.CachedInput, "written": &u.CacheWrite, "out": &u.Output, "reasoning": &u.Reasoning,
	}
	for _, field := range strings.Fields(s) {
		name, value, _ := strings.Cut(field, "=")
		n, err := strconv.ParseInt(value, 10, 64)
		if counts[name] == nil || err != nil || n < 0 {
			return fmt.Errorf("want in=N, out=N, cached=N, written=N or reasoning=N, not %q", field)
		}
		*counts[name] = n
	}
	p.add(u)
	return nil
}

func (p *replyParser) wait(s string) error {
	d, err := time.ParseDuration(s)
	if err != nil || d <= 0 {
		return fmt.Errorf("want a duration such as 2s, not %q", s)
	}
	p.steps = append(p.steps, step{wait: d})
	return nil
}

func (p *replyParser) finish(s string) error {
	reasons := []llm.Reason{llm.ReasonStop, llm.ReasonToolCalls, llm.ReasonLength, llm.ReasonRefusal}
	reason, detail, _ := strings.Cut(s, " ")
	if !slices.Contains(reasons, llm.Reason(reason)) {
		return fmt.Errorf("want one of %v, not %q", reasons, reason)
	}
	p.add(llm.Finish{Reason: llm.Reason(reason), Detail: detail})
	p.ended = true
	return nil
}

var codes = []nestor.Code{
	nestor.CodeInvalid, nestor.CodeUnauthenticated, nestor.CodeForbidden, nestor.CodeNotFound, nestor.CodeTooLarge,
	nestor.CodeRateLimited, nestor.CodeTimeout, nestor.CodeCancelled, nestor.CodeUnavailable, nestor.CodeInternal,
}

func (p *replyParser) failure(s string) error {
	word, message, _ := strings.Cut(s, " ")
	if !slices.Contains(codes, nestor.Code(word)) {
		return fmt.Errorf("want one of %v, not %q", codes, word)
	}
	err := &nestor.Error{Code: nestor.Code(word), Message: message}
	if rest, ok := strings.CutPrefix(message, "retry_after="); ok {
		value, text, _ := strings.Cut(rest, " ")
		d, parseErr := time.ParseDuration(value)
		if parseErr != nil {
			return fmt.Errorf("want a duration such as 2s, not %q", value)
		}
		err.Message, err.Err = text, nestor.RetryAfter(d)
	}
	p.steps = append(p.steps, step{err: err})
	p.ended = true
	return nil
}

// freeText is the text after a colon, less one space, and its further lines.
func freeText(first string, more []string) string {
	if first == "" && more != nil {
		return strings.Join(more, "\n")
	}
	return strings.Join(append([]string{unquote(strings.TrimPrefix(first, " "))}, more...), "\n")
}

// unquote reads a Go string; anything else is taken as it is.
func unquote(s string) string {
	if strings.HasPrefix(s, `"`) {
		if text, err := strconv.Unquote(s); err == nil {
			return text
		}
	}
	return s
}
