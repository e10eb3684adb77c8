package worker_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/store/postgres"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/internal/worker"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// planner queues a job for every document created in a collection named
// "in": the body's trigger, under the body's key.
type planner struct{ coalesce bool }

func (p planner) Plan(e *store.Event) []nestor.Job {
	if e.Type != nestor.Create || !strings.HasSuffix(e.Path.Collection(), "/in") {
		return nil
	}
	c := e.Change
	c.Before, c.After = nil, nil
	body := e.AfterBody()
	return []nestor.Job{{
		ID: nestor.JobID("t", &c), Trigger: body["trigger"].(string), Change: c, Coalesce: p.coalesce,
		Key: body["key"].(string),
	}}
}

// bench is a store with a worker on it.
type bench struct {
	testing.TB
	store store.Store
	ended chan worker.Outcome
	stop  context.CancelFunc
	done  chan error
}

func start(t testing.TB, open engines.Database, p planner, opts worker.Options) *bench {
	t.Helper()
	b := &bench{TB: t, ended: make(chan worker.Outcome, 10000), done: make(chan error, 1)}
	b.store = open(t, store.Options{Rules: store.Rules{Planner: p}})
	b.run(opts)
	return b
}

func (b *bench) run(opts worker.Options) {
	if opts.Plan == nil {
		opts.Plan = plan(worker.Plan{})
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	opts.Hooks.Ended = func(_ *nestor.Job, o worker.Outcome, _ time.Duration) { b.ended <- o }
	w := worker.New(b.store, opts)
	ctx, cancel := context.WithCancel(b.Context())
	b.stop = cancel
	go func() { b.done <- w.Run(ctx) }()
	b.Cleanup(func() {
		cancel()
		if err := <-b.done; err != nil {
			b.Error(err)
		}
		b.done <- nil
	})
}

func (b *bench) halt() {
	b.Helper()
	b.stop()
	if err := <-b.done; err != nil {
		b.Error(err)
	}
	b.done <- nil
}

// in creates the document that queues a job.
func (b *bench) in(id, key, trigger string) {
	b.Helper()
	err := b.store.Update(b.Context(), func(tx store.Tx) error {
		_, err := tx.Create(nestor.Path("box/b/in/"+id), map[string]any{"key": key, "trigger": trigger})
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bench) want(outcomes ...worker.Outcome) {
	b.Helper()
	for i, want := range outcomes {
		if got := <-b.ended; got != want {
			b.Fatalf("attempt %d ended as %q, want %q", i+1, got, want)
		}
	}
}

func (b *bench) get(p nestor.Path) *nestor.Document {
	b.Helper()
	var d *nestor.Document
	err := b.store.View(b.Context(), func(r store.Reader) (err error) {
		d, err = r.Get(p)
		return err
	})
	if err != nil && nestor.CodeOf(err) != nestor.CodeNotFound {
		b.Fatal(err)
	}
	return d
}

func (b *bench) dead() []nestor.Job {
	b.Helper()
	jobs, err := b.store.Jobs(b.Context(), store.JobFilter{State: nestor.JobDead})
	if err != nil {
		b.Fatal(err)
	}
	return jobs
}

// out writes a document that is derived from the job, as handlers do.
func out(j *nestor.Job) worker.Effect {
	return func(tx store.Tx) error {
		_, err := tx.Create(nestor.Path("box/b/out/"+j.Change.Path.ID()), map[string]any{"attempt": j.Attempt})
		return err
	}
}

// plan gives every trigger but "gone" the handler of its name.
func plan(p worker.Plan) func(string) (worker.Plan, bool) {
	return func(trigger string) (worker.Plan, bool) {
		p := p
		p.Handler = trigger
		return p, trigger != "gone"
	}
}

func run(fn func(ctx context.Context, j *nestor.Job) (worker.Effect, error)) map[string]worker.Handler {
	return map[string]worker.Handler{"h": {Run: fn}}
}

func TestACommitStartsItsJobAndTheEffectsCommitWithTheCompletion(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		b := &bench{TB: t, ended: make(chan worker.Outcome, 1), done: make(chan error, 1)}
		b.store = open(t, store.Options{Rules: store.Rules{Planner: planner{}}})
		unended := func() int { // how many jobs have not ended, as others see it
			jobs, err := b.store.Jobs(t.Context(), store.JobFilter{})
			if err != nil {
				t.Error(err)
			}
			return len(jobs)
		}
		var during, after []int // while the effect is written, and once others see it
		b.store.Observe(store.First, func(c store.Commit) {
			for _, change := range c.Changes {
				if change.Path == "box/b/out/a" {
					after = append(after, unended())
				}
			}
		})
		b.run(worker.Options{Poll: time.Hour, Handlers: run(func(_ context.Context, j *nestor.Job) (worker.Effect, error) {
			return func(tx store.Tx) error {
				err := out(j)(tx)
				during = append(during, unended())
				return err
			}, nil
		})})
		b.in("a", "k", "h")
		b.want(worker.Done)
		b.halt()
		if b.get("box/b/out/a") == nil {
			t.Error("the effect is missing")
		}
		if !slices.Equal(during, []int{1}) || !slices.Equal(after, []int{0}) {
			t.Errorf("while its effect was written %v jobs had not ended, and %v once others saw it", during, after)
		}
		if jobs, err := b.store.Jobs(t.Context(), store.JobFilter{}); err != nil || len(jobs) != 0 {
			t.Errorf("left over: %v %v", jobs, err)
		}
	})
}

func TestJobsOfAKeyRunInOrderAndKeysRunInParallel(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		const keys, each = 5, 20
		var mu sync.Mutex
		order := map[string][]string{}
		busy := map[string]bool{}
		together := make(chan struct{}) // closed once a job of every key runs
		var first sync.Map
		var arrived atomic.Int32
		b := start(t, open, planner{}, worker.Options{Handlers: run(func(_ context.Context, j *nestor.Job) (worker.Effect, error) {
			mu.Lock()
			if busy[j.Key] {
				t.Errorf("two jobs of %s run at once", j.Key)
			}
			busy[j.Key] = true
			order[j.Key] = append(order[j.Key], j.Change.Path.ID())
			mu.Unlock()
			if _, again := first.LoadOrStore(j.Key, true); !again && arrived.Add(1) == keys {
				close(together)
			}
			<-together
			mu.Lock()
			busy[j.Key] = false
			mu.Unlock()
			return nil, nil
		})})
		want := map[string][]string{}
		for i := range each {
			for k := range keys {
				key, id := fmt.Sprintf("k%d", k), fmt.Sprintf("n%d-%02d", k, i)
				b.in(id, key, "h")
				want[key] = append(want[key], id)
			}
		}
		for range keys * each {
			b.want(worker.Done)
		}
		for k, ids := range want {
			if !slices.Equal(order[k], ids) {
				t.Errorf("%s ran %v, want %v", k, order[k], ids)
			}
		}
	})
}

func TestAFailureIsRetriedWithGrowingPausesAndThenBuried(t *testing.T) {
	open := engines.SQLite(t)
	synctest.Test(t, func(t *testing.T) {
		var at []time.Time
		told := ""
		b := start(t, open, planner{}, worker.Options{
			Handlers: map[string]worker.Handler{"h": {
				Run: func(context.Context, *nestor.Job) (worker.Effect, error) {
					at = append(at, time.Now())
					return nil, errors.New("no luck")
				},
				Exhausted: func(j *nestor.Job, cause error) worker.Effect {
					told = cause.Error()
					return out(j)
				},
			}},
			Plan: plan(worker.Plan{Retry: nestor.RetryPolicy{
				MaxAttempts: 5, InitialBackoff: nestor.Duration(time.Second), MaxBackoff: nestor.Duration(3 * time.Second),
			}}),
		})
		b.in("a", "k", "h")
		b.want(worker.Retried, worker.Retried, worker.Retried, worker.Retried, worker.Dead)
		for i, most := range []time.Duration{1, 2, 3, 3} {
			most *= time.Second
			if pause := at[i+1].Sub(at[i]); pause < most/2 || pause > most+10*time.Millisecond {
				t.Errorf("pause %d was %v, want between %v and %v", i+1, pause, most/2, most)
			}
		}
		dead := b.dead()
		if len(dead) != 1 || dead[0].Error != "no luck" || dead[0].Attempt != 5 || told != "no luck" {
			t.Errorf("dead letters %+v, told %q", dead, told)
		}
		if b.get("box/b/out/a") == nil {
			t.Error("what a given-up job leaves is missing")
		}
	})
}

func TestAJobThatIsPutOffAsksMoreAndMoreRarelyAndLosesNoAttempt(t *testing.T) {
	open := engines.SQLite(t)
	synctest.Test(t, func(t *testing.T) {
		var at []time.Time
		b := start(t, open, planner{}, worker.Options{
			Handlers: run(func(_ context.Context, j *nestor.Job) (worker.Effect, error) {
				at = append(at, time.Now())
				if j.Attempt != 1 {
					t.Errorf("run %d is attempt %d", len(at), j.Attempt)
				}
				if len(at) <= 40 {
					return nil, nestor.Errorf(nestor.CodeRateLimited, "somebody else is first: %w", nestor.PutOff{})
				}
				return out(j), nil
			}),
			Plan: plan(worker.Plan{Retry: nestor.RetryPolicy{MaxAttempts: 2}}),
		})
		b.in("a", "k", "h")
		b.want(append(slices.Repeat([]worker.Outcome{worker.PutOff}, 40), worker.Done)...)
		for i := range len(at) - 1 {
			pause := at[i+1].Sub(at[i])
			if pause < 50*time.Millisecond || pause > 2*time.Second+10*time.Millisecond || i >= 35 && pause < time.Second {
				t.Errorf("pause %d was %v", i+1, pause)
			}
		}
		if b.get("box/b/out/a") == nil {
			t.Error("it never ran")
		}
	})
}

func TestADeadLetterCanBeReplayed(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		var healed atomic.Bool
		b := start(t, open, planner{}, worker.Options{Handlers: run(func(_ context.Context, j *nestor.Job) (worker.Effect, error) {
			if !healed.Load() {
				return nil, nestor.Errorf(nestor.CodeInvalid, "still broken")
			}
			return out(j), nil
		})})
		b.in("a", "k", "h")
		b.want(worker.Dead) // invalid is not tried again
		healed.Store(true)
		if err := b.store.Revive(t.Context(), b.dead()[0].ID); err != nil {
			t.Fatal(err)
		}
		b.want(worker.Done)
		if d := b.get("box/b/out/a"); d == nil || !strings.Contains(string(d.Data), `"attempt":1`) {
			t.Errorf("the replay left %v", d)
		}
	})
}

func TestRetryAfterIsHonoured(t *testing.T) {
	open := engines.SQLite(t)
	synctest.Test(t, func(t *testing.T) {
		var at []time.Time
		b := start(t, open, planner{}, worker.Options{Handlers: run(func(context.Context, *nestor.Job) (worker.Effect, error) {
			at = append(at, time.Now())
			if len(at) == 1 {
				return nil, nestor.Errorf(nestor.CodeRateLimited, "slow down: %w", nestor.RetryAfter(90*time.Second))
			}
			return nil, nil
		})})
		b.in("a", "k", "h")
		b.want(worker.Retried, worker.Done)
		if pause := at[1].Sub(at[0]); pause < 90*time.Second || pause > 91*time.Second {
			t.Errorf("tried again after %v, want 90s", pause)
		}
	})
}

func TestATimeoutStopsTheHandlerAndSaysWhich(t *testing.T) {
	open := engines.SQLite(t)
	synctest.Test(t, func(t *testing.T) {
		b := start(t, open, planner{}, worker.Options{
			Handlers: run(func(ctx context.Context, _ *nestor.Job) (worker.Effect, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}),
			Plan: plan(worker.Plan{Timeout: 5 * time.Second, Retry: nestor.RetryPolicy{MaxAttempts: 1}}),
		})
		began := time.Now()
		b.in("a", "k", "h")
		b.want(worker.Dead)
		if took := time.Since(began); took != 5*time.Second {
			t.Errorf("it took %v", took)
		}
		if e := b.dead()[0].Error; !strings.Contains(e, "h did not finish in 5s") {
			t.Errorf("the reason is %q", e)
		}
	})
}

func TestAPanicIsAFailureOfThatJobOnly(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		b := start(t, open, planner{}, worker.Options{
			Handlers: run(func(_ context.Context, j *nestor.Job) (worker.Effect, error) {
				if j.Change.Path.ID() == "bad" {
					panic("ouch")
				}
				return out(j), nil
			}),
			Plan: plan(worker.Plan{Retry: nestor.RetryPolicy{MaxAttempts: 1}}),
		})
		b.in("bad", "k1", "h")
		b.want(worker.Dead)
		b.in("good", "k1", "h")
		b.want(worker.Done)
		if e := b.dead()[0].Error; !strings.Contains(e, "panic: ouch") {
			t.Errorf("the reason is %q", e)
		}
	})
}

func TestAPanicOfAnEffectOrAnObserverEndsNothingElse(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		quiet := slog.New(slog.DiscardHandler)
		b := &bench{TB: t, ended: make(chan worker.Outcome, 100), done: make(chan error, 1)}
		b.store = open(t, store.Options{Rules: store.Rules{Planner: planner{}}, Logger: quiet})
		b.store.Observe(store.First, func(store.Commit) { panic("in an observer") })
		bad := func(j *nestor.Job) worker.Effect {
			return func(tx store.Tx) error {
				if err := out(j)(tx); err != nil {
					return err
				}
				panic("in an effect")
			}
		}
		b.run(worker.Options{
			Handlers: map[string]worker.Handler{
				"good": {Run: func(_ context.Context, j *nestor.Job) (worker.Effect, error) { return out(j), nil }},
				"bad":  {Run: func(_ context.Context, j *nestor.Job) (worker.Effect, error) { return bad(j), nil }},
				"leaves": {
					Run:       func(_ context.Context, j *nestor.Job) (worker.Effect, error) { return bad(j), nil },
					Exhausted: func(j *nestor.Job, _ error) worker.Effect { return bad(j) },
				},
				"prompt": {
					Run:    func(_ context.Context, j *nestor.Job) (worker.Effect, error) { return bad(j), nil },
					Prompt: func(j *nestor.Job) bool { return j.Change.Path.ID() != "never" || panics() },
				},
			},
			Plan: plan(worker.Plan{Retry: nestor.RetryPolicy{MaxAttempts: 1}}),
		})
		for id, handler := range map[string]string{"a": "bad", "b": "leaves", "c": "prompt", "never": "prompt"} {
			b.in(id, "k", handler)
			b.want(worker.Dead)
		}
		b.in("good", "k", "good")
		b.want(worker.Done)
		for _, j := range b.dead() {
			if !strings.Contains(j.Error, "panic: in an effect") || b.get("box/b/out/"+nestor.Path(j.Change.Path.ID())) != nil {
				t.Errorf("%s left something, or the reason is %q", j.Change.Path, j.Error)
			}
		}
	})
}

func TestAnEffectWithoutAnEndIsAFailureOfThatJobOnly(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		b := &bench{TB: t, ended: make(chan worker.Outcome, 100), done: make(chan error, 1)}
		b.store = open(t, store.Options{Rules: store.Rules{Planner: planner{}, Bounds: store.TxBounds{Documents: 1000}}})
		endless := worker.Handler{Run: func(_ context.Context, j *nestor.Job) (worker.Effect, error) {
			return func(tx store.Tx) error {
				if err := out(j)(tx); err != nil {
					return err
				}
				for {
					if _, err := tx.Get(j.Change.Path); err != nil {
						return err
					}
				}
			}, nil
		}}
		prompt := endless
		prompt.Prompt = func(*nestor.Job) bool { return true }
		b.run(worker.Options{Handlers: map[string]worker.Handler{
			"endless": endless, "prompt": prompt,
			"good": {Run: func(_ context.Context, j *nestor.Job) (worker.Effect, error) { return out(j), nil }},
		}})
		for id, handler := range map[string]string{"a": "endless", "b": "prompt"} {
			b.in(id, "k", handler)
			b.want(worker.Dead)
		}
		b.in("good", "k", "good")
		b.want(worker.Done)
		for _, j := range b.dead() {
			want := "the transaction of job " + j.ID + " of " + string(j.Change.Path) + " (trigger " + j.Trigger + ", key k) asked for and wrote more than 1000 documents"
			if !strings.HasPrefix(j.Error, want) || b.get("box/b/out/"+nestor.Path(j.Change.Path.ID())) != nil {
				t.Errorf("%s left something, or the reason is %q", j.Change.Path, j.Error)
			}
		}
	})
}

func panics() bool { panic("in a question") }

func TestAnEffectThatCannotBeWrittenFailsTheAttempt(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		b := start(t, open, planner{}, worker.Options{Handlers: run(func(_ context.Context, j *nestor.Job) (worker.Effect, error) {
			return func(tx store.Tx) error {
				if err := out(j)(tx); err != nil {
					return err
				}
				_, err := tx.Create("users/u/orch-chats/none/messages/m", nestor.Message{Role: "user"})
				return err
			}, nil
		})})
		b.in("a", "k", "h")
		b.want(worker.Dead)
		if b.get("box/b/out/a") != nil {
			t.Error("half of the effect was written")
		}
	})
}

func TestWhatNobodyHandlesIsADeadLetterWithAReason(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		b := start(t, open, planner{}, worker.Options{})
		b.in("a", "k", "nothing")
		b.want(worker.Dead)
		b.in("b", "k", "gone")
		b.want(worker.Dead)
		for i, want := range []string{
			`there is no handler "nothing", which trigger nothing names`,
			`the trigger gone of this job is not configured any more`,
		} {
			if got := b.dead()[i].Error; got != want {
				t.Errorf("the reason is %q, want %q", got, want)
			}
		}
	})
}

func TestAJobThatEndsItsProcessAgainAndAgainIsGivenUp(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		crashing := open(t, store.Options{Rules: store.Rules{Planner: planner{}}})
		lease := store.Lease{Node: nestor.NewID(), TTL: time.Hour, Accept: func(string) bool { return true }}
		if err := crashing.Join(t.Context(), lease); err != nil {
			t.Fatal(err)
		}
		b := &bench{TB: t, store: crashing}
		b.in("a", "k", "h")
		for range 23 { // as if the process had ended each time
			jobs, err := crashing.Jobs(t.Context(), store.JobFilter{})
			if err != nil || len(jobs) != 1 {
				t.Fatalf("jobs %v, %v", jobs, err)
			}
			if err := crashing.Retry(t.Context(), &jobs[0], time.Now().Add(-time.Second), ""); err != nil {
				t.Fatal(err)
			}
			if _, err := crashing.Claim(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
		}
		crashing.Close()
		b = start(t, open, planner{}, worker.Options{Handlers: run(func(context.Context, *nestor.Job) (worker.Effect, error) {
			t.Error("it ran once more")
			return nil, nil
		})})
		b.want(worker.Dead)
		if e := b.dead()[0].Error; !strings.Contains(e, "24 attempts at this job did not come to an end, the last one because the process ended") {
			t.Errorf("the reason is %q", e)
		}
	})
}

func TestAStoppingWorkerLetsJobsFinish(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		running, finish := make(chan struct{}), make(chan struct{})
		b := start(t, open, planner{}, worker.Options{Drain: time.Hour, Handlers: run(
			func(_ context.Context, j *nestor.Job) (worker.Effect, error) {
				close(running)
				<-finish
				return out(j), nil
			})})
		b.in("a", "k", "h")
		<-running
		b.stop()
		close(finish)
		b.want(worker.Done)
		b.halt()
		if b.get("box/b/out/a") == nil {
			t.Error("the effect is missing")
		}
	})
}

func TestAWorkerThatCannotWaitGivesItsJobsBackUncounted(t *testing.T) {
	open := engines.SQLite(t)
	synctest.Test(t, func(t *testing.T) {
		b := start(t, open, planner{}, worker.Options{Drain: 10 * time.Second, Handlers: run(
			func(ctx context.Context, j *nestor.Job) (worker.Effect, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			})})
		b.in("a", "k", "h")
		synctest.Wait()
		began := time.Now()
		b.halt()
		b.want(worker.Drained)
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("the worker stopped after %v", took)
		}
		jobs, err := b.store.Jobs(t.Context(), store.JobFilter{})
		if err != nil || len(jobs) != 1 || jobs[0].State != nestor.JobReady || jobs[0].Attempt != 0 {
			t.Errorf("jobs %+v, %v", jobs, err)
		}
	})
}

func TestManyHandlersWaitAtOnceAndTheLimitHolds(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		const limit, jobs = 300, 400
		var now, most atomic.Int64
		full, release := make(chan struct{}), make(chan struct{})
		b := start(t, open, planner{}, worker.Options{Concurrency: limit, Handlers: run(
			func(context.Context, *nestor.Job) (worker.Effect, error) {
				n := now.Add(1)
				for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
				}
				if n == limit {
					close(full)
				}
				<-release
				now.Add(-1)
				return nil, nil
			})})
		for i := range jobs {
			b.in(fmt.Sprintf("n%d", i), fmt.Sprintf("k%d", i), "h")
		}
		<-full
		close(release)
		for range jobs {
			b.want(worker.Done)
		}
		if m := most.Load(); m != limit {
			t.Errorf("%d ran at once, the limit is %d", m, limit)
		}
	})
}

func TestCoalescedJobsRunOnceMoreAndSeeEverything(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		var b *bench
		seen := make(chan int, 10)
		running, release := make(chan struct{}, 10), make(chan struct{}, 10)
		b = start(t, open, planner{coalesce: true}, worker.Options{Handlers: run(
			func(ctx context.Context, _ *nestor.Job) (worker.Effect, error) {
				running <- struct{}{}
				<-release
				return nil, b.store.View(ctx, func(r store.Reader) error {
					page, err := r.Query(store.Query{Collection: "box/b/in"})
					seen <- len(page.Items)
					return err
				})
			})})
		b.in("a", "k", "h")
		<-running
		for _, id := range []string{"b", "c", "d", "e"} {
			b.in(id, "k", "h")
		}
		release <- struct{}{}
		release <- struct{}{}
		b.want(worker.Done, worker.Done)
		<-seen
		if n := <-seen; n != 5 {
			t.Errorf("the second run saw %d of 5", n)
		}
		jobs, err := b.store.Jobs(t.Context(), store.JobFilter{})
		if err != nil || len(jobs) != 0 {
			t.Errorf("left over %v, %v", jobs, err)
		}
	})
}

func TestANodeThatLostItsLeaseStopsItsHandlersAndWritesNothing(t *testing.T) {
	url := pgtest.URL(t)
	open := func(t testing.TB, opts store.Options) store.Store {
		s, err := postgres.Open(t.Context(), url, opts)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	interrupted, onTheWay := make(chan error, 1), make(chan error, 1)
	running, again := make(chan struct{}, 100), make(chan struct{})
	var runs atomic.Int32
	var log syncBuffer
	var b *bench
	b = start(t, open, planner{}, worker.Options{
		LeaseTTL: 3 * time.Second, Poll: 100 * time.Millisecond, Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Handlers: run(func(ctx context.Context, j *nestor.Job) (worker.Effect, error) {
			running <- struct{}{}
			if runs.Add(1) == 1 {
				<-ctx.Done()
				interrupted <- context.Cause(ctx)
				<-again
				onTheWay <- b.store.Update(context.WithoutCancel(ctx), func(tx store.Tx) error {
					_, err := tx.Create("box/b/out/on-the-way", []byte(`{}`))
					return err
				})
			}
			return out(j), nil // the first run insists
		}),
	})
	goOn := sync.OnceFunc(func() { close(again) })
	t.Cleanup(goOn)
	b.in("a", "k", "h")
	<-running
	// Another node declares the first one dead and takes its job.
	other := open(t, store.Options{})
	if err := other.Join(t.Context(), store.Lease{Node: "other", TTL: time.Minute, Accept: func(string) bool { return false }}); err != nil {
		t.Fatal(err)
	}
	evict(t, url, other, "other")
	if err := <-interrupted; !errors.Is(err, nestor.ErrLeaseLost) {
		t.Errorf("the handler was interrupted because of %v", err)
	}
	// Until the node knows, it may claim the job again under its old name, and lose it again.
	outcome := <-b.ended
	for ; outcome == worker.LeaseLost; outcome = <-b.ended {
	}
	if outcome != worker.Done {
		t.Fatalf("a later attempt ended as %q", outcome)
	}
	goOn() // what it would write exists already
	if err := <-onTheWay; !errors.Is(err, nestor.ErrLeaseLost) {
		t.Errorf("what the first run writes on its way ends with %v", err)
	}
	b.want(worker.LeaseLost)
	if d := b.get("box/b/out/a"); d == nil || strings.Contains(string(d.Data), `"attempt":1`) {
		t.Errorf("the effect is %v, want that of a later attempt", d)
	}
	if text := log.String(); strings.Contains(text, "given up") || strings.Contains(text, "exists already") {
		t.Errorf("a job that another node did is said to be given up:\n%s", text)
	}
}

// syncBuffer is a log that several write to.
type syncBuffer struct {
	mu sync.Mutex
	strings.Builder
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Builder.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Builder.String()
}

// All connections are cut several times a second while two workers run many
// jobs: each has its effect, none is given up.
func TestNoJobIsGivenUpBecauseConnectionsAreCut(t *testing.T) {
	const jobs = 144
	server := pgtest.Start(t)
	url, err := server.Schema()
	if err != nil {
		t.Fatal(err)
	}
	open := func(t testing.TB, opts store.Options) store.Store {
		s, err := postgres.Open(t.Context(), url, opts)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
	opts := worker.Options{LeaseTTL: time.Second, Concurrency: 20, Handlers: run(
		func(ctx context.Context, j *nestor.Job) (worker.Effect, error) {
			select {
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			case <-time.After(300 * time.Millisecond):
			}
			return out(j), nil
		})}
	first := start(t, open, planner{}, opts)
	start(t, open, planner{}, opts)
	for i := range jobs {
		first.in(fmt.Sprint("j", i), fmt.Sprint("k", i%70), "h")
	}
	for left := jobs; left > 0; {
		<-time.After(100*time.Millisecond + rand.N(250*time.Millisecond))
		if err := server.Terminate(); err != nil {
			t.Fatal(err)
		}
		counts, err := first.store.CountJobs(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		left = counts[nestor.JobReady] + counts[nestor.JobRunning] + counts[nestor.JobBlocked]
	}
	for i := range jobs {
		if first.get(nestor.Path(fmt.Sprint("box/b/out/j", i))) == nil {
			t.Errorf("job %d has no effect", i)
		}
	}
	for _, j := range first.dead() {
		t.Errorf("given up: %s", j.Error)
	}
}

// evict takes every other node off the list, as happens when its lease runs
// out, and its jobs over.
func evict(t *testing.T, url string, s store.Store, self string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), "DELETE FROM nodes WHERE id <> $1", self); err != nil {
		t.Fatal(err)
	}
	if _, err := s.TakeOver(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestBackoffStaysBetweenHalfAndFullAndBelowTheCap(t *testing.T) {
	p := nestor.RetryPolicy{InitialBackoff: nestor.Duration(time.Second), MaxBackoff: nestor.Duration(10 * time.Second)}
	for attempt, want := range map[int]time.Duration{1: 1, 2: 2, 3: 4, 4: 8, 5: 10, 50: 10} {
		want *= time.Second
		for range 200 {
			if d := worker.Backoff(p, attempt, nil); d < want/2 || d > want {
				t.Fatalf("attempt %d waits %v, want between %v and %v", attempt, d, want/2, want)
			}
		}
	}
}
