// Toolworker is an external tool runner: a program of your own that carries out
// the tool calls of agents in place of Nestor's. One line in triggers.json puts
// it there:
//
//	{
//	  "extend": true,
//	  "triggers": [
//	    {"id": "on-sub-agent-tool", "action": "http://127.0.0.1:9090/tool-call", "secret": "${TOOLWORKER_SECRET}"}
//	  ]
//	}
//
// Run it beside the server:
//
//	export TOOLWORKER_SECRET=whsec_$(head -c 24 /dev/urandom | base64)
//	go run ./examples/toolworker -nestor http://127.0.0.1:8787 &
//	nestor serve --triggers triggers.json --allow-private
//
// A delivery may come more than once. That does no harm here: the result is
// written to a document whose id derives from the call, so the second time
// writes the same.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/nestorhq/nestor"
)

func main() {
	server := flag.String("nestor", "http://127.0.0.1:8787", "address of the server")
	addr := flag.String("addr", "127.0.0.1:9090", "address to listen on")
	flag.Parse()
	worker, err := New(*server, os.Getenv("TOOLWORKER_SECRET"), Tools)
	if err != nil {
		log.Fatal(err)
	}
	log.Printf("waiting for tool calls on http://%s/tool-call", *addr)
	log.Fatal(http.ListenAndServe(*addr, worker))
}

// Tools are what this worker can do. Put your own here, under the names by
// which agents call them.
var Tools = map[string]Tool{
	"calculator": func(_ context.Context, args json.RawMessage) (string, error) {
		var in struct {
			Expression string `json:"expression"`
		}
		if err := json.Unmarshal(args, &in); err != nil {
			return "", err
		}
		return "You asked for " + in.Expression + ". I would rather not say.", nil
	},
}

// Tool carries out one call.
type Tool func(ctx context.Context, args json.RawMessage) (string, error)

// Worker receives tool calls as webhooks and writes their results back.
type Worker struct {
	server string
	verify *standardwebhooks.Webhook
	tools  map[string]Tool
}

// New makes a worker that trusts deliveries signed with the secret.
func New(server, secret string, tools map[string]Tool) (*Worker, error) {
	verify, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return nil, fmt.Errorf("TOOLWORKER_SECRET: %w", err)
	}
	return &Worker{server, verify, tools}, nil
}

// delivery is what Nestor sends.
type delivery struct {
	Path  nestor.Path     `json:"path"`
	After nestor.ToolCall `json:"after"`
	// Token lets us write back as the user whose call it is, for an hour.
	Token string `json:"token"`
}

func (w *Worker) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, 1<<20))
	if err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	if err := w.verify.Verify(body, r.Header); err != nil {
		http.Error(rw, "this does not come from Nestor", http.StatusUnauthorized)
		return
	}
	var d delivery
	if err := json.Unmarshal(body, &d); err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	if err := w.handle(r.Context(), d); err != nil {
		http.Error(rw, err.Error(), http.StatusBadGateway) // Nestor tries again
		return
	}
}

// handle runs the call and writes two documents: the outcome of the call, then
// the message that tells the model and so sets the agent going.
func (w *Worker) handle(ctx context.Context, d delivery) error {
	call := d.After
	content, err := w.run(ctx, call)
	failed := err != nil
	outcome := map[string]any{"status": nestor.ToolCallSuccess, "result": content}
	if err != nil {
		content = err.Error()
		outcome = map[string]any{"status": nestor.ToolCallFailed, "error": err.Error()}
	}
	if err := w.write(ctx, http.MethodPatch, d.Path, d.Token, outcome); err != nil {
		return err
	}
	message := d.Path.Parent().Child("messages", nestor.DeriveID("answer", call.ID))
	return w.write(ctx, http.MethodPut, message, d.Token, nestor.SubAgentMessage{
		Role: nestor.RoleTool, Content: content, IsError: &failed, ToolCallID: call.ID, Name: call.ToolName,
	})
}

func (w *Worker) run(ctx context.Context, call nestor.ToolCall) (string, error) {
	tool, ok := w.tools[call.ToolName]
	if !ok {
		return "", errors.New("this worker has no tool " + call.ToolName)
	}
	return tool(ctx, call.Args)
}

func (w *Worker) write(ctx context.Context, method string, p nestor.Path, token string, body any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, w.server+"/api/v1/docs/"+string(p), bytes.NewReader(data))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 4096))
		return fmt.Errorf("%s %s: %s: %s", method, p, resp.Status, text)
	}
	return nil
}
