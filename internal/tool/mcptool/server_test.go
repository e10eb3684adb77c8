package mcptool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/tool"
)

// goServer is an MCP server in this process, over streamable HTTP.
type goServer struct {
	*mcp.Server
	http *httptest.Server

	mu      sync.Mutex
	headers http.Header // of the last request
}

func newGoServer(t *testing.T) *goServer {
	t.Helper()
	g := &goServer{Server: mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return g.Server }, nil)
	g.http = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		g.headers = r.Header.Clone()
		g.mu.Unlock()
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		g.http.Close()
		endSessions(g.Server)
	})
	return g
}

// endSessions ends those whose clients left before they could say so: a server keeps them.
func endSessions(s *mcp.Server) {
	for session := range s.Sessions() {
		_ = session.Close() // one that its client is ending at this moment
	}
}

type handler = func(context.Context) (*mcp.CallToolResult, error)

func (g *goServer) add(name string, annotations *mcp.ToolAnnotations, handle handler) {
	g.AddTool(&mcp.Tool{Name: name, Annotations: annotations, InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, _ *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return handle(ctx) })
}

func says(text string) handler {
	return func(context.Context) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
	}
}

func (g *goServer) open(t *testing.T, opts Options) *Server {
	t.Helper()
	opts.Environ = environ
	s, err := NewServer(Config{
		Name: "go", URL: g.http.URL + "?token=${SECRET_TOKEN}", AllowPrivate: true,
		Headers: map[string]string{"Authorization": "Bearer ${SECRET_TOKEN}"},
	}, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func byName(t *testing.T, s *Server) map[string]*tool.Tool {
	t.Helper()
	tools, err := s.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]*tool.Tool{}
	for _, made := range tools {
		m[strings.TrimPrefix(made.Name, "mcp_go_")] = made
	}
	return m
}

func TestAnnotationsGiveEffects(t *testing.T) {
	g := newGoServer(t)
	yes, no := true, false
	for name, a := range map[string]*mcp.ToolAnnotations{
		"silent":       nil,
		"reads":        {ReadOnlyHint: true},
		"reads-again":  {ReadOnlyHint: true, IdempotentHint: true},
		"puts":         {IdempotentHint: true},
		"destroys":     {DestructiveHint: &yes},
		"only-adds":    {DestructiveHint: &no},
		"closed-world": {OpenWorldHint: &no},
	} {
		g.add(name, a, says("ok"))
	}
	tools := byName(t, g.open(t, Options{}))
	for name, want := range map[string]tool.Effect{
		"silent": tool.Once, "reads": tool.Pure, "reads-again": tool.Pure, "puts": tool.Idempotent,
		"destroys": tool.Once, "only-adds": tool.Once, "closed-world": tool.Once,
	} {
		if got := tools[name].Effect; got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

func TestSettingsOfTheServerApplyToItsTools(t *testing.T) {
	g := newGoServer(t)
	g.add("silent", nil, says("ok"))
	approve := true
	s, err := NewServer(Config{Name: "go", URL: g.http.URL, AllowPrivate: true, Settings: tool.Settings{
		Effect: tool.Pure, NeedsApproval: &approve, Timeout: tool.Duration(time.Minute),
	}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := byName(t, s)["silent"]; got.Effect != tool.Pure || !got.NeedsApproval || got.Timeout != time.Minute {
		t.Errorf("got %+v", got.Spec)
	}
}

func TestAnAnnouncedChangeIsSeen(t *testing.T) {
	g := newGoServer(t)
	g.add("one", nil, says("1"))
	changed := make(chan struct{}, 10)
	s := g.open(t, Options{OnChange: func() { changed <- struct{}{} }})
	if tools := byName(t, s); len(tools) != 1 {
		t.Fatalf("got %v", tools)
	}
	g.add("two", nil, says("2"))
	<-changed
	tools := byName(t, s)
	if len(tools) != 2 {
		t.Fatalf("after the addition: %v", tools)
	}
	if r := tool.Execute(t.Context(), tools["two"], tool.Call{}, tool.Options{}); r.Output != "2" {
		t.Errorf("got %+v", r)
	}
	g.RemoveTools("one")
	<-changed
	if tools := byName(t, s); len(tools) != 1 || tools["two"] == nil {
		t.Errorf("after the removal: %v", tools)
	}
}

func TestResultsBecomeText(t *testing.T) {
	g := newGoServer(t)
	tests := []struct {
		name   string
		result mcp.CallToolResult
		err    error
		want   string
	}{
		{"parts", mcp.CallToolResult{Content: []mcp.Content{
			&mcp.TextContent{Text: "a"},
			&mcp.AudioContent{MIMEType: "audio/wav", Data: []byte("123")},
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///t", Text: "inside"}},
			&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///b", MIMEType: "x/y", Blob: []byte("12")}},
			&mcp.ResourceLink{Name: "doc", URI: "file:///d"},
		}}, nil, "a\n[a recording of type audio/wav, 3 bytes]\ninside\n[resource file:///b of type x/y, 2 bytes]\n[resource doc: file:///d]"},
		{"structured", mcp.CallToolResult{StructuredContent: map[string]any{"n": 1}}, nil, `{"n":1}`},
		{"empty", mcp.CallToolResult{}, nil, ""},
		{"failed", mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "no such file"}}}, nil, "no such file"},
		{"failed-silently", mcp.CallToolResult{IsError: true}, nil, "the tool failed without saying why"},
		{"protocol-error", mcp.CallToolResult{}, errors.New("broken inside"), "MCP server go: broken inside"},
		{"secret", mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "key s3cr3t-t0ken"}}}, nil, "key ${SECRET_TOKEN}"},
		{"secret-error", mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "bad key s3cr3t-t0ken"}}}, nil, "bad key ${SECRET_TOKEN}"},
	}
	for _, tt := range tests {
		g.add(tt.name, nil, func(context.Context) (*mcp.CallToolResult, error) { return &tt.result, tt.err })
	}
	tools := byName(t, g.open(t, Options{}))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := tool.Execute(t.Context(), tools[tt.name], tool.Call{}, tool.Options{})
			failed := tt.err != nil || tt.result.IsError
			if r.Output+r.Error != tt.want || (r.Status == nestor.ToolCallFailed) != failed {
				t.Errorf("got %+v, want %q", r, tt.want)
			}
		})
	}
}

func TestHeadersAndQueryCarryTheSecret(t *testing.T) {
	g := newGoServer(t)
	g.add("x", nil, says("ok"))
	byName(t, g.open(t, Options{}))
	g.mu.Lock()
	defer g.mu.Unlock()
	if got := g.headers.Get("Authorization"); got != "Bearer s3cr3t-t0ken" {
		t.Errorf("got %q", got)
	}
}

func TestAToolWithASchemaThatCannotBeUsedIsLeftOut(t *testing.T) {
	g := newGoServer(t)
	g.add("good", nil, says("ok"))
	g.AddTool(&mcp.Tool{Name: "bad", InputSchema: json.RawMessage(`{"type":"object","properties":{"a":{"$ref":"https://x.example/s"}}}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return nil, nil })
	var log bytes.Buffer
	tools := byName(t, g.open(t, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}))
	if len(tools) != 1 || tools["good"] == nil || !strings.Contains(log.String(), "tool=bad") {
		t.Errorf("got %v, log %s", tools, log.String())
	}
}

func TestACallLostWithItsConnectionIsRepeatedOnlyIfThatIsSafe(t *testing.T) {
	tests := []struct {
		name        string
		annotations *mcp.ToolAnnotations
		calls       int32
		want        string
	}{
		{"a pure call is repeated", &mcp.ToolAnnotations{ReadOnlyHint: true}, 2, "done"},
		{"an idempotent call is repeated", &mcp.ToolAnnotations{IdempotentHint: true}, 2, "done"},
		{"a call that counts is not", nil, 1, "(the connection was lost; the call may have taken effect)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := newGoServer(t)
			var calls atomic.Int32
			cut := make(chan struct{})
			g.add("work", tt.annotations, func(ctx context.Context) (*mcp.CallToolResult, error) {
				if calls.Add(1) == 1 {
					g.http.CloseClientConnections()
					close(cut)
				}
				<-cut
				return says("done")(ctx)
			})
			s := g.open(t, Options{})
			r := tool.Execute(t.Context(), byName(t, s)["work"], tool.Call{}, tool.Options{})
			if !strings.HasSuffix(r.Output+r.Error, tt.want) || calls.Load() != tt.calls {
				t.Errorf("after %d calls: %+v", calls.Load(), r)
			}
			// Either way the next call finds a connection.
			if r := tool.Execute(t.Context(), byName(t, s)["work"], tool.Call{}, tool.Options{}); r.Output != "done" {
				t.Errorf("the next call: %+v", r)
			}
		})
	}
}

func TestCancellingACallReachesTheServerAndLeavesTheConnection(t *testing.T) {
	g := newGoServer(t)
	started, cancelled := make(chan struct{}), make(chan struct{})
	g.add("slow", nil, func(ctx context.Context) (*mcp.CallToolResult, error) {
		close(started)
		<-ctx.Done()
		close(cancelled)
		return nil, ctx.Err()
	})
	g.add("quick", nil, says("ok"))
	s := g.open(t, Options{})
	tools := byName(t, s)
	s.mu.Lock()
	before := s.conn
	s.mu.Unlock()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-started
		cancel()
	}()
	if r := tool.Execute(ctx, tools["slow"], tool.Call{}, tool.Options{}); r.Code != nestor.CodeCancelled {
		t.Errorf("got %+v", r)
	}
	<-cancelled // the server is told
	if r := tool.Execute(t.Context(), tools["quick"], tool.Call{}, tool.Options{}); r.Output != "ok" {
		t.Errorf("got %+v", r)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn != before {
		t.Error("the connection was replaced")
	}
}

func TestCloseEndsCallsThatTheServerNeverAnswers(t *testing.T) {
	g := newGoServer(t)
	started, release := make(chan struct{}), make(chan struct{})
	g.add("slow", nil, func(ctx context.Context) (*mcp.CallToolResult, error) {
		close(started)
		<-release
		return says("late")(ctx)
	})
	s := g.open(t, Options{})
	slow := byName(t, s)["slow"]
	result, closed := make(chan tool.Result), make(chan struct{})
	go func() { result <- tool.Execute(t.Context(), slow, tool.Call{}, tool.Options{}) }()
	<-started
	go func() {
		s.Close()
		close(closed)
	}()
	if r := <-result; r.Error != "MCP server go is closed" {
		t.Errorf("got %+v", r)
	}
	close(release)
	<-closed
}

func TestAServerThatDoesNotComeUpIsLeftAloneForAWhile(t *testing.T) {
	tests := []struct {
		name   string
		config Config
		want   string
	}{
		{"no such command", Config{Command: "./no-such-program"}, "no such file"},
		{"a process that dies at once, and says why", Config{
			Command: "sh", Args: []string{"-c", "echo bad token $T >&2; exit 3"}, Env: map[string]string{"T": "${SECRET_TOKEN}"},
		}, "it said: bad token ${SECRET_TOKEN}"},
		{"a process that never answers", Config{
			Command: "sh", Args: []string{"-c", "while read line; do :; done"}, ConnectTimeout: tool.Duration(50 * time.Millisecond),
		}, "it did not answer within 50ms"},
		{"nobody listens", Config{URL: "http://127.0.0.1:1/mcp", AllowPrivate: true}, "connection refused"},
		{"a private address", Config{URL: "http://127.0.0.1:1/mcp"}, "loopback"},
		{"a missing variable", Config{URL: "http://a.example", Headers: map[string]string{"X": "${NOT_SET_ANYWHERE}"}}, "set the environment variable NOT_SET_ANYWHERE"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.config.Name = "down"
			s, err := NewServer(tt.config, Options{Environ: environ})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			_, err = s.Tools(t.Context())
			if !errors.Is(err, nestor.ErrUnavailable) || !strings.Contains(err.Error(), tt.want) ||
				!strings.HasPrefix(err.Error(), "MCP server down cannot be reached: ") {
				t.Errorf("the first attempt: got %v, want %q", err, tt.want)
			}
			s.mu.Lock()
			if s.backoff.failures != 1 {
				t.Errorf("%d failures are counted", s.backoff.failures)
			}
			s.backoff.until = time.Now().Add(time.Hour) // however slow this machine is
			s.mu.Unlock()
			_, err = s.Tools(t.Context())
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "the next attempt to reach it is in ") {
				t.Errorf("right after: got %v", err)
			}
			if strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("the error shows a secret: %v", err)
			}
		})
	}
}

func TestPausesGrowWithEveryFailure(t *testing.T) {
	now := time.Unix(0, 0)
	var b backoff
	var got []time.Duration
	for range 8 {
		b.failed(now, errors.New("down"))
		got = append(got, b.pause(now))
	}
	want := []time.Duration{1, 2, 4, 8, 16, 32, 60, 60}
	for i := range want {
		want[i] *= time.Second
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if rest := b.pause(now.Add(time.Hour)); rest != 0 {
		t.Errorf("an hour later %s are left", rest)
	}
}

func TestConfigIsChecked(t *testing.T) {
	tests := []struct {
		name   string
		config Config
		want   string
	}{
		{"no name", Config{Command: "x"}, `name ""`},
		{"a name with an underscore", Config{Name: "a_b", Command: "x"}, `name "a_b"`},
		{"neither command nor url", Config{Name: "a"}, "give either command or url"},
		{"both", Config{Name: "a", Command: "x", URL: "https://x.example"}, "give either command or url"},
		{"arguments for a url", Config{Name: "a", URL: "https://x.example", Args: []string{"y"}}, "go with command"},
		{"headers for a command", Config{Name: "a", Command: "x", Headers: map[string]string{"a": "b"}}, "go with url"},
		{"another scheme", Config{Name: "a", URL: "ws://x.example"}, "not an http or https address"},
		{"a negative time", Config{Name: "a", Command: "x", ConnectTimeout: -1}, "negative"},
		{"an unknown effect", Config{Name: "a", Command: "x", Settings: tool.Settings{Effect: "maybe"}}, `effect "maybe"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := NewServer(tt.config, Options{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
