package openai

import (
	"context"
	"net/http"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/file"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
)

// Options configure the door.
type Options struct {
	// Runs are those of the server, once it is put together.
	Runs func() *runs.Runs
}

// Door answers in OpenAI's protocol.
type Door struct {
	runs  func() *runs.Runs
	files *file.Library
	// beat is how often a client is sent something while nothing happens.
	beat time.Duration
}

// beat is below the time after which proxies give up a connection.
const beat = 15 * time.Second

// maxBody is how many bytes a request has at most. Clients send whole conversations.
const maxBody = 32 << 20

// turnsKept is how long a conversation that nobody continued is known by what was said.
const turnsKept = 30 * 24 * time.Hour

// Module is the door.
func Module(opts Options) module.Of[*Door] {
	return module.Of[*Door]{
		Name:        "door-openai",
		Collections: []*store.Collection{Responses, Turns, Attempts},
		Keep:        map[string]time.Duration{Turns.Name: turnsKept, Attempts.Name: attemptsKept},
		Doors: []module.Door[*Door]{
			door("GET /v1/models", (*Door).listModels),
			door("GET /v1/models/{id}", (*Door).getModel),
			door("POST /v1/chat/completions", (*Door).postCompletion),
			door("POST /v1/responses", (*Door).postResponse),
			door("GET /v1/responses/{id}", (*Door).getResponse),
			door("DELETE /v1/responses/{id}", (*Door).deleteResponse),
			door("POST /v1/responses/{id}/cancel", (*Door).cancelResponse),
			door("/v1/", (*Door).unknown),
		},
		Open: func(_ context.Context, host module.Host) (*Door, error) {
			return &Door{runs: opts.Runs, files: host.Files, beat: beat}, nil
		},
	}
}

func door(pattern string, serve func(*Door, *httpapi.Request, http.ResponseWriter) error) module.Door[*Door] {
	return module.Door[*Door]{Door: httpapi.Door{Pattern: pattern, MaxBody: maxBody, Fail: fail}, Serve: serve}
}

// unknown answers calls of OpenAI's API that are not here, as OpenAI answers those that
// it does not have.
func (*Door) unknown(req *httpapi.Request, _ http.ResponseWriter) error {
	return nestor.Errorf(nestor.CodeNotFound, "%s %.200s is not here; docs/doors tells what is", req.Method, req.URL.Path).With("code", "unknown_url")
}
