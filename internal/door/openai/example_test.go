package openai_test

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/nodetest"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

// The example, and the lines in the docs, do what they say as they stand.
func TestTheExampleAndTheDocs(t *testing.T) {
	example, err := os.ReadFile("../../../examples/openai/main.mjs")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../../docs/doors/openai.md")
	if err != nil {
		t.Fatal(err)
	}
	lines := regexp.MustCompile("(?s)```js\n(.*?)```").FindSubmatch(page)
	if lines == nil {
		t.Fatal("the docs show no client")
	}
	cfg := server.Config{Data: t.TempDir(), Addr: "127.0.0.1:0"}
	cfg.Model = demo.New(demo.Options{Instant: true})
	p := servertest.Enter(t, cfg)
	env := []string{"NESTOR_URL=" + p.URL(), "NESTOR_KEY=" + p.SignIn("anna").WithKey("write").Token}
	for name, c := range map[string]struct {
		script []byte
		wants  []string
	}{
		"example": {example, []string{"model agent:general", "42", "There are 7 of teapot.", "completed", "144"}},
		"docs":    {lines[1], []string{"42", "144"}},
	} {
		t.Run(name, func(t *testing.T) {
			printed := nodetest.RunText(t, "testdata", env, string(c.script))
			for _, want := range c.wants {
				if !strings.Contains(printed, want) {
					t.Errorf("it did not print %q:\n%s", want, printed)
				}
			}
		})
	}
	// The example asks for the version that is tested.
	tested, err := os.ReadFile("../../package.json")
	if err != nil {
		t.Fatal(err)
	}
	asked, err := os.ReadFile("../../../examples/openai/package.json")
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`"openai": "[^"]+"`)
	if !bytes.Equal(version.Find(tested), version.Find(asked)) {
		t.Errorf("the example asks for %s, tested is %s", version.Find(asked), version.Find(tested))
	}
}
