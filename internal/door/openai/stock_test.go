package openai_test

import (
	"os"
	"testing"

	"github.com/nestorhq/nestor/internal/llm/scripted"
	"github.com/nestorhq/nestor/internal/nodetest"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

// The stock client does everything that this door promises, see testdata/stock.mjs.
func TestTheStockClient(t *testing.T) {
	script, err := os.ReadFile("testdata/script.txtar")
	if err != nil {
		t.Fatal(err)
	}
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		model, err := scripted.Parse(script)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Model, cfg.Addr, cfg.Drain = model, "127.0.0.1:0", 1 // some answers never end
		p := servertest.Enter(t, cfg)
		anna, otto := p.SignIn("anna").WithKey("write"), p.SignIn("otto").WithKey("write")
		t.Log(nodetest.RunScript(t, "testdata", []string{"NESTOR_URL=" + p.URL(), "NESTOR_KEY=" + anna.Token, "NESTOR_OTHER_KEY=" + otto.Token}, "stock.mjs", os.Getenv("STEP")))
	})
}
