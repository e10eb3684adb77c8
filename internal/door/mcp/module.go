package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
)

// Path is where the door is.
const Path = "/mcp"

// Options configure the door.
type Options struct {
	// Runs are asked for when requests come.
	Runs func() *runs.Runs
	// instead makes the server of a session that offers something else, for tests of the
	// transport. Defaults to none.
	instead func() *sdk.Server
}

// Door speaks the protocol.
type Door struct {
	opts    Options
	store   store.Store
	feed    *feed.Feed
	log     *slog.Logger
	handler http.Handler
	// unbound is the server of requests that come with a session: the session has its own.
	unbound *sdk.Server

	mu       sync.Mutex
	sessions map[*session]bool
	stopped  bool
	ended    sync.WaitGroup
}

// Module is the door.
func Module(opts Options) module.Of[*Door] {
	return module.Of[*Door]{
		Name: "mcp",
		Open: func(_ context.Context, host module.Host) (*Door, error) { return open(opts, host), nil },
		Doors: []module.Door[*Door]{{
			Door:  httpapi.Door{Pattern: Path, MaxBody: maxBody, Fail: fail},
			Serve: (*Door).serve,
		}},
		Commands: []module.Command{command},
		Run:      (*Door).run,
	}
}

// maxBody is how many bytes a request has at most: a message of the largest size that a
// chat takes, and what the protocol adds.
const maxBody = 4 << 20

func open(opts Options, host module.Host) *Door {
	d := &Door{opts: opts, store: host.Store, feed: host.Feed, log: host.Logger, sessions: map[*session]bool{}}
	d.unbound = d.newServer(nil)
	d.handler = d.newHandler()
	return d
}

// run ends all sessions when the server stops.
func (d *Door) run(ctx context.Context) error {
	<-ctx.Done()
	d.mu.Lock()
	d.stopped = true
	var all []*session
	for s := range d.sessions {
		all = append(all, s)
	}
	d.mu.Unlock()
	for _, s := range all {
		s.close()
	}
	d.ended.Wait()
	return nil
}

// fail tells of a failure as an error of JSON-RPC that belongs to no request, as the
// protocol lets servers do for requests that they cannot take.
func fail(w http.ResponseWriter, _ *http.Request, refused httpapi.Refused) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(refused.Status)
	_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": nil, "error": map[string]any{
		"code": refusedCode, "message": refused.Message, "data": map[string]any{"code": refused.Code, "details": refused.Details},
	}})
}

// refusedCode is the code of JSON-RPC for errors of the server's own.
const refusedCode = -32000
