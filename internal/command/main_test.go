package command

import (
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/module"
)

// serveFlags parses arguments as nestor serve would.
func serveFlags(t *testing.T, args ...string) (*flags, error) {
	t.Helper()
	p := &program{commands: builtIn()}
	c, _, ok := find(p.commands, []string{"serve"})
	if !ok {
		t.Fatal("there is no serve")
	}
	f := c.newFlags(p)
	return f, f.parse(args)
}

func TestAFlagWinsOverItsVariableWhichWinsOverTheDefault(t *testing.T) {
	t.Setenv("NESTOR_ADDR", "127.0.0.1:1111")
	t.Setenv("NESTOR_MAX_BODY", "42")
	t.Setenv("NESTOR_TOKEN", "from-the-environment")
	f, err := serveFlags(t, "--addr", "127.0.0.1:2222")
	if err != nil {
		t.Fatal(err)
	}
	if f.cfg.Addr != "127.0.0.1:2222" || f.cfg.MaxBody != 42 || f.cfg.Data != "./nestor-data" || f.cfg.Token != "from-the-environment" {
		t.Errorf("got addr %q, max body %d, data %q", f.cfg.Addr, f.cfg.MaxBody, f.cfg.Data)
	}
}

func TestABadVariableIsNamed(t *testing.T) {
	t.Setenv("NESTOR_CONCURRENCY", "many")
	if _, err := serveFlags(t); err == nil || !strings.Contains(err.Error(), "NESTOR_CONCURRENCY") {
		t.Errorf("the error is %v", err)
	}
}

func TestEveryCommandIsListedAndAnUnknownOneIsRefused(t *testing.T) {
	var out strings.Builder
	p := &program{commands: append(builtIn(), ofModules([]module.Command{{Name: "shelf", Args: "NAME", Summary: "Show a shelf"}})...)}
	p.usage(&out)
	if !strings.Contains(out.String(), "nestor shelf NAME") {
		t.Errorf("the command of a module is not listed: %s", &out)
	}
	for _, c := range p.commands {
		if !strings.Contains(out.String(), "nestor "+c.name) || c.summary == "" {
			t.Errorf("%q is not explained", c.name)
		}
	}
	if err := p.run(t.Context(), []string{"frobnicate"}); err == nil || !strings.Contains(err.Error(), "frobnicate") {
		t.Errorf("the error is %v", err)
	}
	if err := p.run(t.Context(), []string{"jobs", "try"}); err == nil || !strings.Contains(err.Error(), "first word") {
		t.Errorf("the error is %v", err)
	}
	if err := p.run(t.Context(), []string{"jobs", "--help"}); err != nil {
		t.Errorf("help for the first word is refused: %v", err)
	}
	if err := p.run(t.Context(), []string{"jobs", "retry"}); err == nil || !strings.Contains(err.Error(), "needs the id") {
		t.Errorf("the error is %v", err)
	}
}
