package httpapi_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/testmain"
)

func TestABodyThatDoesNotFitIsExplainedInTermsOfJSON(t *testing.T) {
	t.Parallel()
	a := serve(t, engines.SQLite(t), setup{})
	a.seed("local", "c1")
	for _, tt := range []struct{ path, body, says string }{
		{"/chats/c1/messages", `[]`, "the request body must be an object, not a JSON array"},
		{"/chats/c1/messages", `{"content":5}`, "content must be a string, not a JSON number"},
		{"/chats/c1/messages", `{"contentt":"a"}`, `there is no field \"contentt\" here`},
		{"/chats/c1/messages", `{"content":`, "the request body is not JSON: unexpected EOF"},
		{"/chats", `{"budget":{"tokens":"many"}}`, "budget.tokens must be a number, not a JSON string"},
		{"/query", `{"flat":"tasks","orderBy":{}}`, "orderBy must be an array, not a JSON object"},
		{"/users", `{"id":"ann","admin":1}`, "admin must be true or false, not a JSON number"},
	} {
		if status, text := a.call("POST", tt.path, tt.body); status != 400 || !strings.Contains(text, tt.says) {
			t.Errorf("%s to %s: %d %s", tt.body, tt.path, status, text)
		}
	}
}

func TestHostileBodiesAreRefusedAndChangeNothing(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{api: func(o *httpapi.Options) { o.MaxBody = 64 << 10 }})
		a.seed("local", "c1")
		mark := a.mark()
		deep := strings.Repeat(`{"a":`, 20_000)
		for name, tt := range map[string]struct {
			body   string
			status int
			code   string
		}{
			"too many bytes":            {`{"content":"` + strings.Repeat("x", 64<<10) + `"}`, 413, "too_large"},
			"too deep":                  {deep + `1` + strings.Repeat("}", 20_000), 413, "too_large"},
			"deep and not closed":       {deep[:60_000], 400, "invalid"},
			"lists without an end":      {strings.Repeat("[", 60_000), 400, "invalid"},
			"not UTF-8":                 {"{\"content\":\"\xff\xfe\"}", 400, "invalid"},
			"the character zero":        {`{"content":"a\u0000b"}`, 400, "invalid"},
			"two values":                {`{"content":"a"} {"content":"b"}`, 400, "invalid"},
			"not an object":             {`"content"`, 400, "invalid"},
			"nothing":                   {``, 400, "invalid"},
			"a number too large":        {`{"content":1e999}`, 400, "invalid"},
			"compressed without a word": {"\x1f\x8b\x08\x00\x00\x00\x00\x00", 400, "invalid"},
		} {
			for _, path := range []string{"/chats/c1/messages", "/docs/users/local/orch-chats/c1/messages/new"} {
				method := "POST"
				if strings.HasPrefix(path, "/docs") {
					method = "PUT"
				}
				status, text := a.call(method, path, tt.body)
				if status != tt.status || !strings.Contains(text, `"code":"`+tt.code+`"`) {
					t.Errorf("%s to %s: %d %.300s, want %d %s", name, path, status, text, tt.status, tt.code)
				}
			}
		}
		if changes := a.changesAfter(mark); len(changes) > 0 {
			t.Errorf("written: %v", changes)
		}
	})
}

// PostgreSQL takes neither as a text, and SQLite both.
func TestParametersThatAreNoTextAreRefusedByBothEngines(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		a := serve(t, open, setup{})
		a.seed("local", "c1")
		for _, path := range []string{"/chats?cursor=", "/chats/c1/messages?cursor=", "/search?q=", "/search?type=", "/runs?chat=", "/chats?limit=1&"} {
			for _, text := range []string{"a%00b", "%ff%fe", "%ed%a0%80"} {
				if status, answer := a.call("GET", path+text, ""); status != 400 || !strings.Contains(answer, `"code":"invalid"`) {
					t.Errorf("%s%s: %d %s", path, text, status, answer)
				}
			}
		}
	})
}

// raw sends bytes and returns the status line of the answer.
func (a *api) raw(request string) string {
	a.Helper()
	conn, err := net.Dial("tcp", a.server.Listener.Addr().String())
	if err != nil {
		a.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, request)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		a.Fatalf("%.80q: %v", request, err)
	}
	defer res.Body.Close()
	return res.Status
}

func TestPathTricksLeadNowhere(t *testing.T) {
	t.Parallel()
	a := serve(t, engines.SQLite(t), setup{})
	a.seed("local", "c1")
	a.seed("other", "c9")
	for _, path := range []string{
		"/chats/c1%2f..%2f..%2f..%2fother%2forch-chats%2fc9",
		"/chats/..%2f..%2fother%2forch-chats%2fc9",
		"/chats/%2e%2e/messages",
		"/chats/c1/../../../../metrics",
		"/chats/c1//messages",
		"/chats/./c1",
		"/chats/%00",
		"/chats/c1%00",
		"/chats/c1%0d%0aSet-Cookie:x",
		"/chats/c1;x=y",
		"/chats/%ff",
		"/chats/c1%2fmessages",
		"/chats/%2e",
		"/chats/" + strings.Repeat("x", 5000),
		"/docs/users/local/../other/orch-chats/c9",
		"/docs/users/local%2f..%2fother/orch-chats/c9",
		"/docs/users//orch-chats/c9",
		"/docs//etc/passwd",
		"/docs/secrets/x",
		"/docs/secrets%2fx",
		"/docs/users/%2e%2e/orch-chats/c9",
		"/docs/users/local/orch-chats/c1/",
	} {
		status := a.raw("GET /api/v1" + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nAuthorization: Bearer " + token + "\r\n\r\n")
		switch status[:3] {
		case "400", "404":
		case "301", "307": // to the path without tricks, which is checked like any other
		default:
			t.Errorf("%.80s: %s", path, status)
		}
	}
}

func TestHostileRequestsAreRefused(t *testing.T) {
	t.Parallel()
	a := serve(t, engines.SQLite(t), setup{server: func(s *http.Server) { s.MaxHeaderBytes = 64 << 10 }})
	const end = "\r\nHost: 127.0.0.1\r\nConnection: close\r\nAuthorization: Bearer " + token + "\r\n\r\n"
	for name, tt := range map[string]struct{ request, status string }{
		"headers without end":       {"GET /api/v1/chats HTTP/1.1\r\nX: " + strings.Repeat("x", 80<<10) + end, "431"},
		"two lengths":               {"POST /api/v1/query HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3" + end + "{}", "400"},
		"a length and chunks":       {"POST /api/v1/query HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked, x" + end, "501"},
		"another version":           {"GET /api/v1/chats HTTP/3.0" + end, "505"},
		"a method that is nonsense": {"G{T /api/v1/chats HTTP/1.1" + end, "400"},
		"no host":                   {"GET /api/v1/chats HTTP/1.1\r\nConnection: close\r\n\r\n", "400"},
		"another host":              {"GET /api/v1/chats HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", "403"},
	} {
		if got := a.raw(tt.request); !strings.HasPrefix(got, tt.status) {
			t.Errorf("%s: %s, want %s", name, got, tt.status)
		}
	}
}

func TestIdleStreamsTakeLittleMemory(t *testing.T) {
	streams := 3000
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		t.Fatal(err)
	}
	if most := int(min(files.Cur, 1<<20)) / 3; most < streams { // both ends are files of this process
		t.Logf("%d files allow for %d streams", files.Cur, most)
		streams = most
	}
	a := serve(t, engines.SQLite(t), setup{api: func(o *httpapi.Options) { o.StreamsPerUser = streams }})
	a.seed("local", "c1")
	before := memory()
	conns := make([]net.Conn, streams)
	for i := range conns {
		conn, err := net.Dial("tcp", a.server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "GET /api/v1/chats/c1/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n\r\n", token)
		conns[i] = conn
	}
	buffer := make([]byte, 4096)
	for _, conn := range conns { // all are there and live
		for text := ""; !strings.Contains(text, "id: "); {
			n, err := conn.Read(buffer)
			if err != nil {
				t.Fatal(err)
			}
			text += string(buffer[:n])
		}
	}
	if n := a.feed.Subscribers(); n < streams {
		t.Errorf("%d streams are live", n)
	}
	each := (memory() - before) / int64(streams)
	t.Logf("%d bytes per stream, both ends", each)
	if each > 100<<10 {
		t.Errorf("a stream takes %d bytes", each)
	}
	a.write("users/local/orch-chats/c1/notes/n1", `{}`)
	for _, conn := range conns {
		for text := ""; !strings.Contains(text, "event: change"); {
			n, err := conn.Read(buffer)
			if err != nil {
				t.Fatal(err)
			}
			text += string(buffer[:n])
		}
	}
}

// Clients that never read are sent large documents as they are written, from
// the log, and in snapshots of chats. The memory that this takes does not
// depend on how large the documents are, only on what the feed may hold.
func TestStreamsThatAreNotReadTakeLittleMemory(t *testing.T) {
	const (
		unread, past, live, size = 150, 100, 6, 1 << 18
		held, perStream, reading = 8 << 20, 100 << 10, 16 << 20
	)
	a := serve(t, engines.SQLite(t), setup{
		feed:   feed.Options{HeldBytes: held},
		api:    func(o *httpapi.Options) { o.StreamsPerUser, o.WriteTimeout = unread, time.Minute },
		server: slowly(4 << 10),
	})
	write := func(i int) {
		a.write(fmt.Sprintf("users/local/orch-chats/c1/notes/n%d", i), `{"text":"`+strings.Repeat("x", size-100)+`"}`)
	}
	a.write("users/local/orch-chats/c1", `{}`)
	first := a.mark()
	for i := range past {
		write(i)
	}
	before := memory()
	paths := []string{
		"/stream?from=%d", "/chats/c1/events?from=%d", "/stream?path=users/local/**&since=%d", "/chats/c1/events?snapshot=1&since=%d",
		"/replication/stream?scope=documents/users/local/orch-chats/c1/notes&since=%d",
	}
	for i := range unread {
		conn, err := net.Dial("tcp", a.server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if err := conn.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
			t.Fatal(err)
		}
		path := fmt.Sprintf(paths[i%len(paths)], first+int64(i)%past)
		fmt.Fprintf(conn, "GET /api/v1%s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n\r\n", path, token)
		if _, err := conn.Read(make([]byte, 100)); err != nil { // it is there
			t.Fatal(err)
		}
	}
	const most = held + unread*perStream + reading
	worst := int64(0)
	for i := range live {
		write(past + i)
		testmain.Until(t, "the feed comes that far", func() bool { return a.feed.Position() >= first+past+int64(i)+1 })
		worst = max(worst, memory()-before)
		if n := a.feed.Held(); n > held {
			t.Errorf("%d bytes are held for those who do not read", n)
		}
	}
	t.Logf("%d MB for %d streams and %d MB of documents", worst>>20, unread, (past+live)*size>>20)
	if worst > most {
		t.Errorf("they take %d MB, more than %d", worst>>20, most>>20)
	}
}

// memory is what is in use, stacks included.
func memory() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
