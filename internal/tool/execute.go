package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
)

// Result is the outcome of one call.
type Result struct {
	// Status is success, failed or unknown: nobody knows whether the call of a tool
	// whose every run counts took effect.
	Status nestor.ToolCallStatus
	// Output is what the tool said. Empty if it failed.
	Output string
	// Media are the images and files that came with it, as far as they can be
	// kept. Output describes each.
	Media []nestor.Media
	// Error says why a call did not succeed, in words for the model.
	Error string
	// Code is the kind of failure: invalid for arguments that do not match,
	// timeout, cancelled, internal for a panic, or what the tool reported.
	Code nestor.Code
	// Truncated says that Output, or Error, is longer than the tool's limit
	// and was cut. The text ends with a note that says so.
	Truncated bool
	Duration  time.Duration
}

// Said is what the tool said, or why it failed.
func (r *Result) Said() string {
	if r.Status != nestor.ToolCallSuccess {
		return r.Error
	}
	return r.Output
}

// Options for executing calls.
type Options struct {
	// Logger gets the stack of a tool that panicked. Defaults to slog.Default().
	Logger *slog.Logger
}

// Execute runs one call of t. It checks the arguments, bounds time and output,
// and turns every failure into a failed result. When the time is up or ctx is
// cancelled it returns at once, without waiting for a tool that does not heed
// its context; that tool's late outcome is discarded.
func Execute(ctx context.Context, t *Tool, call Call, opts Options) Result {
	start := time.Now()
	output, err := execute(ctx, t, call, opts)
	r := Result{Status: nestor.ToolCallSuccess, Duration: time.Since(start)}
	if err != nil {
		r.Status = nestor.ToolCallFailed
		if t.Effect == Once && isUnknown(err) {
			r.Status = nestor.ToolCallUnknown
		}
		r.Code = nestor.CodeOf(err)
		r.Error, r.Truncated = limit(words(err, t, call, opts), t.OutputLimit)
		return r
	}
	r.Output, r.Truncated = limit(output.Text, t.OutputLimit)
	r.keep(output.Media)
	return r
}

func execute(ctx context.Context, t *Tool, call Call, opts Options) (Output, error) {
	arguments, err := t.schema.check(call.Arguments)
	if err != nil {
		return Output{}, err
	}
	call.Arguments, call.Effect = arguments, t.Effect

	ctx, cancel := context.WithTimeoutCause(ctx, t.Timeout, timedOut(t))
	defer cancel()

	type outcome struct {
		output Output
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if p := recover(); p != nil {
				logger(opts).Error("tool panicked", "tool", t.Name, "call", call.ID,
					"panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				o.err = errDefect
			}
			done <- o
		}()
		o.output, o.err = t.run(ctx, call)
	}()

	var o outcome
	select {
	case o = <-done:
	case <-ctx.Done():
		select {
		case o = <-done: // both happened at once: what the tool did counts
		default:
			o.err = ctx.Err()
		}
	}
	if o.err != nil && ctx.Err() != nil {
		return Output{}, Unknown(ended(ctx, t))
	}
	return o.output, o.err
}

// errDefect is the error of a tool that panicked.
var errDefect = nestor.Errorf(nestor.CodeInternal, "the tool panicked")

// words are an error for the model. What a tool says itself stays as it is; what
// is unforeseen, or names a file, becomes a plain sentence, and the log has it
// under the id of the call.
func words(err error, t *Tool, call Call, opts Options) string {
	var coded *nestor.Error
	var file *fs.PathError
	if !(errors.As(err, &coded) && coded.Code == nestor.CodeInternal) && !errors.As(err, &file) {
		return nestor.Visible(err)
	}
	if err != errDefect { // its stack is logged already
		logger(opts).Error("tool failed unforeseen", "tool", t.Name, "call", call.ID, "error", err)
	}
	return fmt.Sprintf("%s failed because of a defect in the tool; the log says what (reference %s)", t.Name, call.ID)
}

func timedOut(t *Tool) error {
	note := ""
	if t.Effect != Pure {
		note = "; it may have taken effect nevertheless"
	}
	return nestor.Errorf(nestor.CodeTimeout, "%s did not finish within %s and was stopped%s", t.Name, t.Timeout, note)
}

// ended says why ctx is over: the tool's own time limit, or its caller.
func ended(ctx context.Context, t *Tool) error {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, nestor.ErrTimeout):
		return cause
	case errors.Is(cause, context.DeadlineExceeded):
		return nestor.Errorf(nestor.CodeTimeout, "%s was stopped: the time for it is up", t.Name)
	default:
		return nestor.Errorf(nestor.CodeCancelled, "%s was cancelled", t.Name)
	}
}

func logger(opts Options) *slog.Logger {
	if opts.Logger != nil {
		return opts.Logger
	}
	return slog.Default()
}

// limit keeps the first max bytes of text and says how much it left out.
func limit(text string, max int) (string, bool) {
	text = strings.ToValidUTF8(text, "\uFFFD")
	kept, truncated := cut(text, max)
	if truncated {
		kept += fmt.Sprintf("\n[cut: the first %d of %d bytes are shown]", len(kept), len(text))
	}
	return kept, truncated
}

// cut returns at most max bytes of text, ending at a rune boundary.
func cut(text string, max int) (string, bool) {
	if len(text) <= max {
		return text, false
	}
	for max > 0 && !utf8.RuneStart(text[max]) {
		max--
	}
	return text[:max], true
}
