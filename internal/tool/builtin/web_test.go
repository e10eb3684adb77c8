package builtin

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/tool"
)

func TestWebFetch(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<p>moved") }))
	defer other.Close()
	page := func(contentType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			if contentType != "" {
				w.Header().Set("Content-Type", contentType)
			}
			io.WriteString(w, body)
		}
	}
	mux := http.NewServeMux()
	mux.Handle("/html", page("text/html; charset=utf-8", `<title>Café</title><nav>x</nav><h1>Menü</h1><p>See <a href="/more">more</a></p>`))
	mux.Handle("/latin1", page("text/html; charset=iso-8859-1", "<p>M\xfcnchen"))
	mux.Handle("/meta", page("text/html", "<meta charset=windows-1251><p>\xcf\xf0\xe8\xe2\xe5\xf2"))
	mux.Handle("/guessed", page("text/html", "<p>M\xfcnchen"))
	mux.Handle("/late-utf8", page("text/html", "<p>"+strings.Repeat("a ", 1000)+"Zürich"))
	mux.Handle("/json", page("application/json", `{"city":"Zürich"}`))
	mux.Handle("/utf16", page("text/plain; charset=utf-16le", "\xff\xfeh\x00i\x00"))
	mux.Handle("/untyped", page("", "just text"))
	mux.Handle("/untyped-binary", page("", "\x00\x01\x02"))
	mux.Handle("/pdf", page("application/pdf", "%PDF"))
	mux.Handle("/scripts", page("text/html", `<div id=root></div><script>x()</script>`))
	mux.Handle("/missing", http.NotFoundHandler())
	mux.Handle("/moved", http.RedirectHandler(other.URL+"/", http.StatusMovedPermanently))
	mux.Handle("/broken", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, "half")
	}))
	srv := httptest.NewServer(mux)
	defer srv.Close()

	made := find(t, Options{AllowPrivate: true}, "web_fetch")
	tests := []struct{ path, want string }{
		{"/html", "URL: SRV/html\nTitle: Café\n\n# Menü\n\nSee [more](SRV/more)"},
		{"/latin1", "URL: SRV/latin1\nTitle: \n\nMünchen"},
		{"/meta", "URL: SRV/meta\nTitle: \n\nПривет"},
		{"/guessed", "URL: SRV/guessed\nTitle: \n\nMünchen"},
		{"/late-utf8", "URL: SRV/late-utf8\nTitle: \n\n" + strings.Repeat("a ", 1000) + "Zürich"},
		{"/json", "URL: SRV/json\n\n{\"city\":\"Zürich\"}"},
		{"/utf16", "URL: SRV/utf16\n\nhi"},
		{"/untyped", "URL: SRV/untyped\n\njust text"},
		{"/untyped-binary", "SRV/untyped-binary is not text"},
		{"/pdf", "SRV/pdf is of type application/pdf, which cannot be read as text"},
		{"/scripts", "URL: SRV/scripts\nTitle: \n\n[the page has no readable text; it may be built by scripts]"},
		{"/missing", "SRV/missing answers HTTP 404 Not Found"},
		{"/moved", "URL: OTHER/\nTitle: \n\nmoved"},
		{"/broken", "the page broke off: unexpected EOF"},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			r := run(t, made, `{"url":"`+srv.URL+tt.path+`"}`)
			want := strings.NewReplacer("SRV", srv.URL, "OTHER", other.URL).Replace(tt.want)
			if r.Output+r.Error != want {
				t.Errorf("got  %q\nwant %q", r.Output+r.Error, want)
			}
		})
	}
}

func TestWebFetchRefuses(t *testing.T) {
	srv := httptest.NewServer(http.NotFoundHandler())
	defer srv.Close()
	made := find(t, Options{}, "web_fetch")
	tests := []struct {
		name, url string
		code      nestor.Code
	}{
		{"a private address", srv.URL, nestor.CodeForbidden},
		{"the metadata service", "http://169.254.169.254/latest/meta-data/", nestor.CodeForbidden},
		{"a name for this machine", strings.Replace(srv.URL, "127.0.0.1", "localhost", 1), nestor.CodeForbidden},
		{"a file", "file:///etc/passwd", nestor.CodeInvalid},
		{"a relative address", "example.com/x", nestor.CodeInvalid},
		{"no host", "http:///x", nestor.CodeInvalid},
		{"nonsense", "ht tp://x", nestor.CodeInvalid},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if r := run(t, made, `{"url":"`+tt.url+`"}`); r.Status != nestor.ToolCallFailed || r.Code != tt.code {
				t.Errorf("got %+v, want %s", r, tt.code)
			}
		})
	}
}

func TestWebFetchReadsNoMoreThanItsLimit(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		io.WriteString(w, strings.Repeat("é", maxPage))
	}))
	defer srv.Close()
	made := find(t, Options{AllowPrivate: true}, "web_fetch").With(tool.Settings{OutputLimit: 2 * maxPage})
	r := run(t, made, `{"url":"`+srv.URL+`"}`)
	if !strings.HasSuffix(r.Output, "[the page is longer than 5242880 bytes; the rest was not read]") || len(r.Output) > maxPage+200 {
		t.Errorf("got %d bytes, %s", len(r.Output), r.Error)
	}
}

// A gigabyte takes a megabyte on the wire. What is beyond the limit is never unpacked.
func TestWebFetchUnpacksNoMoreThanItsLimit(t *testing.T) {
	written := make(chan int64, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Encoding", "gzip")
		packed := gzip.NewWriter(w)
		piece, n := bytes.Repeat([]byte("a"), 1<<20), int64(0)
		for range 1024 {
			wrote, err := packed.Write(piece)
			n += int64(wrote)
			if err != nil || packed.Flush() != nil {
				break
			}
		}
		written <- n
	}))
	defer srv.Close()
	made := find(t, Options{AllowPrivate: true}, "web_fetch")
	r := run(t, made, `{"url":"`+srv.URL+`"}`)
	if len(r.Output) > 100<<10 || !r.Truncated {
		t.Errorf("got %d bytes, %s", len(r.Output), r.Error)
	}
	if n := <-written; n == 1<<30 {
		t.Error("all of it was read")
	}
}

// tavily is a server with the wire format of the search API.
func tavily(t *testing.T, status int, reply string, got *http.Request, body *string) *httptest.Server {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*got = *r.Clone(context.Background())
		raw, _ := io.ReadAll(r.Body)
		*body = string(raw)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		io.WriteString(w, reply)
	}))
	t.Cleanup(srv.Close)
	return srv
}

const tavilyReply = `{"query":"go release","follow_up_questions":null,"answer":"Go 1.26 is out.","images":[],
"results":[{"title":"Go 1.26","url":"https://go.dev/doc/go1.26","content":"Release\n notes …","score":0.98,"raw_content":null},
{"title":"News","url":"https://news.example/go","content":"More","score":0.5,"published_date":"Tue, 10 Feb 2026 10:00:00 GMT"}],
"response_time":1.1,"request_id":"r-1"}`

func TestTavilySearch(t *testing.T) {
	var req http.Request
	var body string
	srv := tavily(t, http.StatusOK, tavilyReply, &req, &body)
	made := find(t, Options{TavilyURL: srv.URL + "/", TavilyKey: "tvly-secret"}, "tavily_search")
	r := run(t, made, `{"query":"go release","maxResults":2,"topic":"news","timeRange":"week","domains":["go.dev"]}`)
	want := "Answer: Go 1.26 is out.\n\n" +
		"1. [Go 1.26](https://go.dev/doc/go1.26)\n   Release notes …\n\n" +
		"2. [News](https://news.example/go)\n   Tue, 10 Feb 2026 10:00:00 GMT\n   More"
	if r.Output != want {
		t.Errorf("got  %q %s\nwant %q", r.Output, r.Error, want)
	}
	if req.Method != http.MethodPost || req.URL.Path != "/search" || req.Header.Get("Authorization") != "Bearer tvly-secret" {
		t.Errorf("sent %s %s %v", req.Method, req.URL, req.Header)
	}
	var sent, wantSent any
	json.Unmarshal([]byte(body), &sent)
	json.Unmarshal([]byte(`{"query":"go release","max_results":2,"topic":"news","time_range":"week","include_domains":["go.dev"],"include_answer":true}`), &wantSent)
	if a, b := mustJSON(t, sent), mustJSON(t, wantSent); a != b {
		t.Errorf("sent %s, want %s", a, b)
	}
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestTavilySearchFailsPlainly(t *testing.T) {
	const key = "tvly-secret"
	tests := []struct {
		name      string
		key       string
		status    int
		reply     string
		arguments string
		code      nestor.Code
		want      string
	}{
		{
			"without a key it says which variable to set", "", 200, "", `{"query":"x"}`,
			nestor.CodeUnavailable, "tavily_search needs an API key: set the environment variable TAVILY_API_KEY (keys are given at https://tavily.com)",
		},
		{
			"a wrong key", key, 401, `{"detail":{"error":"Unauthorized: invalid API key tvly-secret."}}`, `{"query":"x"}`,
			nestor.CodeForbidden, "the search API rejects the key in TAVILY_API_KEY (HTTP 401 Unauthorized): Unauthorized: invalid API key ${TAVILY_API_KEY}.",
		},
		{"too many requests", key, 429, `{}`, `{"query":"x"}`, nestor.CodeRateLimited, "the search API's limit is reached (HTTP 429 Too Many Requests)"},
		{
			"a plan that is used up", key, 432, `{"detail":{"error":"This request exceeds your plan's set usage limit."}}`, `{"query":"x"}`,
			nestor.CodeRateLimited, "the search API's limit is reached (HTTP 432 status code 432): This request exceeds your plan's set usage limit.",
		},
		{"a broken server", key, 500, `oops`, `{"query":"x"}`, nestor.CodeUnavailable, "the search API answers HTTP 500 Internal Server Error"},
		{"a reply that is no JSON", key, 200, `oops`, `{"query":"x"}`, nestor.CodeUnavailable, "the search API's reply is not valid JSON: invalid character 'o' looking for beginning of value"},
		{"no results", key, 200, `{"results":[]}`, `{"query":"x"}`, "", "No pages were found."},
		{"an empty query", key, 200, "", `{"query":" "}`, nestor.CodeInvalid, "query is empty"},
		{"too many results", key, 200, "", `{"query":"x","maxResults":21}`, nestor.CodeInvalid, "maxResults is 21; give 1 to 20"},
		{"an unknown topic", key, 200, "", `{"query":"x","topic":"sports"}`, nestor.CodeInvalid, `topic "sports" is not general, news or finance`},
		{"an unknown time", key, 200, "", `{"query":"x","timeRange":"decade"}`, nestor.CodeInvalid, `timeRange "decade" is not day, week, month or year`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var req http.Request
			var body string
			srv := tavily(t, tt.status, tt.reply, &req, &body)
			r := run(t, find(t, Options{TavilyURL: srv.URL, TavilyKey: tt.key}, "tavily_search"), tt.arguments)
			if r.Code != tt.code || r.Output+r.Error != tt.want {
				t.Errorf("got  %s %q\nwant %s %q", r.Code, r.Output+r.Error, tt.code, tt.want)
			}
		})
	}
}
