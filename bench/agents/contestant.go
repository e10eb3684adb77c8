package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nestorhq/nestor/internal/launch"
)

// contestant is one of the two programs that are compared.
type contestant struct {
	*launch.Process
	name string
	// place of its database: a file or a URL; messages are its tables that
	// hold any.
	place    string
	messages []string
	// run starts agents and waits until all have ended.
	run func(ctx context.Context, agents, steps int, at manner) (outcome, error)
}

// outcome is when things happened, by the clock of the server.
type outcome struct {
	Elapsed time.Duration
	// FromChat is Elapsed and the time before it from when the chat was made. The floor
	// has no chats.
	FromChat time.Duration
	// Waited is how long the client of a single agent waited, from its first request to
	// the answer. Nestor's has the chat, the task, the agent and the report in it.
	Waited time.Duration
	// Ends are when the steps of each agent ended, from the start on. Nestor
	// is asked for those of a single agent only.
	Ends [][]time.Duration
}

// pair is both, with databases of their own on one engine.
type pair struct{ floor, nestor *contestant }

// open starts both and lets each run an agent. The floor gets its instructions
// and tools from Nestor's first request, so that both send the same.
func (b *bench) open(ctx context.Context, e *engine, part string) (*pair, error) {
	nestor, err := b.startNestor(ctx, e, part)
	if err != nil {
		return nil, err
	}
	p := &pair{nestor: nestor}
	if _, err := nestor.run(ctx, 1, 2, instant); err != nil {
		return nil, errors.Join(err, p.close())
	}
	if p.floor, err = b.startFloor(ctx, e); err != nil {
		return nil, errors.Join(err, p.close())
	}
	if _, err := p.floor.run(ctx, 1, 2, instant); err != nil {
		return nil, errors.Join(err, p.close())
	}
	return p, nil
}

func (p *pair) close() error {
	httpClient.CloseIdleConnections() // a server that stops waits for those that were never used
	err := p.nestor.Stop()
	if p.floor != nil {
		err = errors.Join(err, p.floor.Stop())
	}
	return err
}

// startFloor starts the floor, which is this program again.
func (b *bench) startFloor(ctx context.Context, e *engine) (*contestant, error) {
	system, tools, err := readOpening(b.model.URL)
	if err != nil {
		return nil, err
	}
	place, err := e.place("floor")
	if err != nil {
		return nil, err
	}
	p, err := start(ctx, nil, b.self, "floor", b.model.URL, place)
	if err != nil {
		return nil, err
	}
	c := &contestant{Process: p, name: "floor", place: place, messages: []string{"messages"}}
	c.run = func(ctx context.Context, agents, steps int, at manner) (out outcome, err error) {
		asked := time.Now()
		err = call(ctx, http.MethodPost, p.URL+"/run", order{
			Agents: agents, Instruction: instruction(steps, at), System: system, Tools: tools,
		}, &out)
		out.Waited = time.Since(asked)
		return out, err
	}
	return c, nil
}

// startNestor starts the real binary or, to profile it, this program with Nestor
// inside.
func (b *bench) startNestor(ctx context.Context, e *engine, part string) (*contestant, error) {
	place, err := e.place("nestor")
	if err != nil {
		return nil, err
	}
	data, err := os.MkdirTemp(b.dir, "data")
	if err != nil {
		return nil, err
	}
	db := place
	if e.url == "" {
		db, place = "", filepath.Join(data, "nestor.db")
	}
	p, err := b.startNode(ctx, data, db, e.name+"-"+part)
	if err != nil {
		return nil, err
	}
	return &contestant{
		Process: p, name: "Nestor", place: place, messages: []string{"messages", "sub_agent_messages"}, run: client{p.URL}.run,
	}, nil
}

// startNode starts Nestor on a folder and a database.
func (b *bench) startNode(ctx context.Context, data, db, profile string) (*launch.Process, error) {
	roles := filepath.Join(b.dir, "agents.json")
	program, args := b.nestor, []string{"serve", "--data", data, "--db", db, "--agents", roles, "--addr", "127.0.0.1:0", "--log-level", "error"}
	if b.budget > 0 {
		args = append(args, "--user-tokens", strconv.FormatInt(b.budget, 10))
	}
	if b.profiles != "" {
		program, args = b.self, []string{"nestor", data, db, roles, filepath.Join(b.profiles, profile)}
	}
	return start(ctx, []string{
		"NESTOR_TOKEN=" + token, "NESTOR_MODEL=openai:" + modelName, "OPENAI_BASE_URL=" + b.model.URL + "/v1",
	}, program, args...)
}

// token is what the servers take for a secret. They listen on this machine and
// hold nothing.
const token = "benchmark-benchmark-benchmark"

var httpClient = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}

// call makes a request in JSON and reads the answer.
func call(ctx context.Context, method, url string, in, out any) error {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := httpClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode > 299 {
		return fmt.Errorf("%s %s: %s: %s", method, url, res.Status, answer)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer, out)
}
