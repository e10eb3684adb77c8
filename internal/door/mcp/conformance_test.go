package mcp_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/app"
	"github.com/nestorhq/nestor/internal/door/mcp"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/nodetest"
	"github.com/nestorhq/nestor/internal/servertest"
)

// Scenarios of the public conformance suite that Nestor's own tools, resources and
// prompts are enough for.
var onNestor = []string{
	"server-initialize", "ping", "logging-set-level", "completion-complete", "tools-list", "resources-list", "prompts-list",
	"server-sse-multiple-streams", "dns-rebinding-protection",
}

// Scenarios that call tools, resources and prompts of the suite's own. They run on a
// server that offers those behind the same guard, transport and sessions.
var onEverything = []string{
	"tools-call-simple-text", "tools-call-image", "tools-call-audio", "tools-call-embedded-resource", "tools-call-mixed-content",
	"tools-call-with-logging", "tools-call-error", "tools-call-with-progress", "tools-call-sampling", "tools-call-elicitation",
	"json-schema-2020-12", "elicitation-sep1034-defaults", "elicitation-sep1330-enums",
	"resources-read-text", "resources-read-binary", "resources-templates-read", "resources-subscribe", "resources-unsubscribe",
	"prompts-get-simple", "prompts-get-with-args", "prompts-get-embedded-resource", "prompts-get-with-image",
}

// notRun are scenarios that do not apply, with the reason.
var notRun = map[string]string{
	"server-sse-polling": "it asks for the events of version 2025-11-25 by which a stream is resumed, in requests of version 2025-03-26, which has none; " +
		"TestAStreamThatBreaksIsResumed does so in the right version",
}

// everythingPath is where the server with what the suite asks for is.
const everythingPath = "/everything"

func TestTheConformanceSuiteFindsNothing(t *testing.T) {
	known := slices.Concat(onNestor, onEverything)
	for name := range notRun {
		known = append(known, name)
	}
	listed := suite(t, "list", "--server")
	for _, m := range regexp.MustCompile(`(?m)^ +- (\S+)`).FindAllStringSubmatch(listed, -1) {
		if !slices.Contains(known, m[1]) {
			t.Errorf("the suite has a scenario %s of which nobody says whether it is run", m[1])
		}
		known = slices.DeleteFunc(known, func(name string) bool { return name == m[1] })
	}
	if len(known) > 0 {
		t.Errorf("the suite has no scenarios %v", known)
	}
	base := proxy(t, conforming(t))
	for _, name := range onNestor {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			suite(t, "server", "--url", base+mcp.Path, "--scenario", name, "--output-dir", folder)
			conforms(t, folder, name)
		})
	}
	folder := t.TempDir()
	suite(t, "server", "--url", base+everythingPath, "--suite", "all", "--output-dir", folder)
	for _, name := range onEverything {
		t.Run(name, func(t *testing.T) { conforms(t, folder, name) })
	}
}

// conforms reports every check of a scenario that was not passed.
func conforms(t *testing.T, folder, scenario string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, "server-"+scenario+"-2*", "checks.json"))
	if err != nil || len(found) != 1 {
		t.Fatalf("there are %d results, %v", len(found), err)
	}
	data, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	var checks []struct{ ID, Status, ErrorMessage string }
	if err := json.Unmarshal(data, &checks); err != nil {
		t.Fatal(err)
	}
	passed := 0
	for _, c := range checks {
		switch c.Status {
		case "SUCCESS":
			passed++
		case "INFO":
		default:
			t.Errorf("%s: %s %s", c.ID, c.Status, c.ErrorMessage)
		}
	}
	if passed == 0 {
		t.Errorf("nothing was checked: %s", data)
	}
}

// suite runs a command of the conformance suite.
func suite(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "node", append([]string{"--import", "./testdata/node20.mjs", filepath.Join(nodetest.Install(t, "."), "@modelcontextprotocol/conformance/dist/index.js")}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("conformance %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// conforming is a server that has both doors.
func conforming(t *testing.T) (address string) {
	t.Helper()
	door := mcp.Module(mcp.Instead(everything))
	door.Name, door.Commands, door.Doors[0].Pattern = "everything", nil, everythingPath
	listening := make(chan string, 1)
	cfg := app.Config{
		Data: t.TempDir(), Addr: "127.0.0.1:0", Token: servertest.Token, Env: func(string) string { return "" }, Stdout: io.Discard,
		Logger: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})), Modules: module.List{door},
		Listening: func(url string) { listening <- url },
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	ended := make(chan error, 1)
	go func() { ended <- app.Run(ctx, cfg) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	select {
	case address = <-listening:
	case err := <-ended:
		ended <- err
		t.Fatal("it does not run")
	}
	return address
}

// proxy adds the credential to every request, which the suite cannot send, and changes
// nothing else.
func proxy(t *testing.T, to string) (address string) {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	p := &httputil.ReverseProxy{FlushInterval: -1, Transport: transport, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host
		r.Out.Header.Set("Authorization", "Bearer "+servertest.Token)
	}}
	s := httptest.NewServer(p)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
		transport.CloseIdleConnections()
	})
	return strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
}
