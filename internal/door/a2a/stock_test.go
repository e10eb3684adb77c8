package a2a_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/nodetest"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/model"
	"github.com/nestorhq/nestor/server"
	"github.com/nestorhq/nestor/tool"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// listening is the configuration of a server with the demo model, a tool that needs
// approval, and an address.
func listening(cfg server.Config) server.Config {
	type payment struct {
		Cents int `json:"cents" jsonschema:"how much to pay"`
	}
	cfg.AllowPrivate = true // the hooks of clients are on this machine
	cfg.Addr, cfg.Model = "127.0.0.1:0", demo.New(demo.Options{Instant: true})
	cfg.Models = map[string]model.Model{"seeing": echo{}}
	cfg.Tools = append(cfg.Tools, tool.New("pay", tool.Options{Description: "Pays.", Effect: tool.Once, NeedsApproval: true},
		func(_ context.Context, in payment) (string, error) {
			return fmt.Sprintf("%d cents were paid", in.Cents), nil
		}))
	return cfg
}

// echo is a model that says what it was told last.
type echo struct{}

func (echo) Name() string { return "echo" }

func (echo) Generate(_ context.Context, r *model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		var told strings.Builder
		for _, part := range r.Messages[len(r.Messages)-1].Parts {
			if text, ok := part.(model.Text); ok {
				told.WriteString(text.Text)
			}
		}
		_ = yield(model.Text{Text: told.String()}, nil) && yield(model.Finish{Reason: model.Stop}, nil)
	}
}

// stock is the folder of the stock client.
const stock = "testdata"

// The stock client of the protocol does all that it can do, on both engines.
func TestTheStockClientWorks(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := servertest.Enter(t, listening(cfg))
		ann := p.SignIn("ann")
		said := nodetest.RunScript(t, stock, []string{
			"NESTOR_URL=" + p.URL(), "NESTOR_KEY=" + ann.WithKey("write").Token, "NESTOR_READ_KEY=" + ann.WithKey("read").Token,
			"NESTOR_OTHER_KEY=" + p.SignIn("bob").WithKey("write").Token,
		}, "client.mjs")
		if !strings.Contains(said, "10 scenarios") {
			t.Errorf("the client says %s", said)
		}
	})
}
