package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// An order, then two requests at once, what came of both put together, and a last
// request. Those that a kill interrupts may be repeated; the order may not.
const deliveryGraph = `{"id": "delivery", "name": "Delivery",
	"nodes": [
		{"id": "start", "nodeId": "on-start"},
		{"id": "order", "nodeId": "http-request", "parameters": {"method": "POST", "url": "WORLD/order"}},
		{"id": "left", "nodeId": "http-request", "parameters": {"url": "WORLD/left"}},
		{"id": "right", "nodeId": "http-request", "parameters": {"method": "PUT", "url": "WORLD/right"}},
		{"id": "both", "nodeId": "join", "parameters": {"separator": "+"}},
		{"id": "last", "nodeId": "http-request", "parameters": {"method": "PUT", "url": "WORLD/last"}},
		{"id": "out", "nodeId": "output", "parameters": {"name": "said"}}
	],
	"edges": [
		{"sourceNodeId": "start", "sourcePortId": "signal", "targetNodeId": "order", "targetPortId": "run"},
		{"sourceNodeId": "order", "sourcePortId": "done", "targetNodeId": "left", "targetPortId": "run"},
		{"sourceNodeId": "order", "sourcePortId": "done", "targetNodeId": "right", "targetPortId": "run"},
		{"sourceNodeId": "left", "sourcePortId": "body", "targetNodeId": "both", "targetPortId": "a"},
		{"sourceNodeId": "right", "sourcePortId": "body", "targetNodeId": "both", "targetPortId": "b"},
		{"sourceNodeId": "left", "sourcePortId": "done", "targetNodeId": "both", "targetPortId": "run"},
		{"sourceNodeId": "right", "sourcePortId": "done", "targetNodeId": "both", "targetPortId": "run"},
		{"sourceNodeId": "both", "sourcePortId": "done", "targetNodeId": "last", "targetPortId": "run"},
		{"sourceNodeId": "both", "sourcePortId": "text", "targetNodeId": "last", "targetPortId": "body"},
		{"sourceNodeId": "last", "sourcePortId": "done", "targetNodeId": "out", "targetPortId": "run"},
		{"sourceNodeId": "last", "sourcePortId": "body", "targetNodeId": "out", "targetPortId": "value"}
	]}`

// What a follower of an execution hears, cut where the server is killed.
var (
	beforeTheFirstKill = []string{
		"execution_began", "node_began start", "node_completed start", "node_began order", "node_completed order",
		"node_began left", "node_began right", "node_completed left",
	}
	whileNobodyFollows = []string{"node_completed right", "node_began both", "node_completed both", "node_began last"}
	afterTheSecondKill = []string{"node_completed last", "node_began out", "node_completed out", "execution_completed"}
)

// The server is killed twice while nodes run. Once something happens before the
// follower is back, once nothing does.
func TestWhoFollowsAnExecutionHearsEachEventOnceThoughTheServerIsKilled(t *testing.T) {
	onEachEngine(t, func(t *testing.T, env []string) {
		ctx, cancel := context.WithTimeout(t.Context(), stayLimit)
		defer cancel()
		d := newDelivery(t, ctx, env)
		order, left, right := d.hold("/order"), d.hold("/left"), d.hold("/right")
		f := d.begins()
		d.wait(ctx, order)
		f.comes()
		f.hears(beforeTheFirstKill[:4]...)
		close(order.over)
		d.wait(ctx, left)
		d.wait(ctx, right)
		close(left.over)
		f.hears(beforeTheFirstKill[4:]...)

		right, last := d.hold("/right"), d.hold("/last")
		d.kill()
		f.isCut()
		d.serves()
		d.wait(ctx, right)
		close(right.over)
		d.wait(ctx, last)
		f.comes()
		f.hears(whileNobodyFollows...)

		last = d.hold("/last")
		d.kill()
		f.isCut()
		d.serves()
		d.wait(ctx, last)
		f.comes()
		close(last.over)
		f.hears(afterTheSecondKill...)
		f.isOver()

		d.check(f.execution)
		// Who comes only now hears the same, turn by turn.
		late := &follower{delivery: d, execution: f.execution}
		late.comes()
		late.hears("execution_began")
		for _, node := range []string{"start", "order", "left", "right", "both", "last", "out"} {
			late.hears("node_began "+node, "node_completed "+node)
		}
		late.hears("execution_completed")
		late.isOver()
	})
}

// delivery is a server with the graph, and the service that its nodes ask.
type delivery struct {
	*moments
	ctx     context.Context
	program *program
	server  *os.Process
	base    string

	lock sync.Mutex
	keys map[string][]string // that requests to a path had, which are the same if one is repeated
}

func newDelivery(t *testing.T, ctx context.Context, env []string) *delivery {
	d := &delivery{moments: newMoments(t), ctx: ctx, keys: map[string][]string{}}
	world := httptest.NewServer(d)
	t.Cleanup(world.Close)
	d.program = newProgram(t, append([]string{"NESTOR_TOKEN=" + guestToken, "NESTOR_LEASE=10s", "NESTOR_ALLOW_PRIVATE=true"}, env...)...)
	d.serves()
	d.sends(http.StatusCreated, "POST", "/agent_graphs", strings.ReplaceAll(deliveryGraph, "WORLD", world.URL), nil)
	return d
}

// ServeHTTP answers with what it was asked.
func (d *delivery) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the server was killed while it sent this
	}
	d.lock.Lock()
	d.keys[r.URL.Path] = append(d.keys[r.URL.Path], r.Header.Get("Idempotency-Key"))
	d.lock.Unlock()
	d.arrive(r, r.URL.Path)
	_, _ = fmt.Fprintf(w, "%s(%s)", strings.TrimPrefix(r.URL.Path, "/"), body) // the server may be gone
}

func (d *delivery) serves() {
	d.Helper()
	var flags []string
	if d.base != "" {
		flags = []string{"--addr", strings.TrimPrefix(d.base, "http://")}
	}
	link, process := d.program.serve(flags...)
	d.base, _, _ = strings.Cut(link, "/?")
	d.server = process
}

// kill ends the server as kill -9 does.
func (d *delivery) kill() {
	d.Helper()
	if err := d.server.Kill(); err != nil {
		d.Fatal(err)
	}
	if _, err := d.server.Wait(); err != nil {
		d.Fatal(err)
	}
}

// opens sends a request whose answer is left to be read.
func (d *delivery) opens(method, path, body, after string) *http.Response {
	d.Helper()
	r, err := http.NewRequestWithContext(d.ctx, method, d.base+"/api/v1/records"+path, strings.NewReader(body))
	if err != nil {
		d.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+guestToken)
	if after != "" {
		r.Header.Set("Last-Event-ID", after)
	}
	r.Close = true // a connection to a server that is killed is of no use to the next
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		d.Fatal(err)
	}
	return res
}

func (d *delivery) sends(status int, method, path, body string, into any) {
	d.Helper()
	res := d.opens(method, path, body, "")
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != status {
		d.Fatalf("%s %s: %d %s %v", method, path, res.StatusCode, text, err)
	}
	if into != nil {
		if err := json.Unmarshal(text, into); err != nil {
			d.Fatal(err)
		}
	}
}

func (d *delivery) begins() *follower {
	d.Helper()
	var begun struct{ ID string }
	d.sends(http.StatusAccepted, "POST", "/agent_graphs/delivery/executions", `{"input": {}}`, &begun)
	return &follower{delivery: d, execution: begun.ID}
}

// check says what must hold after the execution: only what the kills interrupted was
// asked again, with the same key.
func (d *delivery) check(execution string) {
	d.Helper()
	var x struct {
		Status string
		Output map[string]string
	}
	d.sends(http.StatusOK, "GET", "/agent_graph_executions/"+execution, "", &x)
	if want := "last(left()+right())"; x.Status != "completed" || x.Output["said"] != want {
		d.Errorf("the execution is %s with %v, want %s", x.Status, x.Output, want)
	}
	want := map[string]int{"/order": 1, "/left": 1, "/right": 2, "/last": 2}
	if got := d.counts(); !maps.Equal(got, want) {
		d.Errorf("asked for %v, want %v", got, want)
	}
	d.lock.Lock()
	defer d.lock.Unlock()
	for path, keys := range d.keys {
		if keys[0] == "" || len(slices.Compact(slices.Clone(keys))) != 1 {
			d.Errorf("the requests to %s have the keys %q, want one", path, keys)
		}
	}
}

// follower hears the events of an execution, and goes on after the last one that it heard.
type follower struct {
	*delivery
	execution string
	lastID    string
	stream    io.Closer
	lines     *bufio.Reader
}

// comes opens the stream, where the follower was if it was there before.
func (f *follower) comes() {
	f.Helper()
	res := f.opens("GET", "/agent_graph_executions/"+f.execution+"/events", "", f.lastID)
	if res.StatusCode != http.StatusOK {
		f.Fatalf("the stream: %s", res.Status)
	}
	f.stream, f.lines = res.Body, bufio.NewReader(res.Body)
}

// hears reads exactly these events.
func (f *follower) hears(want ...string) {
	f.Helper()
	for i, w := range want {
		got, err := f.next()
		if got != w || err != nil {
			f.Fatalf("heard %q (%v) after %q, want %q", got, err, want[:i], w)
		}
	}
}

// isCut reads what is left of the stream of a server that was killed: nothing.
func (f *follower) isCut() {
	f.Helper()
	if got, err := f.next(); got != "" || err == nil {
		f.Fatalf("heard %q (%v) before the stream broke", got, err)
	}
	_ = f.stream.Close() // it is broken
}

// isOver reads the end of the stream, after the last event.
func (f *follower) isOver() {
	f.Helper()
	if got, err := f.next(); got != "" || err != io.EOF {
		f.Fatalf("heard %q (%v) after the end", got, err)
	}
	_ = f.stream.Close() // it was read
}

// next is the next event with its node. What has no end when a stream breaks is none.
func (f *follower) next() (told string, err error) {
	var name, data, id string
	for {
		line, err := f.lines.ReadString('\n')
		if err != nil {
			return "", err
		}
		if line != "\n" {
			switch field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); field {
			case "event":
				name = value
			case "data":
				data += value
			case "id":
				id = value
			}
			continue
		}
		if id != "" {
			f.lastID = id
		}
		if data != "" {
			return named(name, data)
		}
		name, id = "", ""
	}
}

// named names an event, and its node if it is about one.
func named(name, data string) (string, error) {
	var of struct{ NodeID string }
	err := json.Unmarshal([]byte(data), &of)
	if strings.HasPrefix(name, "node_") {
		name += " " + of.NodeID
	}
	return name, err
}
