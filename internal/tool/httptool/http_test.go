package httptool

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/internal/tool"
)

func TestMain(m *testing.M) { testmain.Run(m) }

const secretValue = "tok-5f2c/+&secret"

func env(name string) (string, bool) {
	if name == "API_KEY" {
		return secretValue, true
	}
	return "", false
}

// echoServer answers with one line per part of the request.
func echoServer(t *testing.T) *httptest.Server {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s\n", r.Method, r.URL.RequestURI())
		for _, h := range []string{"Idempotency-Key", "Content-Type", "Authorization", "X-Trace"} {
			if v := r.Header.Get(h); v != "" {
				fmt.Fprintf(w, "%s: %s\n", h, v)
			}
		}
		fmt.Fprintf(w, "%s", body)
	}))
	t.Cleanup(srv.Close)
	return srv
}

func mustNew(t *testing.T, c Config) *tool.Tool {
	t.Helper()
	if c.Name == "" {
		c.Name = "x"
	}
	c.AllowPrivate = true
	made, err := New(c, Options{Env: env})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func call(t *testing.T, made *tool.Tool, arguments string) tool.Result {
	t.Helper()
	return tool.Execute(t.Context(), made, tool.Call{Arguments: arguments, IdempotencyKey: "key-1"}, tool.Options{})
}

const params = `{"properties":{"id":{"type":["string","integer"]},"tags":{"type":"array"},"note":{"type":"string"},"n":{"type":"number"}},"required":["id"]}`

func TestArgumentsGoWhereTheConfigurationSays(t *testing.T) {
	srv := echoServer(t)
	tests := []struct {
		name      string
		config    Config
		arguments string
		want      string
	}{
		{
			"GET puts the rest into the query",
			Config{URL: "/items/{id}"},
			`{"id":"a","tags":["x","y"],"note":"a b&c","n":10000000000000001}`,
			"GET /items/a?n=10000000000000001&note=a+b%26c&tags=x&tags=y\n",
		},
		{
			"POST puts the rest into a JSON body, numbers as they were sent",
			Config{Method: "post", URL: "/items/{id}"},
			`{"id":"a","tags":["x"],"n":10000000000000001}`,
			"POST /items/a\nIdempotency-Key: key-1\nContent-Type: application/json\n{\"n\":10000000000000001,\"tags\":[\"x\"]}",
		},
		{
			"PUT sends an idempotency key, too",
			Config{Method: "PUT", URL: "/items/{id}"},
			`{"id":5}`,
			"PUT /items/5\nIdempotency-Key: key-1\n",
		},
		{
			"a POST declared pure sends none",
			Config{Method: "POST", URL: "/items/{id}", Settings: tool.Settings{Effect: tool.Pure}},
			`{"id":"a"}`,
			"POST /items/a\n",
		},
		{
			"places can be chosen",
			Config{Method: "POST", URL: "/items/{id}", In: map[string]Place{"note": InHeader, "n": InQuery, "tags": InBody, "id": InPath}},
			`{"id":"a","note":"hi","n":1.5,"tags":[]}`,
			"POST /items/a?n=1.5\nIdempotency-Key: key-1\nContent-Type: application/json\n{\"tags\":[]}",
		},
		{
			"an argument can be part of a query in the template",
			Config{URL: "/search?q={id}&fixed=1"},
			`{"id":"a&b=c","n":2}`,
			"GET /search?q=a%26b%3Dc&fixed=1&n=2\n",
		},
		{
			"a path argument stays one segment",
			Config{URL: "/items/{id}/x"},
			`{"id":"../a?b#c"}`,
			"GET /items/..%2Fa%3Fb%23c/x\n",
		},
		{
			"null is as good as absent",
			Config{URL: "/items/{id}", Parameters: json.RawMessage(`{"properties":{"id":{},"note":{}},"required":["id"]}`)},
			`{"id":"a","note":null}`,
			"GET /items/a\n",
		},
		{
			"headers of the configuration are sent, and secrets hidden in the echo",
			Config{URL: "/items/{id}", Headers: map[string]string{"Authorization": "Bearer ${API_KEY}", "X-Trace": "t"}},
			`{"id":"a"}`,
			"GET /items/a\nAuthorization: Bearer ${API_KEY}\nX-Trace: t\n",
		},
		{
			"headers of the configuration win over arguments",
			Config{
				URL: "/items/{id}", Headers: map[string]string{"X-Trace": "t"}, In: map[string]Place{"X-Trace": InHeader},
				Parameters: json.RawMessage(`{"properties":{"id":{},"X-Trace":{}},"required":["id"]}`),
			},
			`{"id":"a","X-Trace":"forged"}`,
			"GET /items/a\nX-Trace: t\n",
		},
		{
			"a secret in the address is escaped, and hidden in the echo",
			Config{URL: "/items/{id}?key=${API_KEY}&n={n}", Parameters: json.RawMessage(`{"properties":{"id":{},"n":{}},"required":["id","n"]}`)},
			`{"id":"a","n":1}`,
			"GET /items/a?key=${API_KEY}&n=1\n",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.config.URL = srv.URL + tt.config.URL
			if tt.config.Parameters == nil {
				tt.config.Parameters = json.RawMessage(params)
			}
			r := call(t, mustNew(t, tt.config), tt.arguments)
			if r.Output != tt.want {
				t.Errorf("got  %q %s\nwant %q", r.Output, r.Error, tt.want)
			}
		})
	}
}

func TestPathArgumentsCannotClimb(t *testing.T) {
	srv := echoServer(t)
	made := mustNew(t, Config{URL: srv.URL + "/items/{id}", Parameters: json.RawMessage(params)})
	for _, id := range []string{"", ".", ".."} {
		r := call(t, made, fmt.Sprintf(`{"id":%q}`, id))
		if r.Code != nestor.CodeInvalid || !strings.Contains(r.Error, "part of a path") {
			t.Errorf("%q: got %+v", id, r)
		}
	}
}

func TestResponses(t *testing.T) {
	tests := []struct {
		name    string
		respond http.HandlerFunc
		code    nestor.Code // "" for success
		want    string
	}{
		{"JSON is passed on", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"ok":true}`)
		}, "", `{"ok":true}`},
		{"an empty success says its status", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNoContent)
		}, "", "HTTP 204 No Content"},
		{"binary data is described", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "image/png")
			w.Write([]byte{1, 2, 3})
		}, "", "[3 bytes of image/png, which is not text]"},
		{"data of an unknown type is looked at", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/octet-stream")
			w.Write([]byte("\x00\x01"))
		}, "", "[2 bytes of application/octet-stream, which is not text]"},
		{"text of an unknown type is text", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/x-what")
			io.WriteString(w, "plain")
		}, "", "plain"},
		{"404 fails with the body", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotFound)
			io.WriteString(w, "no such item\n")
		}, nestor.CodeNotFound, "HTTP 404 Not Found: no such item"},
		{"a secret in an error body is hidden", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
			json.NewEncoder(w).Encode(map[string]string{"got": r.Header.Get("Authorization")})
		}, nestor.CodeForbidden, `HTTP 401 Unauthorized: {"got":"Bearer ${API_KEY}"}`},
		{"429 tells when to come back", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "30")
			w.WriteHeader(http.StatusTooManyRequests)
		}, nestor.CodeRateLimited, "HTTP 429 Too Many Requests (Retry-After: 30)"},
		{"500 shows an excerpt", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			io.WriteString(w, strings.Repeat("é", 5000))
		}, nestor.CodeUnavailable, "HTTP 500 Internal Server Error: " + strings.Repeat("é", 1024) + " […]"},
		{"a redirect to another host is not followed", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://other.invalid/x", http.StatusFound)
		}, nestor.CodeInvalid, `HTTP 302 Found: it redirects to http://other.invalid/x, which is not followed: <a href="http://other.invalid/x">Found</a>.`},
		{"a redirect on the same host is followed", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/end" {
				http.Redirect(w, r, "/end", http.StatusFound)
				return
			}
			io.WriteString(w, "arrived")
		}, "", "arrived"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			srv := httptest.NewServer(tt.respond)
			defer srv.Close()
			r := call(t, mustNew(t, Config{URL: srv.URL, Headers: map[string]string{"Authorization": "Bearer ${API_KEY}"}}), "")
			if r.Code != tt.code || r.Output+r.Error != tt.want {
				t.Errorf("got  %s %q\nwant %s %q", r.Code, r.Output+r.Error, tt.code, tt.want)
			}
		})
	}
}

func TestALongResponseIsCutAndASecretAtTheCutIsNotShown(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, strings.Repeat("x", maxResponse-5)+secretValue+strings.Repeat("y", 1000))
	}))
	defer srv.Close()
	made := mustNew(t, Config{
		URL: srv.URL, Headers: map[string]string{"Authorization": "${API_KEY}"},
		Settings: tool.Settings{OutputLimit: 2 * maxResponse},
	})
	r := call(t, made, "")
	if r.Status != nestor.ToolCallSuccess || !strings.HasSuffix(r.Output, "[the response is longer than 1048576 bytes; the rest was not read]") {
		t.Errorf("got %s …%q", r.Status, r.Output[max(0, len(r.Output)-100):])
	}
	if strings.Contains(r.Output, secretValue[:4]) || len(r.Output) > maxResponse+100 {
		t.Errorf("%d bytes, or the beginning of the secret", len(r.Output))
	}
}

func TestAResponseThatBreaksOffFails(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, "half")
	}))
	defer srv.Close()
	r := call(t, mustNew(t, Config{URL: srv.URL}), "")
	if r.Code != nestor.CodeUnavailable || !strings.Contains(r.Error, "broke off") {
		t.Errorf("got %+v", r)
	}
}

func TestPrivateAddressesNeedPermission(t *testing.T) {
	srv := echoServer(t)
	made, err := New(Config{Name: "x", URL: srv.URL + "/?k=${API_KEY}"}, Options{Env: env})
	if err != nil {
		t.Fatal(err)
	}
	r := call(t, made, "")
	if r.Code != nestor.CodeForbidden || !strings.Contains(r.Error, "loopback") {
		t.Errorf("got %+v", r)
	}
	if strings.Contains(r.Error, "5f2c") {
		t.Errorf("the error shows the secret: %s", r.Error)
	}
}

func TestAMissingVariableIsNamedWhenTheToolIsCalled(t *testing.T) {
	made := mustNew(t, Config{URL: "https://api.example.com/", Headers: map[string]string{"X-Key": "${OTHER_KEY}"}})
	if r := call(t, made, ""); r.Code != nestor.CodeUnavailable || r.Error != "set the environment variable OTHER_KEY" {
		t.Errorf("got %+v", r)
	}
}

func TestTheCallersContextEndsTheRequest(t *testing.T) {
	started := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(started)
		<-r.Context().Done()
	}))
	defer srv.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-started
		cancel()
	}()
	made := mustNew(t, Config{URL: srv.URL})
	if r := tool.Execute(ctx, made, tool.Call{}, tool.Options{}); r.Code != nestor.CodeCancelled {
		t.Errorf("got %+v", r)
	}
}

func TestConfigIsChecked(t *testing.T) {
	tests := []struct {
		name   string
		config Config
		want   string
	}{
		{"no name", Config{URL: "https://a.example"}, "name is missing"},
		{"no url", Config{Name: "x"}, "url is missing"},
		{"another scheme", Config{Name: "x", URL: "file:///etc/passwd"}, "must start with http:// or https://"},
		{"an argument as host", Config{Name: "x", URL: "https://{host}/"}, "a fixed host"},
		{"an argument as part of the host", Config{Name: "x", URL: "https://a.example{x}/"}, "a fixed host"},
		{"an argument as user", Config{Name: "x", URL: "https://{u}@a.example/"}, "a fixed host"},
		{"an empty placeholder", Config{Name: "x", URL: "https://a.example/{}"}, "{} without a name"},
		{"an unknown placeholder", Config{Name: "x", URL: "https://a.example/{id}"}, "url has {id}, which is not in parameters"},
		{
			"an optional placeholder",
			Config{Name: "x", URL: "https://a.example/{id}", Parameters: json.RawMessage(`{"properties":{"id":{}}}`)},
			"must list it as required",
		},
		{"an unknown method", Config{Name: "x", URL: "https://a.example", Method: "FETCH"}, `method "FETCH" is not one of GET`},
		{"an unknown effect", Config{Name: "x", URL: "https://a.example", Settings: tool.Settings{Effect: "rarely"}}, `effect "rarely"`},
		{"a place for nothing", Config{Name: "x", URL: "https://a.example", In: map[string]Place{"q": InQuery}}, `in names "q"`},
		{
			"an unknown place",
			Config{Name: "x", URL: "https://a.example", Parameters: json.RawMessage(`{"properties":{"q":{}}}`), In: map[string]Place{"q": "cookie"}},
			"not path, query, header or body",
		},
		{
			"a path argument that the path lacks",
			Config{Name: "x", URL: "https://a.example", Parameters: json.RawMessage(`{"properties":{"q":{}}}`), In: map[string]Place{"q": InPath}},
			"if and only if url has {q}",
		},
		{"parameters that are no schema", Config{Name: "x", URL: "https://a.example", Parameters: json.RawMessage(`[]`)}, "not a JSON Schema object"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := New(tt.config, Options{Env: env})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestMethodsGiveEffects(t *testing.T) {
	for method, want := range map[string]tool.Effect{
		"": tool.Pure, "GET": tool.Pure, "HEAD": tool.Pure, "PUT": tool.Idempotent, "DELETE": tool.Idempotent,
		"POST": tool.Once, "PATCH": tool.Once,
	} {
		if got := mustNew(t, Config{Method: method, URL: "https://a.example"}).Effect; got != want {
			t.Errorf("%q: got %s, want %s", method, got, want)
		}
	}
}

func TestUnknownArgumentsAreRejectedUnlessTheSchemaAllowsThem(t *testing.T) {
	srv := echoServer(t)
	closed := mustNew(t, Config{URL: srv.URL, Parameters: json.RawMessage(`{"properties":{"q":{}}}`)})
	if r := call(t, closed, `{"query":"x"}`); r.Code != nestor.CodeInvalid || !strings.Contains(r.Error, `there is no parameter "query"`) {
		t.Errorf("got %+v", r)
	}
}
