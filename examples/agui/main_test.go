// Package agui tests the program in this folder against a server with the demo model.
package agui

import (
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/nodetest"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

func TestTheExampleTalksToNestor(t *testing.T) {
	p := servertest.Enter(t, server.Config{Addr: "127.0.0.1:0", Model: demo.New(demo.Options{Instant: true})})
	env := []string{"NESTOR_URL=" + p.URL(), "NESTOR_KEY=" + p.SignIn("ann").WithKey("write").Token}
	for _, c := range []struct{ said, want []string }{
		{[]string{"Compute 6*7"}, []string{"calculator", "42", "[success"}},
		{[]string{"Book a table for two", "Friday at 8"}, []string{"? ", "Friday at 8", "[success"}},
	} {
		got := nodetest.RunScript(t, ".", env, "main.mjs", c.said...)
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%q: no %q in\n%s", c.said, want, got)
			}
		}
	}
}
