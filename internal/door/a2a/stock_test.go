package a2a_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/testmain"
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
	cfg.Tools = append(cfg.Tools, tool.New("pay", tool.Options{Description: "Pays.", Effect: tool.Once, NeedsApproval: true},
		func(_ context.Context, in payment) (string, error) {
			return fmt.Sprintf("%d cents were paid", in.Cents), nil
		}))
	return cfg
}

// The stock client of the protocol does all that it can do, on both engines.
func TestTheStockClientWorks(t *testing.T) {
	install(t, stock)
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := servertest.Enter(t, listening(cfg))
		said := run(t, stock, []string{
			"NESTOR_URL=" + p.URL(), "NESTOR_KEY=" + p.SignIn("ann").WithKey("write").Token, "NESTOR_OTHER_KEY=" + p.SignIn("bob").WithKey("write").Token,
		}, "node", "client.mjs")
		if !strings.Contains(said, "9 scenarios") {
			t.Errorf("the client says %s", said)
		}
	})
}
