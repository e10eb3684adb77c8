package crashtest

import (
	"context"
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
	checkCalendar = "check_calendar" // idempotent, and the orchestrator's own
)

var (
	letterAnswer = "A table is free." + filler
	toolAnswers  = map[string]string{comparePrices: "40 euros", holdItem: "held", writeLetter: letterAnswer, checkCalendar: "Friday is free."}
)

var roles = &role.Roles{
	Roles: map[string]role.Role{
		"shopper": {
			Description: "buys", Instructions: "You buy things.", Tools: []string{comparePrices, holdItem}, MaxIterations: 10,
		},
		"booker": {
			Description: "books", Instructions: "You book tables." + filler + filler, Tools: []string{writeLetter}, MaxIterations: 10,
		},
	},
	Orchestrator: orchestrator(),
}

// orchestrator is the default one with a tool of its own.
func orchestrator() role.Orchestrator {
	o := role.Default().Orchestrator
	o.Tools = []string{checkCalendar}
	return o
}

// ForRole implements [agent.Tools].
func (m *member) ForRole(_ context.Context, role string, patterns []string) *tool.Registry {
	if m.opts.offers != nil {
		m.opts.offers(role)
	}
	return tool.NewRegistry(tool.Select([]*tool.Tool{
		m.tool(comparePrices, tool.Pure), m.tool(holdItem, tool.Idempotent), m.tool(writeLetter, tool.Once), m.tool(checkCalendar, tool.Idempotent),
	}, patterns), tool.Options{})
}

// tool makes a tool that takes one text. It touches the world unless it is pure.
func (m *member) tool(name string, effect tool.Effect) *tool.Tool {
	t, err := tool.New(tool.Spec{
		Name: name, Effect: effect,
		Parameters: []byte(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`),
	}, tool.Text(func(ctx context.Context, call tool.Call) (answer string, err error) {
		m.pass(inTool, name+" begins")
		if answer = toolAnswers[name]; effect != tool.Pure {
			if answer, err = m.touch(ctx, name, call.IdempotencyKey); err != nil {
				return "", err
			}
		}
		m.pass(inTool, name+" is done")
		return answer, nil
	}))
	if err != nil {
		panic(err) // the schema is valid
	}
	return t
}

// touch has an effect on the world. The key is not in the header of that name:
// a client repeats requests with one by itself.
func (l *life) touch(ctx context.Context, tool, key string) (answer string, err error) {
	target := l.World + "/tools/" + tool + "?" + url.Values{"key": {key}}.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, target, http.NoBody)
	if err != nil {
		return "", err
	}
	said, err := l.RoundTrip(r)
	if err != nil {
		return "", err
	}
	defer said.Body.Close()
	text, err := io.ReadAll(said.Body)
	return string(text), err
}
