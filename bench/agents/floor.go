package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/tool/calc"
)

// The floor: a bare HTTP server that runs the loop of an agent and nothing
// else. A goroutine per agent keeps the conversation in memory, sends all of it
// to the model, reads the streamed reply, runs the tool and commits the least that
// a loop needs in order to go on after a crash, in one transaction a step: what the
// model said and the result of the tool. No agents, calls, jobs, log or triggers.
type floor struct {
	model string // URL
	rows  rows
	http  *http.Client
}

// rows is a database that makes a step durable.
type rows interface {
	commit(ctx context.Context, step []row) error
	close() error
}

// row is a message, as JSON.
type row struct {
	agent, id string
	body      []byte
}

// order asks the floor to run agents.
type order struct {
	Agents      int             `json:"agents"`
	Instruction string          `json:"instruction"`
	System      string          `json:"system"`
	Tools       json.RawMessage `json:"tools"`
}

func newFloor(model string, r rows) http.Handler {
	f := &floor{model: model, rows: r, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 4096}}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /run", f.run)
	return mux
}

// run answers when all agents have ended.
func (f *floor) run(w http.ResponseWriter, r *http.Request) {
	var o order
	if err := json.NewDecoder(r.Body).Decode(&o); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	result := outcome{Ends: make([][]time.Duration, o.Agents)}
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	began := time.Now()
	var agents sync.WaitGroup
	for i := range o.Agents {
		agents.Go(func() {
			var err error
			if result.Ends[i], err = f.agent(ctx, &o, began); err != nil {
				cancel(err)
			}
		})
	}
	agents.Wait()
	result.Elapsed = time.Since(began)
	if err := context.Cause(ctx); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if err := json.NewEncoder(w).Encode(result); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// agent works until the model gives its final answer. It returns when each step
// ended.
func (f *floor) agent(ctx context.Context, o *order, began time.Time) (ends []time.Duration, err error) {
	id, seen := nestor.NewID(), nestor.NewID()
	talk := []message{{Role: "system", Content: o.System}, {Role: "user", Content: o.Instruction}}
	err = f.rows.commit(ctx, []row{
		encode(id, nestor.NewID(), nestor.SubAgentMessage{Role: nestor.RoleSystem, Content: o.System}),
		encode(id, seen, nestor.SubAgentMessage{Role: nestor.RoleUser, Content: o.Instruction}),
	})
	if err != nil {
		return nil, err
	}
	for {
		asked := time.Now()
		r, err := f.ask(ctx, talk, o.Tools)
		if err != nil {
			return nil, err
		}
		took := time.Since(asked)
		said := nestor.SubAgentMessage{
			Role: nestor.RoleAssistant, Content: r.text, RepliesTo: seen, ToolCalls: []nestor.ToolRequest{r.call},
			Metadata: &nestor.MessageMetadata{Model: modelName, Usage: &r.usage, DurationMS: took.Milliseconds(), FinishReason: "tool_calls"},
		}
		saidID, callID := nestor.NewID(), nestor.NewID()
		said.ToolCalls[0].ID = callID
		if r.call.Function.Name == "final_answer" {
			return ends, f.rows.commit(ctx, []row{encode(id, saidID, said)})
		}
		value, err := calculate(r.call.Function.Arguments)
		if err != nil {
			return nil, err
		}
		seen = nestor.NewID()
		err = f.rows.commit(ctx, []row{
			encode(id, saidID, said),
			encode(id, seen, nestor.SubAgentMessage{Role: nestor.RoleTool, Content: value, ToolCallID: callID, Name: r.call.Function.Name}),
		})
		if err != nil {
			return nil, err
		}
		ends = append(ends, time.Since(began))
		talk = append(talk,
			message{Role: "assistant", Content: r.text, ToolCalls: said.ToolCalls},
			message{Role: "tool", Content: value, ToolCallID: callID})
	}
}

func calculate(arguments string) (string, error) {
	var in struct {
		Expression string `json:"expression"`
	}
	if err := json.Unmarshal([]byte(arguments), &in); err != nil {
		return "", err
	}
	return calc.Eval(in.Expression)
}

func encode(agent, id string, m nestor.SubAgentMessage) row {
	body, err := json.Marshal(m)
	if err != nil {
		panic(err) // messages always encode
	}
	return row{agent, id, body}
}

// message is one turn on the wire.
type message struct {
	Role       string               `json:"role"`
	Content    string               `json:"content,omitempty"`
	ToolCalls  []nestor.ToolRequest `json:"tool_calls,omitempty"`
	ToolCallID string               `json:"tool_call_id,omitempty"`
}

// reply is what the model said, with its only call.
type reply struct {
	text  string
	call  nestor.ToolRequest
	usage nestor.Usage
}

// ask sends a conversation to the model and reads what it streams.
func (f *floor) ask(ctx context.Context, talk []message, tools json.RawMessage) (*reply, error) {
	body, err := json.Marshal(map[string]any{
		"model": modelName, "messages": talk, "tools": tools, "stream": true,
		"stream_options": map[string]any{"include_usage": true},
	})
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.model+"/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := f.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the model answered %s", res.Status)
	}
	return readStream(res)
}

func readStream(res *http.Response) (*reply, error) {
	r := &reply{call: nestor.ToolRequest{Type: "function"}}
	var text, arguments strings.Builder
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data: "))
		if !ok || string(data) == "[DONE]" {
			continue
		}
		var chunk struct {
			Choices []struct {
				Delta message `json:"delta"`
			} `json:"choices"`
			Usage *struct {
				Input  int64 `json:"prompt_tokens"`
				Output int64 `json:"completion_tokens"`
			} `json:"usage"`
		}
		if err := json.Unmarshal(data, &chunk); err != nil {
			return nil, err
		}
		if u := chunk.Usage; u != nil {
			r.usage = nestor.Usage{InputTokens: u.Input, OutputTokens: u.Output}
		}
		for _, choice := range chunk.Choices {
			text.WriteString(choice.Delta.Content)
			for _, call := range choice.Delta.ToolCalls {
				r.call.Function.Name = cmp.Or(call.Function.Name, r.call.Function.Name)
				arguments.WriteString(call.Function.Arguments)
			}
		}
	}
	r.text, r.call.Function.Arguments = text.String(), arguments.String()
	return r, lines.Err()
}
