package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/node"
	"github.com/nestorhq/nestor/server"
)

// blocking is a node type whose first run goes on until its server stops.
type blocking struct {
	runs  atomic.Int64
	began chan string // the idempotency key of each run
}

type letter struct {
	To string `json:"to"`
}

func (b *blocking) run(ctx context.Context, in letter) (letter, error) {
	b.began <- node.CallOf(ctx).IdempotencyKey
	if b.runs.Add(1) == 1 {
		<-ctx.Done()
		return letter{}, ctx.Err()
	}
	return letter{"Dear " + in.To}, nil
}

type executed struct {
	ID     string
	Status string
	Output map[string]json.RawMessage
	Error  *struct{ NodeID, Code string }
}

// runsLetter saves a graph with one node of the type and begins an execution of it.
func runsLetter(t *testing.T, c *client.Client) (id string) {
	t.Helper()
	graph := `{"id":"g","name":"g","nodes":[{"id":"s","nodeId":"on-start"},{"id":"l","nodeId":"letter","parameters":{"to":"Bob"}},{"id":"o","nodeId":"output"}],"edges":[
		{"sourceNodeId":"s","sourcePortId":"signal","targetNodeId":"l","targetPortId":"run"},{"sourceNodeId":"l","sourcePortId":"done","targetNodeId":"o","targetPortId":"run"},
		{"sourceNodeId":"l","sourcePortId":"to","targetNodeId":"o","targetPortId":"value"}]}`
	if _, err := client.Call[any](t.Context(), c, "POST", "/records/agent_graphs", json.RawMessage(graph)); err != nil {
		t.Fatal(err)
	}
	x, err := client.Call[executed](t.Context(), c, "POST", "/records/agent_graphs/g/executions", struct{}{})
	if err != nil {
		t.Fatal(err)
	}
	return x.ID
}

func TestANodeOfTheProgramThatIsInterruptedGoesOnOrIsNotRepeated(t *testing.T) {
	for effect, want := range map[node.Effect]string{node.Idempotent: "completed", node.Once: "failed"} {
		t.Run(string(effect), func(t *testing.T) {
			servertest.Each(t, func(t *testing.T, cfg server.Config) {
				b := &blocking{began: make(chan string, 2)}
				cfg.Nodes, cfg.Drain = []*node.Type{node.New("letter", node.Options{Effect: effect}, b.run)}, 1
				first, stop := servertest.Start(t, cfg)
				id := runsLetter(t, first.Client())
				key := <-b.began
				stop() // which gives the job back, as if it had never begun

				second, _ := servertest.Start(t, cfg)
				if err := second.Wait(t.Context()); err != nil {
					t.Fatal(err)
				}
				x, err := client.Call[executed](t.Context(), second.Client(), "GET", "/records/agent_graph_executions/"+id, nil)
				if err != nil {
					t.Fatal(err)
				}
				switch {
				case x.Status != want:
					t.Errorf("it ended as %+v", x)
				case effect == node.Once && (b.runs.Load() != 1 || x.Error.Code != "interrupted" || x.Error.NodeID != "l"):
					t.Errorf("it ran %d times: %+v", b.runs.Load(), x.Error)
				case effect == node.Idempotent && (b.runs.Load() != 2 || <-b.began != key || string(x.Output["o"]) != `"Dear Bob"`):
					t.Errorf("it ran %d times, with %s", b.runs.Load(), x.Output)
				}
			})
		})
	}
}

// A program says by itself that nobody knows whether a node had its effect.
func TestANodeThatSaysItWasInterruptedIsNotTriedAgain(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		var runs atomic.Int64
		cfg.Nodes = []*node.Type{node.New("letter", node.Options{Effect: node.Idempotent}, func(context.Context, letter) (letter, error) {
			runs.Add(1)
			return letter{}, node.Interrupted(errors.New("the line is dead"))
		})}
		s, _ := servertest.Start(t, cfg)
		id := runsLetter(t, s.Client())
		if err := s.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		x, err := client.Call[executed](t.Context(), s.Client(), "GET", "/records/agent_graph_executions/"+id, nil)
		if err != nil || x.Status != "failed" || x.Error.Code != "interrupted" || runs.Load() != 1 {
			t.Errorf("it ended as %+v after %d runs: %v", x, runs.Load(), err)
		}
	})
}

func TestNodeTypesOfTheProgramThatMakeNoSenseAreRefused(t *testing.T) {
	fine := func(context.Context, letter) (letter, error) { return letter{}, nil }
	for name, types := range map[string][]*node.Type{
		"the id of another":      {node.New("map", node.Options{}, fine)},
		"no id":                  {node.New("", node.Options{}, fine)},
		"an effect that is none": {node.New("x", node.Options{Effect: "much"}, fine)},
		"nothing to run":         {{ID: "x"}},
		"a port of all other nodes": {node.New("x", node.Options{}, func(context.Context, struct{}) (struct {
			Done string `json:"done"`
		}, error,
		) {
			panic("")
		})},
		"a type of port that is none": {{ID: "x", Run: func(context.Context, *node.Turn) (map[string]any, error) { return nil, nil }, Inputs: []node.Port{{ID: "a", Type: "colour"}}}},
	} {
		s, err := server.New(t.Context(), server.Config{Nodes: types, Env: noKeys, Logger: quiet})
		if err == nil {
			s.Close()
			t.Errorf("%s: it was taken", name)
		} else if nestor.CodeOf(err) != nestor.CodeInvalid || !strings.Contains(err.Error(), "node type") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestInputsThatAreSignalsAreADefectOfTheProgram(t *testing.T) {
	defer func() {
		if said, _ := recover().(string); !strings.Contains(said, "is a signal") {
			t.Errorf("it panicked with %q", said)
		}
	}()
	type bad struct {
		Go node.Signal `json:"go"`
	}
	node.New("x", node.Options{}, func(context.Context, bad) (struct{}, error) { return struct{}{}, nil })
}
