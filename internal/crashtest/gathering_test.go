package crashtest

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/worker"
)

// runMember is one of several nodes that hold a conversation with a person
// elsewhere. It says "ended" after every job, with the trigger and the outcome,
// and, if told to wait, "waits" before it offers or runs tools of the booker.
// It works on one job at a time, so that there is work for others.
func runMember(ctx context.Context, c *child) error {
	opts := memberOptions{
		concurrency: 1, poll: 20 * time.Millisecond,
		ended: func(j *nestor.Job, o worker.Outcome) { c.say("ended", j.Trigger, o) },
	}
	if c.Wait {
		opts.offers = func(role string) {
			if role == "booker" {
				c.say("waits")
				<-c.input
			}
		}
	}
	m, err := join(ctx, c.life(), opts)
	if err != nil {
		return err
	}
	return errors.Join(m.run(ctx, m.worker.Run), m.close())
}

// gathering is a conversation on PostgreSQL of a person, who is this process,
// and nodes, which are others.
type gathering struct {
	t     *testing.T
	db    engines.Place
	world *world
	trace *trace
	host  *member
}

func gather(t *testing.T) *gathering {
	t.Helper()
	g := &gathering{t: t, db: engines.New(t, "postgres"), world: newWorld(t), trace: newTrace(t)}
	var err error
	if g.host, err = join(t.Context(), newLife(g.db, ""), memberOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.host.close(); err != nil {
			t.Error(err)
		}
	})
	return g
}

// invite starts a node. What the task does not say is filled in.
func (g *gathering) invite(job task) *process {
	g.t.Helper()
	job.Program, job.Database, job.World = "member", g.db, g.world.address(job.Name)
	return g.trace.start(g.t, job)
}

// dismiss ends a node, unless it was killed.
func (g *gathering) dismiss(p *process) (killed bool) {
	g.t.Helper()
	p.stdin.Close()
	<-p.ended
	if killed = !p.cmd.ProcessState.Exited(); !killed && p.cmd.ProcessState.ExitCode() != 0 {
		g.t.Errorf("%s: %s", p.name, p.cmd.ProcessState)
	}
	return killed
}

// over lets the person act until the conversation is over.
func (g *gathering) over() {
	g.t.Helper()
	for !g.act() {
		g.next()
	}
}

// until lets the person act until somebody says something that ends with last.
func (g *gathering) until(who, what string, last ...string) event {
	g.t.Helper()
	for {
		g.act()
		e := g.next()
		if e.who == who && e.what == what && slices.Equal(e.args[max(len(e.args)-len(last), 0):], last) {
			return e
		}
	}
}

func (g *gathering) act() (over bool) {
	g.t.Helper()
	over, err := conversation.goOn(g.t.Context(), g.host)
	if err != nil {
		g.t.Fatal(err)
	}
	return over
}

func (g *gathering) next() event {
	g.t.Helper()
	e := g.trace.next(g.t)
	if e.what == "exited" && e.args[0] != "0" {
		g.t.Fatalf("unexpected: %s", e)
	}
	return e
}

// check holds the end, and what happened on the way, against a conversation
// that nothing interrupted. It reports whether the person had to decide about
// the letter.
func (g *gathering) check(want []string) (decided bool) {
	g.t.Helper()
	end, err := readEnding(g.t.Context(), g.host.store, conclusion.text)
	if err != nil {
		g.t.Fatal(err)
	}
	return end.check(g.t, g.world, 1, want)
}

// hold makes the world wait before it answers what a node is the first to ask
// for. That it was asked appears in the trace as "world reached" and the node.
func (g *gathering) hold(what string) (release func()) {
	held := make(chan struct{})
	release = sync.OnceFunc(func() { close(held) })
	g.t.Cleanup(release)
	var reached atomic.Bool
	g.world.arrived = func(node, asked string) {
		if asked == what && !reached.Swap(true) {
			g.trace.note("world", "reached", node)
			<-held
		}
	}
	return release
}

// expire makes others take the only node for gone. It is not, and does not know.
func (g *gathering) expire() {
	g.t.Helper()
	conn, err := pgx.Connect(g.t.Context(), g.db.Address)
	if err != nil {
		g.t.Fatal(err)
	}
	defer conn.Close(context.Background())
	done, err := conn.Exec(g.t.Context(), "UPDATE nodes SET expires_at = now() - interval '1 minute'")
	if err != nil || done.RowsAffected() != 1 {
		g.t.Fatalf("the lease: %s, %v", done, err)
	}
}
