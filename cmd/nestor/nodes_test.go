package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/internal/launch"
	"github.com/nestorhq/nestor/internal/servertest"
)

// Another node takes the work over long before a lease ends if the process is
// gone, and when the lease has ended if it only does not move. What was asked is
// asked again by the other, and no sooner.
func TestAnotherNodeTakesOver(t *testing.T) {
	for name, how := range map[string]struct {
		signal syscall.Signal
		lease  time.Duration
	}{
		"killed":      {syscall.SIGKILL, time.Minute},
		"frozen":      {syscall.SIGSTOP, 5 * time.Second},
		"interrupted": {syscall.SIGTERM, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			url := servertest.Postgres(t)
			h := newHotel(t, "NESTOR_DB="+url, "NESTOR_LEASE="+how.lease.String(), "NESTOR_DRAIN=1ms")
			ctx, cancel := context.WithTimeout(t.Context(), stayLimit)
			defer cancel()
			first := h.hold(reserveStep)
			chat, err := h.client.CreateChat(ctx, client.NewChat{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := h.client.Say(ctx, chat.ID, "Book room 7 for me."); err != nil {
				t.Fatal(err)
			}
			h.wait(ctx, first)
			h.program.serve() // the other one
			again := h.hold(reserveStep)
			began := time.Now()
			if err := h.server.Signal(how.signal); err != nil {
				t.Fatal(err)
			}
			var ends time.Time
			if how.signal == syscall.SIGSTOP {
				ends = leaseEnds(t, ctx, url)
			}
			h.wait(ctx, again)
			took := time.Since(began)
			t.Logf("taken over after %s; the lease is %s", took.Round(time.Millisecond), how.lease)
			if how.signal == syscall.SIGSTOP {
				if now := databaseTime(t, ctx, url); now.Before(ends) {
					t.Errorf("the other node took over %s before the lease ended", ends.Sub(now))
				}
				if err := h.server.Signal(syscall.SIGCONT); err != nil {
					t.Fatal(err)
				}
			} else if took > how.lease {
				t.Errorf("the other node waited for the lease to end")
			}
			close(again.over)
			if n := h.counts()[reserveStep]; n != 2 {
				t.Errorf("the model was asked %d times", n)
			}
		})
	}
}

// leaseEnds is when the lease of the node ends that runs a job, by the clock of the database.
func leaseEnds(t *testing.T, ctx context.Context, url string) time.Time {
	t.Helper()
	return timeOf(t, ctx, url, "SELECT max(expires_at) FROM nodes WHERE id IN (SELECT owner FROM jobs WHERE state = 'running')")
}

func databaseTime(t *testing.T, ctx context.Context, url string) time.Time {
	t.Helper()
	return timeOf(t, ctx, url, "SELECT clock_timestamp()")
}

func timeOf(t *testing.T, ctx context.Context, url, query string) (at time.Time) {
	t.Helper()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if err := conn.QueryRow(ctx, query).Scan(&at); err != nil {
		t.Fatal(err)
	}
	return at
}

// A server that is told to stop lets what runs come to its end, and tells those who
// follow to come back.
func TestAServerThatIsToldToStopFinishesAndSaysToComeBack(t *testing.T) {
	onEachEngine(t, func(t *testing.T, env []string) {
		h := newHotel(t, append(env, "NESTOR_DRAIN=1m")...)
		ctx, cancel := context.WithTimeout(t.Context(), stayLimit)
		defer cancel()
		held := h.hold(delegateStep)
		chat, err := h.client.CreateChat(ctx, client.NewChat{ID: "c1", Title: "Stay"})
		if err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+h.address+"/api/v1/chats/c1/events?from=0", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+guestToken)
		stream, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer stream.Body.Close()
		lines := bufio.NewReader(stream.Body)
		if _, err := lines.ReadString('\n'); err != nil { // it is open
			t.Fatal(err)
		}
		if _, err := h.client.Say(ctx, chat.ID, "Book room 7 for me."); err != nil {
			t.Fatal(err)
		}
		h.wait(ctx, held)
		if err := h.server.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		rest, err := io.ReadAll(lines) // the stream ends before what runs does
		if err != nil {
			t.Fatal(err)
		}
		events := strings.Split(strings.TrimSpace(string(rest)), "\n\n")
		if last := events[len(events)-1]; !strings.HasPrefix(last, "retry: ") {
			t.Errorf("the stream ends with %q", last)
		}
		close(held.over)
		if _, err := h.server.Wait(); err != nil {
			t.Fatal(err)
		}
		after := h.counts()
		_, h.server = h.program.serve("--addr", h.address)
		var said []string
		for m, err := range h.client.Messages(ctx, chat.ID) {
			if err != nil {
				t.Fatal(err)
			}
			said = append(said, string(m.Role))
		}
		if after[delegateStep] != 1 || strings.Join(said, " ") != "user assistant" {
			t.Errorf("the model was asked %d times, and the chat has %v: what ran did not come to its end", after[delegateStep], said)
		}
	})
}

// upcoming links a program that knows one more step of the schema, as the next
// release would: tables that nodes write all the time get a column and an index.
var upcoming = sync.OnceValues(func() (string, error) {
	sql := ""
	for _, table := range []string{"jobs", "changes", "chats", "messages", "tasks", "sub_agents", "sub_agent_messages", "sub_agent_tool_calls", "documents"} {
		sql += "ALTER TABLE " + table + " ADD COLUMN upcoming integer NOT NULL DEFAULT 7; CREATE INDEX " + table + "_upcoming ON " + table + " (upcoming); "
	}
	return launch.Build("nestor-upcoming", "-X 'github.com/nestorhq/nestor/internal/store.upcoming="+sql+"'")
})

// newer is the same program after an upgrade.
func (p *program) newer() *program {
	p.Helper()
	name, err := upcoming()
	if err != nil {
		p.Fatal(err)
	}
	return &program{T: p.T, env: p.env, name: name}
}

// An old node and a new one work on one database while an upgrade is under way:
// each goes on with what the other began, and who follows at either sees the same.
func TestOldAndNewNodesWorkTogetherWhileTheyAreUpgraded(t *testing.T) {
	h := newHotel(t, "NESTOR_DB="+servertest.Postgres(t))
	oldNode, oldProcess := h.client, h.server
	next := h.program.newer()
	ctx, cancel := context.WithTimeout(t.Context(), stayLimit)
	defer cancel()
	if out := next.prints("migrate"); !strings.Contains(out, "up to date") {
		t.Errorf("migrate says %q", out)
	}
	link, newProcess := next.serve()
	base, _, _ := strings.Cut(link, "/?")
	newNode := client.New(base, guestToken)

	// Each of them gets a whole stay, and is followed at the other one.
	for _, at := range []struct {
		name       string
		here, away *client.Client
	}{{"old", oldNode, newNode}, {"new", newNode, oldNode}} {
		h.forget()
		h.client = at.here
		chat, task := h.stay(ctx)
		h.check(ctx, chat, task, "")
		here, away := paths(t, ctx, at.here, chat), paths(t, ctx, at.away, chat)
		if here != away || here == "" {
			t.Errorf("followed at the %s node: %s\nand at the other one: %s", at.name, here, away)
		}
	}

	// Either ends what the other began.
	for _, turn := range []struct {
		from    *client.Client
		process *os.Process
		restart func() *os.Process
	}{
		{newNode, newProcess, func() *os.Process { _, p := next.serve("--addr", strings.TrimPrefix(base, "http://")); return p }},
		{oldNode, oldProcess, func() *os.Process { _, p := h.program.serve("--addr", h.address); return p }},
	} {
		h.forget()
		h.client = turn.from
		held := h.hold(reserveStep)
		var chat string
		var task nestor.Task
		var guest sync.WaitGroup
		guest.Go(func() { chat, task = h.stay(ctx) })
		h.wait(ctx, held)
		if err := turn.process.Kill(); err != nil {
			t.Fatal(err)
		}
		_, _ = turn.process.Wait() // it was killed
		reached := h.hold(signStep)
		h.wait(ctx, reached) // by the other one, for this one is gone
		close(reached.over)
		turn.restart() // an old program starts on the newer schema, too
		guest.Wait()
		h.check(ctx, chat, task, reserveStep)
	}
}

// paths is what a follower of a chat is told from the beginning on.
func paths(t *testing.T, ctx context.Context, c *client.Client, chat string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var told []string
	for e, err := range c.Events(ctx, chat, client.Start) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Change == nil {
			continue
		}
		told = append(told, string(e.Change.Type)+" "+string(e.Change.Path))
		var m nestor.Message
		if e.Change.Collection == "messages" && e.Change.Decode(&m) == nil && m.Content == conclusion {
			return strings.Join(told, "\n")
		}
	}
	return ""
}

// A program that does not know a step works on if the step only adds something,
// and says so; otherwise it refuses to start, and one that runs stops by itself.
func TestAnOldProgramMeetsANewerSchema(t *testing.T) {
	url := servertest.Postgres(t)
	p := newProgram(t, "NESTOR_DB="+url, "NESTOR_LEASE=300ms")
	p.newer().prints("migrate")
	ctx, cancel := context.WithTimeout(t.Context(), stayLimit)
	defer cancel()
	if out := p.prints("jobs", "ls"); !strings.Contains(out, "but start the newer nestor soon") || !strings.Contains(out, "No jobs.") {
		t.Errorf("on a schema with more than it knows: %s", out)
	}
	cmd := p.command("serve", "--addr", "127.0.0.1:0")
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if anyLink.MatchString(lines.Text()) {
			break
		}
	}
	breakSchema(t, ctx, url)
	text, err := io.ReadAll(said) // until it has ended
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, out)
	if err := cmd.Wait(); err == nil || !strings.Contains(string(text), "use the newer nestor that wrote it") {
		t.Errorf("when the schema became one that it must not write to it ended with %v, and said:\n%s", err, text)
	}
	again, err := p.command("migrate").CombinedOutput()
	if err == nil || !strings.Contains(string(again), "use the newer nestor that wrote it") {
		t.Errorf("it starts again: %v %s", err, again)
	}
}

// breakSchema does to a database what a step does that older programs cannot work
// with.
func breakSchema(t *testing.T, ctx context.Context, url string) {
	t.Helper()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, "INSERT INTO migrations (version, name, floor) VALUES (1000, 'breaking', 1000)"); err != nil {
		t.Fatal(err)
	}
}
