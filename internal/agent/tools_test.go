package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/nestorhq/nestor/internal/tool"
)

// tools are what the agents of a world can call. Calls that change something are
// counted.
type tools struct {
	mu      sync.Mutex
	effects []string
	called  map[string]bool
}

// ForRole implements agent.Tools.
func (*tools) ForRole(_ context.Context, _ string, patterns []string) *tool.Registry {
	all := testTools()
	if patterns != nil {
		all = tool.Select(all, patterns)
	}
	return tool.NewRegistry(all, tool.Options{Logger: quiet})
}

// testTools are the same for all worlds. The context of a call tells which world
// it is made in.
var testTools = sync.OnceValue(func() []*tool.Tool {
	type nothing struct{}
	type text struct {
		Text string `json:"text"`
	}
	type to struct {
		To string `json:"to"`
	}
	type pages struct {
		Words int    `json:"words"`
		Of    string `json:"of"`
	}
	type result struct {
		ID string `json:"id"`
	}
	return []*tool.Tool{
		gated(tool.Spec{Name: "echo", Effect: tool.Pure}, func(_ *tools, in text) (string, error) { return in.Text, nil }),
		gated(tool.Spec{Name: "upper", Effect: tool.Pure, Local: true}, func(_ *tools, in text) (string, error) {
			return strings.ToUpper(in.Text), nil
		}),
		// It is never done within the time that local tools have.
		tool.Func(tool.Spec{Name: "lazy", Effect: tool.Pure, Local: true}, func(ctx context.Context, call tool.Call, in text) (string, error) {
			w := worldOf(ctx)
			if w.tools.first(call.ID) {
				<-ctx.Done()
				return "", ctx.Err()
			}
			return in.Text, w.gates.pass(ctx, "tool lazy")
		}),
		gated(tool.Spec{Name: "store", Effect: tool.Idempotent}, func(ts *tools, in text) (string, error) {
			return ts.did("stored " + in.Text), nil
		}),
		gated(tool.Spec{Name: "send", Effect: tool.Once}, func(ts *tools, in to) (string, error) {
			return ts.did("sent to " + in.To), nil
		}),
		gated(tool.Spec{Name: "pay", Effect: tool.Once, NeedsApproval: true}, func(ts *tools, in to) (string, error) {
			return ts.did("paid " + in.To), nil
		}),
		gated(tool.Spec{Name: "post", Effect: tool.Once}, func(ts *tools, in to) (string, error) {
			ts.did("posted to " + in.To)
			return "", tool.Unknown(errors.New("the connection was lost"))
		}),
		gated(tool.Spec{Name: "refuse", Effect: tool.Pure}, func(*tools, nothing) (string, error) { return "", errors.New("not today") }),
		gated(tool.Spec{Name: "explode", Effect: tool.Pure}, func(*tools, nothing) (string, error) { panic("boom") }),
		gated(tool.Spec{Name: "pages", Effect: tool.Pure}, func(_ *tools, in pages) (string, error) {
			return strings.Repeat(in.Of+" ", in.Words), nil
		}),
		gated(tool.Spec{Name: "binary", Effect: tool.Pure}, func(*tools, nothing) (string, error) { return "a\x00b\xffc", nil }),
		gated(tool.Spec{Name: "read_result", Effect: tool.Pure}, func(_ *tools, in result) (string, error) {
			return "the result of " + in.ID, nil
		}),
	}
})

// gated makes a tool that passes the gates as "tool NAME ARGUMENTS" before it
// runs.
func gated[In any](spec tool.Spec, run func(*tools, In) (string, error)) *tool.Tool {
	return tool.Func(spec, func(ctx context.Context, call tool.Call, in In) (string, error) {
		w := worldOf(ctx)
		if call.UserID != w.chat.UserID() || call.ChatID != w.chat.ID() {
			return "", fmt.Errorf("called on behalf of %s/%s", call.UserID, call.ChatID)
		}
		if err := w.gates.pass(ctx, "tool "+call.Name+" "+call.Arguments); err != nil {
			return "", err
		}
		return run(&w.tools, in)
	})
}

// first reports whether a call is made for the first time.
func (ts *tools) first(call string) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.called == nil {
		ts.called = map[string]bool{}
	}
	again := ts.called[call]
	ts.called[call] = true
	return !again
}

// did notes an effect.
func (ts *tools) did(what string) string {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.effects = append(ts.effects, what)
	return what
}

// done are the effects so far, in order of their texts: calls run in parallel.
func (ts *tools) done() []string {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return slices.Sorted(slices.Values(ts.effects))
}
