package aisdk_test

import (
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/door/doortest"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

func TestTheDocumentedClientWorksAsItStands(t *testing.T) {
	p := servertest.Enter(t, server.Config{Addr: "127.0.0.1:0", Model: demo.New(demo.Options{Instant: true})})
	env := []string{"NESTOR_URL=" + p.URL(), "NESTOR_KEY=" + p.SignIn("ann").WithKey("write").Token}
	if got := doortest.RunDocumented(t, "../../../docs/doors/aisdk.md", env); !strings.Contains(got, "42") {
		t.Errorf("it printed\n%s", got)
	}
}
