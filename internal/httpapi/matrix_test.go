package httpapi_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store/engines"
)

func TestNobodyGetsWhatIsNotTheirs(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		for _, r := range requests {
			want := strings.Fields(r.people)
			for i, c := range w.callers {
				if status := w.try(r, c); status != want[i] {
					t.Errorf("%s %s as %s: %s, want %s", r.pattern, r.path, c.name, status, want[i])
				}
			}
			for _, c := range w.nobodies {
				if status := w.try(r, c); status != "401" {
					t.Errorf("%s %s as %s: %s, want 401", r.pattern, r.path, c.name, status)
				}
			}
		}
	})
}

func TestRoutesBeforeALoginTellNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, engines.SQLite(t))
	for _, r := range openRequests {
		if status := w.try(r, w.nobodies[0]); status != r.people {
			t.Errorf("%s: %s, want %s", r.pattern, status, r.people)
		}
	}
}

// Metrics are no route of the API, and only for whoever runs the server.
func TestMetricsAreForTheMachineAndForAdministrators(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, open engines.Database) {
		w := newWorld(t, open)
		get := func(from, host, bearer string, header ...string) (int, string) {
			r := httptest.NewRequest("GET", "http://"+host+"/metrics", nil)
			r.RemoteAddr = from
			if bearer != "" {
				r.Header.Set("Authorization", bearer)
			}
			for i := 0; i < len(header); i += 2 {
				r.Header.Set(header[i], header[i+1])
			}
			// The address that the connection came in on is a name of the server.
			r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(&net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 80})))
			res := httptest.NewRecorder()
			w.server.Config.Handler.ServeHTTP(res, r)
			return res.Code, res.Body.String()
		}
		const near, far = "127.0.0.1:5000", "192.0.2.7:5000"
		callers := slices.Concat(w.callers, w.nobodies, []caller{
			{"an admin's key that may read", "amy", w.apiKey("amy", access.ScopeRead), nil},
			{"an admin's key", "amy", w.apiKey("amy", access.ScopeAdmin), nil},
			{"an admin's key for notes", "amy", w.apiKey("amy", access.ScopeAdmin, "users/amy/notes/**"), nil},
			{"who runs the server", "local", "Bearer " + token, nil},
		})
		want := strings.Fields("403 403 403 403 200 403 403 403 401 401 401 401 401 403 200 403 200")
		for i, c := range callers {
			status, text := get(far, "192.0.2.1", c.bearer)
			if fmt.Sprint(status) != want[i] || (status == 200) != strings.Contains(text, "nestor_") {
				t.Errorf("as %s: %d %s, want %s", c.name, status, text, want[i])
			}
		}
		if status, _ := get(near, "127.0.0.1:8787", ""); status != 200 {
			t.Errorf("a program on the machine gets %d", status)
		}
		if status, _ := get("[::1]:5000", "localhost", ""); status != 200 {
			t.Errorf("over IPv6: %d", status)
		}
		for name, header := range map[string][]string{
			"a proxy that says for whom": {"X-Forwarded-For", "198.51.100.1"}, "another": {"Forwarded", "for=198.51.100.1"}, "a third": {"Via", "1.1 proxy"},
		} {
			if status, text := get(near, "127.0.0.1", "", header...); status != 401 {
				t.Errorf("%s: %d %s", name, status, text)
			}
		}
		if status, text := get(near, "192.0.2.1", ""); status != 401 {
			t.Errorf("a proxy that keeps the name: %d %s", status, text)
		}
		if status, text := get(near, "evil.example", ""); status != 403 {
			t.Errorf("a name that is not the server's: %d %s", status, text)
		}
	})
}

// try sends a request as somebody and checks that the answer holds nothing that
// they may not see. What it changed is put back.
func (w *world) try(r row, c caller) (status string) {
	w.Helper()
	method, _, found := strings.Cut(r.pattern, " ")
	if !found {
		method = "GET"
	}
	// From another address each time: guesses at the token have to wait.
	res := w.request(method, r.path, r.body, "Authorization", c.bearer, "X-Forwarded-For", w.elsewhere())
	defer res.Body.Close()
	var text string
	if res.Header.Get("Content-Type") == "text/event-stream" {
		b := make([]byte, 64<<10)
		n, _ := res.Body.Read(b) // what it begins with
		text = string(b[:n])
	} else {
		b, err := io.ReadAll(res.Body)
		if err != nil {
			w.Fatal(err)
		}
		text = string(b)
	}
	w.check(c, method+" "+r.path, text)
	if method != http.MethodGet && res.StatusCode < 300 {
		w.fill()
	}
	return fmt.Sprint(res.StatusCode)
}
