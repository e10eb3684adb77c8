package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/nestorhq/nestor/internal/proctest"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/testmain"
)

func TestMain(m *testing.M) {
	if os.Getenv(camera) != "" {
		if err := serveCamera(); err != nil {
			os.Stderr.WriteString(err.Error())
		}
		return
	}
	testmain.Run(m)
}

// maxSize is how many bytes the program may have. A library that is linked for one
// call, or a single use of text/template, can add ten megabytes that nobody
// notices: see Libraries in docs/design.md.
const maxSize = 55_000_000

func TestTheProgramStaysSmall(t *testing.T) {
	file, err := os.Stat(proctest.Nestor(t))
	if err != nil {
		t.Fatal(err)
	}
	if file.Size() > maxSize {
		t.Errorf("the program has %d bytes, want at most %d", file.Size(), maxSize)
	}
}

func TestThePasswordsOfTheProgramAreExpensiveToGuess(t *testing.T) {
	p := newProgram(t)
	add := p.command("users", "add", "ann", "--data", t.TempDir())
	add.Stdin = strings.NewReader(servertest.Password + "\n")
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	database, err := os.ReadFile(filepath.Join(add.Args[len(add.Args)-1], "nestor.db"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(database, []byte("$argon2id$v=19$m=65536,t=3,p=4$")) {
		t.Error("the database has no hash of the usual cost")
	}
}

// program is the built program as somebody uses it, with a data folder.
type program struct {
	*testing.T
	env  []string
	name string // of another build than the usual one
}

func newProgram(t *testing.T, env ...string) *program {
	return &program{T: t, env: append([]string{"PATH=" + os.Getenv("PATH"), "NESTOR_MODEL=demo", "NESTOR_DATA=" + t.TempDir()}, env...)}
}

func (p *program) command(args ...string) *exec.Cmd {
	p.Helper()
	name := p.name
	if name == "" {
		name = proctest.Nestor(p)
	}
	cmd := exec.CommandContext(p.Context(), name, args...)
	cmd.Env = p.env
	return cmd
}

// prints runs a command to its end.
func (p *program) prints(args ...string) string {
	p.Helper()
	out, err := p.command(args...).CombinedOutput()
	if err != nil {
		p.Fatalf("nestor %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

var anyLink = regexp.MustCompile(`http://127\.0\.0\.1:\d+/\?token=nst_u_\w+`)

// serve starts a server, with more flags than the usual ones if there are any, and
// returns the link that it prints. It ends with the test.
func (p *program) serve(flags ...string) (link string, process *os.Process) {
	p.Helper()
	cmd := p.command(append([]string{"serve", "--addr", "127.0.0.1:0", "--log-level", "error"}, flags...)...)
	cmd.Stderr = os.Stderr
	server := proctest.RunUntil(p, cmd, anyLink)
	return server.Said, server.Process
}

// browser keeps cookies, and accepts pages.
type browser struct {
	*testing.T
	http.Client
}

func newBrowser(t *testing.T) *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t, http.Client{Jar: jar, Transport: &http.Transport{DisableKeepAlives: true}}}
}

func (b *browser) send(method, url, body string) (int, string) {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), method, url, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Accept", "text/html")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	res, err := b.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// isIn reports whether a browser is signed in to a server.
func (b *browser) isIn(base string) bool {
	b.Helper()
	status, text := b.send("GET", base+"/api/v1/me", "")
	return status == 200 && strings.Contains(text, `"id":"local"`)
}

func TestALinkSignsABrowserInToARunningServer(t *testing.T) {
	for name, env := range map[string]func(t *testing.T) []string{
		"sqlite":   func(*testing.T) []string { return nil },
		"postgres": func(t *testing.T) []string { return []string{"NESTOR_DB=" + servertest.Postgres(t)} },
	} {
		t.Run(name, func(t *testing.T) {
			const token = "short-on-loopback"
			p := newProgram(t, append(env(t), "NESTOR_TOKEN="+token)...)
			first, _ := p.serve()
			base, _, _ := strings.Cut(first, "/?")
			one := newBrowser(t)
			if status, text := one.send("GET", first, ""); status != 200 || !one.isIn(base) {
				t.Fatalf("the first link: %d %s", status, text)
			}
			other := newBrowser(t)
			status, text := other.send("GET", first, "")
			if status != 401 || !strings.Contains(text, "<pre>nestor link</pre>") || other.isIn(base) {
				t.Errorf("a used link: %d %s", status, text)
			}
			printed := p.prints("link")
			second, _, _ := strings.Cut(printed, "\n")
			if anyLink.FindString(second) != second || !strings.HasPrefix(second, base) || second == first {
				t.Fatalf("printed %s", printed)
			}
			if status, text := other.send("GET", second, ""); status != 200 || !other.isIn(base) {
				t.Errorf("the second link: %d %s", status, text)
			}
			third := newBrowser(t)
			if status, _ := third.send("GET", second, ""); status != 401 || third.isIn(base) {
				t.Errorf("the second link, again: %d", status)
			}
			if status, text := third.send("POST", base+"/api/v1/login", `{"token":"`+token+`"}`); status != 200 || !third.isIn(base) {
				t.Errorf("by the token: %d %s", status, text)
			}

			// Another server on the host does not take the browser's session.
			q := newProgram(t)
			link, _ := q.serve()
			elsewhere, _, _ := strings.Cut(link, "/?")
			if status, _ := one.send("GET", link, ""); status != 200 || !one.isIn(elsewhere) || !one.isIn(base) {
				t.Errorf("two servers: %d, %t, %t", status, one.isIn(elsewhere), one.isIn(base))
			}
		})
	}
}

func TestALinkToNoServerIsRefused(t *testing.T) {
	p := newProgram(t)
	_, process := p.serve()
	if err := process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := process.Wait(); err != nil {
		t.Fatal(err)
	}
	out, err := p.command("link").CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("no server runs")) || bytes.Contains(out, []byte("nst_u_")) {
		t.Errorf("after a kill: %v %s", err, out)
	}
}

// A limit on the size of files stands for a full disk: SQLite can extend
// neither its log nor its database.
func TestAServerWhoseDiskIsFullIsNotReady(t *testing.T) {
	const token = "short-on-loopback"
	p := newProgram(t, "NESTOR_TOKEN="+token)
	link, process := p.serve()
	base, _, _ := strings.Cut(link, "/?")
	b := newBrowser(t)
	limit := func(size uint64) {
		t.Helper()
		if err := unix.Prlimit(process.Pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: size, Max: unix.RLIM_INFINITY}, nil); err != nil {
			t.Fatal(err)
		}
	}
	until := func(want int) {
		t.Helper()
		for {
			if status, _ := b.send("GET", base+"/readyz", ""); status == want {
				return
			}
			if err := t.Context().Err(); err != nil {
				t.Fatal(err)
			}
		}
	}
	put := func() (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "PUT", base+"/api/v1/docs/users/u1/notes/n1", strings.NewReader(`{"text":"x"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		res, err := b.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		var answer struct{ Error struct{ Code string } }
		if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, answer.Error.Code
	}
	until(200)
	limit(4096)
	until(503)
	if status, code := put(); status != 503 || code != "unavailable" {
		t.Errorf("a write: %d %s", status, code)
	}
	if status, _ := b.send("GET", base+"/healthz", ""); status != 200 {
		t.Errorf("it does not live any more: %d", status)
	}
	limit(unix.RLIM_INFINITY)
	until(200)
	if status, code := put(); status != 201 {
		t.Errorf("a write when there is room again: %d %s", status, code)
	}
}
