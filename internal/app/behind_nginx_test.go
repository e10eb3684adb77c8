package app_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/nestorhq/nestor/internal/app"
)

// nginx is a reverse proxy with nginx's own defaults.
type nginx struct {
	listener *os.File
	// url is where it is reached, and folder has all that it writes.
	url, folder string
}

// newNginx reserves an address for a proxy, so that a server can be told of it first.
func newNginx(t *testing.T) *nginx {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() // nginx inherits a copy, so nobody else can take the port
	f, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	return &nginx{f, "http://" + l.Addr().String(), t.TempDir()}
}

// serve has nginx pass on what comes in by its locations.
func (n *nginx) serve(t *testing.T, locations string) {
	t.Helper()
	program := os.Getenv("NESTOR_TEST_NGINX")
	if program == "" {
		t.Fatal("NESTOR_TEST_NGINX is not set: run make test, or scripts/with-nginx go test ./…")
	}
	temporary := ""
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		temporary += fmt.Sprintf("%s_temp_path %s;\n", kind, filepath.Join(n.folder, kind))
	}
	user := ""
	if os.Getuid() == 0 {
		user = "user root;\n" // another one could not write to the folder
	}
	config := filepath.Join(n.folder, "nginx.conf")
	text := fmt.Sprintf("daemon off;\n%spid %s;\nevents {}\nhttp {\naccess_log off;\n%sserver {\nlisten %s;\n%s\n}\n}\n",
		user, filepath.Join(n.folder, "pid"), temporary, strings.TrimPrefix(n.url, "http://"), locations)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-e", "stderr", "-c", config)
	cmd.Env, cmd.ExtraFiles, cmd.Stderr = append(os.Environ(), "NGINX=3;"), []*os.File{n.listener}, os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	n.listener.Close()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait() // it says that it was ended
	})
}

// Both ways to write proxy_pass work, and so does a proxy that tells the server its name.
func TestAServerBelowAPathOfNginx(t *testing.T) {
	for name, location := range map[string]string{
		"nginx removes the path": "location /agents/ { proxy_pass %s/; }",
		"nginx leaves the path":  "location /agents/ { proxy_pass %s; }",
		"nginx tells its name":   "location /agents/ { proxy_pass %s/; proxy_set_header Host $http_host; proxy_set_header X-Forwarded-For $remote_addr; }",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy := newNginx(t)
			s := start(t, app.Config{Data: t.TempDir(), PublicURL: proxy.url + "/agents/"})
			proxy.serve(t, fmt.Sprintf(location, s.url))
			out, folder := s.out.String(), proxy.url+"/agents"
			s.url = folder
			asked := func(path, accept string, cookies ...*http.Cookie) *http.Response {
				t.Helper()
				req, err := http.NewRequestWithContext(t.Context(), "GET", folder+path, nil)
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set("Accept", accept)
				for _, c := range cookies {
					req.AddCookie(c)
				}
				res, err := client.Transport.RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { res.Body.Close() })
				return res
			}

			// The link that is printed signs in, and leads to the start below the path.
			_, token, ok := strings.Cut(out, folder+"/?token=")
			if !ok {
				t.Fatalf("no link below %s in %s", folder, out)
			}
			token, _, _ = strings.Cut(token, "\n")
			entered := asked("/?token="+token, "text/html")
			if to := entered.Header.Get("Location"); entered.StatusCode != 302 || strings.TrimPrefix(to, proxy.url) != "/agents/" {
				t.Fatalf("the link: %d to %q", entered.StatusCode, to)
			}
			paths := map[string]bool{}
			for _, c := range entered.Cookies() {
				paths[c.Path] = true
			}
			if len(paths) != 3 || !paths["/agents/"] || !paths["/agents/api/v1/refresh"] || !paths["/agents/api/v1/logout"] {
				t.Errorf("the cookies are for %v", paths)
			}
			if me := asked("/api/v1/me", "application/json", entered.Cookies()[0]); me.StatusCode != 200 {
				t.Errorf("with the cookie: %d", me.StatusCode)
			}
			session := entered.Cookies()[0]
			s.want(201, "POST", "/api/v1/chats", `{"id":"c1"}`, `"id":"c1"`, "Authorization", "", "Cookie", session.Name+"="+session.Value, "Origin", proxy.url)
			s.want(403, "POST", "/api/v1/chats", `{}`, "forbidden", "Authorization", "", "Cookie", session.Name+"="+session.Value, "Origin", "http://elsewhere.example")

			// Pages, files, and what is not there.
			s.want(200, "GET", "/chats/c1", "", "<html")
			s.want(404, "GET", "/no/such/page", "", `href="/agents/"`, "Accept", "text/html")
			if again := asked("//api//v1/me", "application/json"); strings.TrimPrefix(again.Header.Get("Location"), proxy.url) == "/api/v1/me" {
				t.Error("a path with two slashes leads out of the folder")
			}
			if used := asked("/?token="+token, "text/html"); used.StatusCode != 401 {
				t.Errorf("the link once more: %d", used.StatusCode)
			}
			s.want(401, "GET", "/metrics", "", "unauthenticated", "Authorization", "") // the proxy is on this machine, its clients are not

			// What tells where the server is.
			s.want(200, "GET", "/api/v1/openapi.json", "", `"servers":[{"url":"`+folder+`"}]`)
			s.want(200, "GET", "/.well-known/agent-card.json", "", `"url":"`+folder+`/a2a/orchestrator"`)
			s.want(200, "GET", "/a2a/agent:general/.well-known/agent-card.json", "", `"url":"`+folder+`/a2a/agent:general"`)

			// The doors answer.
			s.want(200, "GET", "/v1/models", "", `"object":"list"`)
			s.want(200, "POST", "/v1/chat/completions", `{"model":"orchestrator","stream":true,"messages":[{"role":"user","content":"Compute 6*7"}]}`, "data: [DONE]")
			s.want(200, "POST", "/agui/orchestrator", `{"threadId":"t1","runId":"r1","messages":[{"id":"m1","role":"user","content":"Compute 6*7"}],"tools":[],"context":[]}`, `"type":"RUN_FINISHED"`)
			s.want(200, "POST", "/aisdk/orchestrator", `{"id":"x1","messages":[{"id":"m2","role":"user","parts":[{"type":"text","text":"Compute 6*7"}]}]}`, `"type":"finish"`)
			s.want(200, "POST", "/a2a/orchestrator", `{"jsonrpc":"2.0","id":1,"method":"message/stream","params":{"message":{"kind":"message","messageId":"m3","role":"user","parts":[{"kind":"text","text":"Compute 6*7"}]}}}`, `"final":true`)
			s.want(200, "POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`, `"serverInfo"`,
				"Content-Type", "application/json", "Accept", "application/json, text/event-stream")

			// An event comes at once, though nginx buffers answers: nothing follows it.
			events := asked("/api/v1/chats/c1/events", "text/event-stream", session)
			if line, err := bufio.NewReader(events.Body).ReadString('\n'); err != nil || events.StatusCode != 200 {
				t.Errorf("the events: %d %q %v", events.StatusCode, line, err)
			}
		})
	}
}

// A path that the server has itself would leave open whether a proxy has removed it.
func TestAPublicURLIsRefusedThatCannotWork(t *testing.T) {
	for _, url := range []string{
		"host/agents", "ftp://host", "https://host/a?b", "https://user@host/", "https://host/a b", "https://host/../a", "https://host/%61", "https://",
		"https://host/api", "https://host/chats", "https://host/v1/x", "https://host/assets", "https://host/healthz",
	} {
		cfg := app.Config{Data: t.TempDir(), Addr: "127.0.0.1:0", PublicURL: url, Stdout: &output{}, Stderr: &output{}}
		if s, err := app.Open(t.Context(), cfg); err == nil {
			t.Errorf("%s is taken", url)
			s.Close()
		} else if !strings.Contains(err.Error(), "public") {
			t.Errorf("%s: %v", url, err)
		}
	}
}
