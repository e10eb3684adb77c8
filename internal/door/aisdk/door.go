package aisdk

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/door/turn"
	"github.com/nestorhq/nestor/internal/file"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/module"
)

// name is that of the door, and part of what the ids of its threads derive from: never
// change it.
const name = "aisdk"

// Options configure the door.
type Options struct {
	// Runs are the runs of the server, once it is put together.
	Runs func() *runs.Runs
}

// Door answers in the UI message stream protocol.
type Door struct {
	runs  func() *runs.Runs
	files *file.Library
}

// Module is the door as a module.
func Module(opts Options) module.Of[*Door] {
	const chat, maxBody = "/aisdk/{participant}", 32 << 20 // clients send the whole conversation, with its files
	return module.Of[*Door]{
		Name: name,
		Doors: []module.Door[*Door]{
			{Door: httpapi.Door{Pattern: "POST " + chat, Fail: fail, MaxBody: maxBody}, Serve: (*Door).send},
			{Door: httpapi.Door{Pattern: "GET " + chat + "/{id}/stream", Fail: fail}, Serve: (*Door).resume},
			{Door: httpapi.Door{Pattern: "GET " + chat + "/{id}/messages", Fail: fail}, Serve: (*Door).messages},
		},
		Open: func(_ context.Context, host module.Host) (*Door, error) {
			return &Door{runs: opts.Runs, files: host.Files}, nil
		},
	}
}

// fail tells of a request that was refused: the client shows the body to people.
func fail(w http.ResponseWriter, _ *http.Request, why httpapi.Refused) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(why.Status)
	_, _ = io.WriteString(w, why.Message) // whoever does not read it is gone
}

// send answers what useChat sends.
func (d *Door) send(req *httpapi.Request, w http.ResponseWriter) error {
	participant, err := turn.Participant(req)
	if err != nil {
		return err
	}
	var in request
	if err := req.DecodeLoosely(&in); err != nil {
		return err
	}
	thread, err := turn.Open(req, d.files, name, participant, in.ID)
	if err != nil {
		return err
	}
	return d.stream(req, w, thread, func() (turn.Leg, error) { return in.act(req, thread) })
}

// recent is for how long a run that ended is told again: its client may have lost the
// stream and comes back.
const recent = time.Minute

// resume tells a client that comes back of the run that is under way, from its begin.
func (d *Door) resume(req *httpapi.Request, w http.ResponseWriter) error {
	thread, err := d.named(req)
	if err != nil {
		return err
	}
	latest, err := thread.Latest()
	if err != nil {
		return err
	}
	if !underWay(latest, time.Now()) {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	return d.stream(req, w, thread, func() (turn.Leg, error) { return turn.Leg{Run: thread.RunAt(latest.ID)}, nil })
}

// underWay reports whether a client that comes back has something to hear.
func underWay(run *nestor.Run, now time.Time) bool {
	return run != nil && (!run.Status.Ended() || nestor.Millis(now)-run.EndedAt < recent.Milliseconds())
}

// named is the thread that the path names.
func (d *Door) named(req *httpapi.Request) (*turn.Thread, error) {
	participant, err := turn.Participant(req)
	if err != nil {
		return nil, err
	}
	return turn.Open(req, d.files, name, participant, req.PathValue("id"))
}

// stream answers with what happens in the run that act begins or finds.
func (d *Door) stream(req *httpapi.Request, w http.ResponseWriter, thread *turn.Thread, act func() (turn.Leg, error)) error {
	ctx, out, done, err := req.OpenStream(w)
	if err != nil {
		return err
	}
	defer done()
	leg, err := act()
	if err != nil {
		return err
	}
	w.Header().Set("X-Vercel-Ai-Ui-Message-Stream", "v1")
	t := newTeller(leg, thread, req.Get, out)
	t.send(&chunk{Type: "start", MessageID: answerID(leg.Run.ID()), MessageMetadata: metadata{RunID: leg.Run.ID(), ChatID: thread.Chat.ID()}})
	if out.Flush() != nil {
		return nil // the client is gone
	}
	t.end(thread.Follow(ctx, d.runs(), []turn.Leg{leg}, t.tell))
	out.Put("data: [DONE]\n\n")
	_ = out.Flush() // the same
	out.Close()
	return nil
}

// messages are those of a thread, for a page that is loaded anew.
func (d *Door) messages(req *httpapi.Request, w http.ResponseWriter) error {
	thread, err := d.named(req)
	if err != nil {
		return err
	}
	all, err := thread.Messages("")
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(history(all))
}
