package a2a_test

import (
	"os"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/agent/role"
	"github.com/nestorhq/nestor/internal/nodetest"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

const example = "../../../examples/a2a"

// The example works, and is the one that the documentation shows.
func TestTheExampleWorks(t *testing.T) {
	p := servertest.Enter(t, listening(server.Config{Data: t.TempDir()}))
	said := nodetest.RunScript(t, example, []string{"NESTOR_URL=" + p.URL(), "NESTOR_KEY=" + p.SignIn("ann").WithKey("write").Token}, "ask.mjs", "Compute 6*7")
	if !strings.Contains(said, "42") || !strings.HasSuffix(said, "completed\n") {
		t.Errorf("it printed %s", said)
	}
	program, err := os.ReadFile(example + "/ask.mjs")
	if err != nil {
		t.Fatal(err)
	}
	docs, err := os.ReadFile("../../../docs/doors/a2a.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(docs), "```js\n"+string(program)+"```") {
		t.Error("docs/doors/a2a.md shows another program")
	}
	roles, err := role.Load(example + "/agents.json")
	if err != nil {
		t.Fatal(err)
	}
	if names := roles.Remote(); len(names) != 1 || names[0] != "bookkeeper" {
		t.Errorf("the remote roles are %v", names)
	}
}
