// Package doortest has tests of doors run the stock clients of their protocols.
package doortest

import (
	"context"
	"fmt"
	"testing"

	"github.com/nestorhq/nestor/internal/nodetest"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/model/modeltest"
	"github.com/nestorhq/nestor/server"
	"github.com/nestorhq/nestor/tool"
)

const titles = `
-- reply title --
when system contains Write a title
text: A title
usage in=1 out=1
repeat
`

type payment struct {
	Cents int `json:"cents"`
}

var pay = tool.New("pay", tool.Options{Description: "Pays.", Effect: tool.Once, NeedsApproval: true},
	func(_ context.Context, in payment) (string, error) { return fmt.Sprint("paid ", in.Cents), nil })

// Play runs a scenario of testdata/client.mjs on every engine, with a model that follows a
// script, and a tool pay that somebody has to approve.
func Play(t *testing.T, scenario, script string) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		model, err := modeltest.Parse(titles + script)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Model = model
		Perform(t, cfg, scenario)
		if err := model.Finished(); err != nil {
			t.Error(err)
		}
	})
}

// Perform runs a scenario of testdata/client.mjs with two users.
func Perform(t *testing.T, cfg server.Config, scenario string) {
	cfg.Tools, cfg.Addr = []*tool.Tool{pay}, "127.0.0.1:0"
	p := servertest.Enter(t, cfg)
	ann, bob := p.SignIn("ann"), p.SignIn("bob")
	nodetest.RunScript(t, "testdata", []string{
		"NESTOR_URL=" + p.URL(), "NESTOR_KEY=" + ann.WithKey("write").Token, "NESTOR_READ_KEY=" + ann.WithKey("read").Token,
		"NESTOR_OTHER_KEY=" + bob.WithKey("write").Token,
	}, "client.mjs", scenario)
	p.Settled()
}

// RunDocumented runs the first piece of JavaScript of a page of the documentation, as it
// stands there, with the packages of testdata.
func RunDocumented(t *testing.T, page string, env []string) string {
	t.Helper()
	return nodetest.RunText(t, "testdata", env, nodetest.Documented(t, page))
}
