package agui

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/door/turn"
	"github.com/nestorhq/nestor/internal/file"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/sse"
)

// name is that of the door, and part of what the ids of its threads derive from: never
// change it.
const name = "agui"

// maxBody is how many bytes a request has at most: clients send the whole conversation,
// with its files.
const maxBody = 32 << 20

// Options configure the door.
type Options struct {
	// Runs are the runs of the server, once it is put together.
	Runs func() *runs.Runs
}

// Door answers in AG-UI.
type Door struct {
	runs  func() *runs.Runs
	files *file.Library
}

// Module is the door as a module.
func Module(opts Options) module.Of[*Door] {
	return module.Of[*Door]{
		Name: name,
		Doors: []module.Door[*Door]{
			{Door: httpapi.Door{Pattern: "POST /agui/{participant}", Fail: fail, MaxBody: maxBody}, Serve: (*Door).run},
		},
		Open: func(_ context.Context, host module.Host) (*Door, error) {
			return &Door{runs: opts.Runs, files: host.Files}, nil
		},
	}
}

// fail tells of a request that was refused. The protocol leaves the form of that open;
// the client passes the body on.
func fail(w http.ResponseWriter, _ *http.Request, why httpapi.Refused) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(why.Status)
	body := map[string]any{"error": why.ErrorText}
	_ = json.NewEncoder(w).Encode(body) // whoever does not read it is gone
}

// run answers a RunAgentInput.
func (d *Door) run(req *httpapi.Request, w http.ResponseWriter) error {
	participant, err := turn.Participant(req)
	if err != nil {
		return err
	}
	var in input
	if err := req.DecodeLoosely(&in); err != nil {
		return err
	}
	if err := in.check(); err != nil {
		return err
	}
	thread, err := turn.Open(req, d.files, name, participant, in.ThreadID)
	if err != nil {
		return err
	}
	ctx, out, done, err := req.OpenStream(w)
	if err != nil {
		return err
	}
	defer done()
	legs, err := in.act(req, thread)
	if err != nil {
		return err
	}
	t := &teller{in: &in, thread: thread, get: req.Get, out: out}
	t.send(&event{Type: runStarted, ThreadID: in.ThreadID, RunID: in.RunID, ProtocolVersion: protocolVersion})
	if err := out.Flush(); err != nil {
		return nil // the client is gone
	}
	t.end(d.follow(ctx, t, legs))
	_ = out.Flush() // the same
	out.Close()
	return nil
}

// follow tells the client of the runs. Without one it is told how the thread stands.
func (d *Door) follow(ctx context.Context, t *teller, legs []turn.Leg) (*turn.End, error) {
	if len(legs) == 0 {
		return &turn.End{Run: nestor.Run{Status: nestor.RunSuccess}}, t.begin("")
	}
	if err := t.begin(legs[0].Run.ID()); err != nil {
		return nil, err
	}
	return t.thread.Follow(ctx, d.runs(), legs, t.tell)
}

// put adds an event to a stream.
func put(out *sse.Writer, e any) {
	text, err := json.Marshal(e)
	if err != nil {
		panic(err) // only values that have a JSON form are sent
	}
	out.Put("data: ")
	out.Put(string(text))
	out.Put("\n\n")
}
