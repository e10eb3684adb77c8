package mcptool

import (
	"bufio"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/nodetest"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/internal/tool"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// script returns the entry point of the public MCP server
// @modelcontextprotocol/server-everything.
func script(t *testing.T) string {
	t.Helper()
	return filepath.Join(nodetest.Install(t, "."), "@modelcontextprotocol/server-everything/dist/index.js")
}

// environ is what the server under test may see of the environment.
func environ(name string) (string, bool) {
	switch name {
	case "SECRET_TOKEN":
		return "s3cr3t-t0ken", true
	case "OPENAI_API_KEY":
		return "must-not-be-inherited", true
	}
	return os.LookupEnv(name)
}

func open(t *testing.T, c Config) *Server {
	t.Helper()
	c.Name = "everything"
	// A busy machine makes these tests slow, not red.
	c.ConnectTimeout, c.Timeout = tool.Duration(2*time.Minute), tool.Duration(2*time.Minute)
	s, err := NewServer(c, Options{Environ: environ})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func stdio(t *testing.T) *Server {
	return open(t, Config{
		Command: "node", Args: []string{script(t), "stdio"},
		Env: map[string]string{"MY_TOKEN": "${SECRET_TOKEN}"},
	})
}

// execute calls one of the server's tools by its MCP name.
func execute(t *testing.T, s *Server, name, arguments string) tool.Result {
	t.Helper()
	tools, err := s.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, made := range tools {
		if made.Name == "mcp_everything_"+name {
			return tool.Execute(t.Context(), made, tool.Call{Arguments: arguments}, tool.Options{})
		}
	}
	t.Fatalf("there is no tool %s", name)
	return tool.Result{}
}

// checkEverything is what holds for the server over any transport.
func checkEverything(t *testing.T, s *Server) {
	tools, err := s.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	effects := map[string]tool.Effect{}
	var names []string
	for _, made := range tools {
		effects[made.Name] = made.Effect
		names = append(names, made.Name)
	}
	if !slices.IsSorted(names) || effects["mcp_everything_echo"] != tool.Pure ||
		effects["mcp_everything_toggle-simulated-logging"] != tool.Once {
		t.Errorf("got %v in the order %v", effects, names)
	}

	if r := execute(t, s, "echo", `{"message":"héllo"}`); r.Output != "Echo: héllo" {
		t.Errorf("echo: got %+v", r)
	}
	if r := execute(t, s, "get-sum", `{"a":2,"b":40}`); r.Output != "The sum of 2 and 40 is 42." {
		t.Errorf("get-sum: got %+v", r)
	}
	if r := execute(t, s, "get-tiny-image", ``); !strings.Contains(r.Output, "[an image of type image/png, ") ||
		len(r.Media) != 1 || r.Media[0].MIMEType != "image/png" {
		t.Errorf("get-tiny-image: got %+v", r)
	}
	if r := execute(t, s, "get-resource-links", `{"count":2}`); !strings.Contains(r.Output, "[resource ") {
		t.Errorf("get-resource-links: got %+v", r)
	}
	if r := execute(t, s, "echo", `{"message":5}`); r.Code != nestor.CodeInvalid || !strings.HasPrefix(r.Error, "invalid arguments: message:") {
		t.Errorf("arguments that do not fit: got %+v", r)
	}
	// The schema knows no range for this id; the server itself complains.
	if r := execute(t, s, "get-resource-reference", `{"resourceType":"Text","resourceId":-1}`); r.Status != nestor.ToolCallFailed || r.Error == "" {
		t.Errorf("an error of the server: got %+v", r)
	}
}

func TestEverythingOverStdio(t *testing.T) {
	checkEverything(t, stdio(t))
}

func TestAProcessSeesOnlyItsOwnEnvironmentAndSecretsAreHidden(t *testing.T) {
	r := execute(t, stdio(t), "get-env", ``)
	if !strings.Contains(r.Output, `"MY_TOKEN": "${SECRET_TOKEN}"`) || !strings.Contains(r.Output, `"PATH"`) {
		t.Errorf("got %s", r.Output)
	}
	for _, leak := range []string{"s3cr3t", "must-not-be-inherited", "OPENAI_API_KEY"} {
		if strings.Contains(r.Output, leak) {
			t.Errorf("%q leaked: %s", leak, r.Output)
		}
	}
}

// kill ends the server's process and everything it started, from outside.
func kill(t *testing.T, s *Server) *connection {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := syscall.Kill(s.conn.cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	return s.conn
}

func TestAKilledProcessIsStartedAgain(t *testing.T) {
	s := stdio(t)
	if r := execute(t, s, "echo", `{"message":"one"}`); r.Output != "Echo: one" {
		t.Fatalf("got %+v", r)
	}
	<-kill(t, s).done // the death has been noticed
	if r := execute(t, s, "echo", `{"message":"two"}`); r.Output != "Echo: two" {
		t.Errorf("got %+v", r)
	}
	kill(t, s) // the death may not have been noticed yet
	if r := execute(t, s, "echo", `{"message":"three"}`); r.Output != "Echo: three" {
		t.Errorf("got %+v", r)
	}
}

func TestCloseEndsTheProcessAndTheCallsUnderWay(t *testing.T) {
	s := stdio(t)
	tools, err := s.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	pid := s.conn.cmd.Process.Pid
	s.mu.Unlock()
	slow := tools[slices.IndexFunc(tools, func(made *tool.Tool) bool {
		return made.Name == "mcp_everything_trigger-long-running-operation"
	})]
	result := make(chan tool.Result)
	go func() {
		result <- tool.Execute(t.Context(), slow, tool.Call{Arguments: `{"duration":60,"steps":60}`}, tool.Options{})
	}()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if r := <-result; r.Status != nestor.ToolCallFailed || r.Error != "MCP server everything is closed" {
		t.Errorf("got %+v", r)
	}
	if err := syscall.Kill(pid, 0); err != syscall.ESRCH {
		t.Errorf("the process is still there: %v", err)
	}
	if _, err := s.Tools(t.Context()); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("after closing: %v", err)
	}
}

// httpServer runs the server over streamable HTTP on a port and returns a
// function that kills it.
func httpServer(t *testing.T, port string) (stop func()) {
	t.Helper()
	cmd := exec.Command("node", script(t), "streamableHttp")
	cmd.Env = append(os.Environ(), "PORT="+port)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cmd.Process.Kill()
			cmd.Wait()
		})
	}
	t.Cleanup(stop)
	lines := bufio.NewScanner(stderr)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "listening on port") {
			return stop
		}
	}
	t.Fatalf("the server did not come up: %v", lines.Err())
	return nil
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

func TestEverythingOverStreamableHTTP(t *testing.T) {
	port := freePort(t)
	stop := httpServer(t, port)
	s := open(t, Config{URL: "http://127.0.0.1:" + port + "/mcp", AllowPrivate: true})
	checkEverything(t, s)

	// A new process knows nothing of the session.
	stop()
	httpServer(t, port)
	if r := execute(t, s, "echo", `{"message":"again"}`); r.Output != "Echo: again" {
		t.Errorf("after a restart: got %+v", r)
	}
}

func TestAServerThatIsDownFailsPlainlyAndItsToolsStayKnown(t *testing.T) {
	port := freePort(t)
	stop := httpServer(t, port)
	s := open(t, Config{URL: "http://127.0.0.1:" + port + "/mcp", AllowPrivate: true})
	tools, err := s.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stop()
	r := tool.Execute(t.Context(), tools[0], tool.Call{Arguments: `{"message":"x"}`}, tool.Options{})
	if r.Code != nestor.CodeUnavailable || !strings.Contains(r.Error, "connection refused") {
		t.Errorf("got %+v", r)
	}
	if known, _ := s.Tools(t.Context()); len(known) != len(tools) {
		t.Errorf("%d tools are known, want %d", len(known), len(tools))
	}
}
