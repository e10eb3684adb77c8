package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent"
	"github.com/nestorhq/nestor/internal/agent/role"
	"github.com/nestorhq/nestor/internal/chatfork"
	"github.com/nestorhq/nestor/internal/interrupt"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// setup is what makes one world different from another.
type setup struct {
	// Roles is a configuration of roles. Defaults to the built-in ones.
	Roles json.RawMessage `json:"roles"`
	// Chat is the chat's document. It has a title, unless Untitled.
	Chat          nestor.Chat   `json:"chat"`
	Untitled      bool          `json:"untitled"`
	UserBudget    nestor.Budget `json:"userBudget"`
	ContextTokens int           `json:"contextTokens"`
	// ForkOf are messages of another chat, s1, s2 and so on. The chat is a fork at the
	// last of them, which the other chat answers afterwards.
	ForkOf []nestor.Message `json:"forkOf"`

	// models by connection, "" being the default.
	models map[string]llm.Model
	// twice delivers every job twice.
	twice bool
}

// world is one user with one chat, the agents that work for them, and control
// over all that these agents depend on.
type world struct {
	*testing.T
	bench    *bench
	chat     nestor.Path
	agents   *agent.Agents
	handlers map[string]worker.Handler
	twice    bool
	models   map[string]*model
	tools    tools
	gates    gates
	names    names
	log      changes
	reader   reader
	ended    map[string][]*nestor.Document // what is there at the end, by collection
	changed  chan struct{}                 // something happened

	commits sync.Mutex // see again

	mu      sync.Mutex
	said    int                                // messages of the user
	started map[string]int                     // attempts at jobs
	active  map[string]*nestor.Job             // handlers that run, by key
	cancels map[string]context.CancelCauseFunc // of the jobs that run
	replies []account                          // what models reported
	refused []string                           // commands that failed

	answers  int // to questions of agents, given directly
	answered struct {
		nestor.Answer // the latest of them
		task          nestor.Path
	}
}

func newWorld(t *testing.T, b *bench, s setup) *world {
	t.Helper()
	w := &world{
		T: t, bench: b, twice: s.twice, names: newNames(), changed: make(chan struct{}, 1), models: map[string]*model{},
		started: map[string]int{}, active: map[string]*nestor.Job{}, cancels: map[string]context.CancelCauseFunc{},
	}
	w.gates.changed = w.poke
	for name, m := range s.models {
		w.models[name] = &model{world: w, name: name, speaker: m}
	}
	b.mu.Lock()
	user := fmt.Sprintf("u%d", len(b.worlds)+1)
	b.worlds[user] = w
	b.mu.Unlock()
	w.chat = nestor.Path("users/"+user).Child("orch-chats", "c")
	running := &interrupt.Running{}
	w.agents = agent.New(agent.Options{
		Store: b.store, Models: w, Tools: &w.tools, Feed: b.feed, Running: running, Roles: w.roles(s.Roles),
		UserBudget: s.UserBudget, ContextTokens: s.ContextTokens, Logger: quiet,
	})
	w.handlers = w.agents.Handlers()
	if s.Chat.Title == "" && !s.Untitled {
		s.Chat.Title = "Talk"
	}
	w.update(func(tx store.Tx) error {
		if err := s.fork(tx, w.chat.Parent().Child("orch-chats", "other")); err != nil {
			return err
		}
		_, err := tx.Create(w.chat, s.Chat)
		return err
	})
	b.follow(t, func(ctx context.Context) error {
		running.Follow(ctx, b.feed, agent.Interrupts...)
		return nil
	})
	w.reader.drafts = map[nestor.Path]*draft{}
	b.follow(t, w.read)
	t.Cleanup(w.gates.openAll)
	return w
}

// fork makes the other chat, if there is one.
func (s *setup) fork(tx store.Tx, other nestor.Path) error {
	if len(s.ForkOf) == 0 {
		return nil
	}
	if _, err := tx.Create(other, nestor.Chat{Title: "Other"}); err != nil {
		return err
	}
	last := fmt.Sprintf("s%d", len(s.ForkOf))
	later := nestor.Message{Role: nestor.RoleAssistant, Content: "Said later.", RepliesTo: last, IsLLMMessage: new(true)}
	for i, m := range append(s.ForkOf, later) {
		if _, err := tx.Create(other.Child("messages", fmt.Sprintf("s%d", i+1)), m); err != nil {
			return err
		}
	}
	d, err := tx.Get(other)
	if err != nil {
		return err
	}
	chat, err := nestor.As[nestor.Chat](d)
	if err != nil {
		return err
	}
	from, err := chatfork.PointIn(tx, &chat, last)
	s.Chat.ForkedFrom = &from
	return err
}

func (w *world) roles(config json.RawMessage) *role.Roles {
	w.Helper()
	if config == nil {
		return nil
	}
	file := filepath.Join(w.TempDir(), "roles.json")
	if err := os.WriteFile(file, config, 0o600); err != nil {
		w.Fatal(err)
	}
	roles, err := role.Load(file)
	if err != nil {
		w.Fatal(err)
	}
	return roles
}

// Open implements agent.Models.
func (w *world) Open(_ context.Context, userID, connection string) (llm.Model, error) {
	if userID != w.chat.UserID() {
		w.Errorf("a model was opened for %s", userID)
	}
	if m, ok := w.models[connection]; ok {
		return m, nil
	}
	return nil, nestor.Errorf(nestor.CodeNotFound, "there is no connection %q", connection)
}

func (w *world) poke() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// rest waits until nothing moves any more but what a gate holds back.
func (w *world) rest() {
	w.Helper()
	w.until("everything rests", func() bool {
		rests := !w.busy() && !slices.ContainsFunc(w.jobs(), func(j nestor.Job) bool {
			return j.State == nestor.JobReady || j.State == nestor.JobRunning && !w.gates.holds(j.ID)
		})
		return rests && !w.busy() // a job may have begun and been completed meanwhile, and its end not be noted yet
	})
}

// busy reports whether an attempt is under way that no gate holds. It saves
// asking the store.
func (w *world) busy() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for id := range w.started {
		if !w.gates.holds(id) {
			return true
		}
	}
	return false
}

// patience is far beyond what anything here takes.
const patience = 30 * time.Second

// until waits for something that jobs or gates bring about.
func (w *world) until(what string, holds func() bool) {
	w.Helper()
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	for !holds() {
		select {
		case <-w.changed:
		case <-timeout.C:
			var lines []string
			for _, j := range w.jobs() {
				lines = append(lines, fmt.Sprintf("%s %s %s %s", j.State, j.Trigger, w.names.hide(string(j.Change.Path)), j.Error))
			}
			w.Fatalf("waited in vain until %s; jobs:\n%s", what, strings.Join(lines, "\n"))
		}
	}
}

// jobs are those of this world, without the dead.
func (w *world) jobs() []nestor.Job {
	w.Helper()
	return w.jobsIn("")
}

func (w *world) jobsIn(state nestor.JobState) []nestor.Job {
	w.Helper()
	jobs, err := w.bench.store.Jobs(w.Context(), store.JobFilter{State: state, Limit: store.MaxLimit})
	if err != nil {
		w.Fatal(err)
	}
	return slices.DeleteFunc(jobs, func(j nestor.Job) bool { return j.Change.Path.UserID() != w.chat.UserID() })
}

// say has the user say something in the chat, all of it in one transaction. The
// messages are m1, m2 and so on.
func (w *world) say(texts ...string) {
	w.Helper()
	w.sayAs(nil, texts...)
}

// sayAs is say for people who are named, one for each text.
func (w *world) sayAs(authors []string, texts ...string) {
	w.Helper()
	w.mu.Lock()
	first := w.said + 1
	w.said += len(texts)
	w.mu.Unlock()
	w.update(func(tx store.Tx) error {
		for i, text := range texts {
			p := w.chat.Child("messages", fmt.Sprintf("m%d", first+i))
			message := nestor.Message{Role: nestor.RoleUser, Type: nestor.MessageText, Content: text}
			if i < len(authors) {
				message.AuthorID = authors[i]
			}
			if _, err := tx.Create(p, message); err != nil {
				return err
			}
		}
		return nil
	})
}

// people are those who take part in a chat besides its own user. Each world has
// its own.
var people = []string{"ann", "bea"}

// person is the id of one of them, or of the chat's own user, who is me.
func (w *world) person(name string) string {
	if name == "me" {
		return w.chat.UserID()
	}
	return name + "-" + w.chat.UserID()
}

// task is the path of a task by its name.
func (w *world) task(name string) nestor.Path { return w.chat.Child("tasks", w.names.of(name)) }

// agent is the path of an agent by its name.
func (w *world) agent(name string) nestor.Path { return w.chat.Child("sub-agents", w.names.of(name)) }
