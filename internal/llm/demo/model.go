package demo

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/nestorhq/nestor/internal/llm"
)

// Options of [New].
type Options struct {
	// Instant gives the reply without a pause between words.
	Instant bool
	// Pace is the pause before each word. Defaults to 20 ms.
	Pace time.Duration
}

// Model is the demo model. Equal requests get equal replies, with equal call
// ids.
type Model struct {
	pace time.Duration
}

// New returns the demo model.
func New(opts Options) *Model {
	m := &Model{pace: opts.Pace}
	if m.pace <= 0 {
		m.pace = 20 * time.Millisecond
	}
	if opts.Instant {
		m.pace = 0
	}
	return m
}

// Name is "demo".
func (m *Model) Name() string { return "demo" }

// Generate answers by the first rule that applies and streams the answer word by
// word. The reasoning it emits names that rule. It stops at once when the
// context ends.
//
// Its usage is an estimate, one token per four bytes, of what a real model would
// have read and written.
func (m *Model) Generate(ctx context.Context, req *llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		sc := read(req)
		rule := sc.choose()
		said := rule.reply(sc)
		reason := llm.ReasonStop
		if limit := req.MaxTokens * bytesPerToken; limit > 0 && len(said.text) > limit {
			said = reply{text: strings.ToValidUTF8(said.text[:limit], "")}
			reason = llm.ReasonLength
		}

		thought := ""
		if sc.part != writer {
			thought = "Rule: " + rule.name + "."
			if !yield(llm.Reasoning{Text: thought}, nil) {
				return
			}
		}
		for word := range words(said.text) {
			if err := llm.Pause(ctx, m.pace, "the reply"); err != nil {
				yield(nil, err)
				return
			}
			if !yield(llm.Text{Text: word}, nil) {
				return
			}
		}
		prefix := fingerprint(req)
		written := len(said.text) + len(thought)
		for i, c := range said.calls {
			if err := llm.Pause(ctx, m.pace, "the reply"); err != nil {
				yield(nil, err)
				return
			}
			call := llm.ToolCall{ID: fmt.Sprintf("demo_%s_%d", prefix, i), Name: c.tool, Arguments: sc.arguments(c)}
			if !yield(call, nil) {
				return
			}
			written += len(call.Name) + len(call.Arguments)
			reason = llm.ReasonToolCalls
		}
		if err := llm.Pause(ctx, 0, "the reply"); err != nil {
			yield(nil, err)
			return
		}
		usage := llm.Usage{Input: tokens(size(req)), Output: tokens(written), Reasoning: tokens(len(thought))}
		if yield(usage, nil) {
			yield(llm.Finish{Reason: reason}, nil)
		}
	}
}

// words yields s in pieces that each end with the space after a word.
func words(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for s != "" {
			end := strings.IndexAny(s, " \n") + 1
			if end == 0 {
				end = len(s)
			}
			for end < len(s) && (s[end] == ' ' || s[end] == '\n') {
				end++
			}
			if !yield(s[:end]) {
				return
			}
			s = s[end:]
		}
	}
}

const bytesPerToken = 4

func tokens(bytes int) int64 { return int64((bytes + bytesPerToken - 1) / bytesPerToken) }

// size counts the bytes of everything the model is given.
func size(req *llm.Request) int {
	n := len(req.System)
	for _, t := range req.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	for _, m := range req.Messages {
		for _, part := range m.Parts {
			switch part := part.(type) {
			case llm.Text:
				n += len(part.Text)
			case llm.Reasoning:
				n += len(part.Text)
			case llm.ToolCall:
				n += len(part.Name) + len(part.Arguments)
			case llm.ToolResult:
				n += len(part.Content)
			}
		}
	}
	return n
}

// fingerprint identifies the request, so that a repeated one gets the same call
// ids and the next one of the conversation gets others.
func fingerprint(req *llm.Request) string {
	hash := sha256.New()
	enc := json.NewEncoder(hash)
	_ = enc.Encode(req.System) // plain data into a hash cannot fail
	for _, m := range req.Messages {
		_ = enc.Encode(m)
	}
	return fmt.Sprintf("%x", hash.Sum(nil)[:6])
}
