package crashtest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/nestorhq/nestor/internal/agent/role"
	"github.com/nestorhq/nestor/internal/tool"
)

// The tools, and what they answer.
const (
	comparePrices = "compare_prices" // pure
	holdItem      = "hold_item"      // idempotent
	writeLetter   = "write_letter"   // once
)

var (
	letterAnswer = "A table is free." + filler
	toolAnswers  = map[string]string{comparePrices: "40 euros", holdItem: "held", writeLetter: letterAnswer}
)

var roles = &role.Roles{
	Roles: map[string]role.Role{
		"shopper": {
			Description: "buys", Instructions: "You buy things.", Tools: []string{comparePrices, holdItem}, MaxIterations: 10,
		},
		"booker": {
			Description: "books", Instructions: "You book tables.", Tools: []string{writeLetter}, MaxIterations: 10,
		},
	},
	Orchestrator: role.Default().Orchestrator,
}

// ForRole implements [agent.Tools].
func (m *member) ForRole(_ context.Context, role string, patterns []string) *tool.Registry {
	if m.opts.offers != nil {
		m.opts.offers(role)
	}
	nothing := func(context.Context, tool.Call) error { return nil }
	return tool.NewRegistry(tool.Select([]*tool.Tool{
		m.tool(comparePrices, tool.Pure, nothing),
		m.tool(holdItem, tool.Idempotent, m.touch),
		m.tool(writeLetter, tool.Once, m.touch),
	}, patterns), tool.Options{})
}

// tool makes a tool that takes one text.
func (m *member) tool(name string, effect tool.Effect, run func(context.Context, tool.Call) error) *tool.Tool {
	t, err := tool.New(tool.Spec{
		Name: name, Effect: effect,
		Parameters: []byte(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`),
	}, tool.Text(func(ctx context.Context, call tool.Call) (string, error) {
		reach(name+" begins", m.fail.Tool)
		if err := run(ctx, call); err != nil {
			return "", err
		}
		reach(name+" done", m.fail.Tool)
		return toolAnswers[name], nil
	}))
	if err != nil {
		panic(err) // the schema is valid
	}
	return t
}

// touch has an effect on the world. The key is not in the header of that name:
// a client repeats requests with one by itself.
func (m *member) touch(ctx context.Context, call tool.Call) error {
	target := m.world + "/tools/" + call.Name + "?" + url.Values{"key": {call.IdempotencyKey}}.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, target, http.NoBody)
	if err != nil {
		return err
	}
	answer, err := m.transport.RoundTrip(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && string(text) != toolAnswers[call.Name] {
		err = fmt.Errorf("an unexpected answer: %q", text)
	}
	return err
}
