package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/internal/bus/natstest"
	"github.com/nestorhq/nestor/internal/servertest"
)

// theatre is a model that says what the test has it say, word by word, to two
// nodes on one PostgreSQL.
type theatre struct {
	*testing.T
	env  []string
	a, b *house

	mu      sync.Mutex
	entered map[string]chan *speech
}

// speech is one request to the model: what it says, and that the program left.
type speech struct {
	words chan string
	left  chan struct{}
}

func (s *speech) say(words ...string) {
	for _, w := range words {
		select {
		case s.words <- w:
		case <-s.left:
		}
	}
}

// house is one node.
type house struct {
	*client.Client
	base    string
	process *os.Process
}

const stageToken = "a-token-for-the-stages-of-a-theatre"

// newTheatre starts two nodes, with more settings if there are any.
func newTheatre(t *testing.T, env ...string) *theatre {
	th := &theatre{T: t, entered: map[string]chan *speech{}}
	model := httptest.NewServer(th)
	t.Cleanup(model.Close)
	th.env = append([]string{
		"NESTOR_DB=" + servertest.Postgres(t), "NESTOR_TOKEN=" + stageToken, "NESTOR_LEASE=10s", "NESTOR_MODEL=openai:actor",
		"NESTOR_SECRET_KEY=" + base64.StdEncoding.EncodeToString(make([]byte, 32)), "OPENAI_BASE_URL=" + model.URL + "/v1",
	}, env...)
	th.a, th.b = th.open(), th.open()
	return th
}

func (th *theatre) open() *house {
	th.Helper()
	link, process := newProgram(th.T, th.env...).serve()
	base, _, _ := strings.Cut(link, "/?")
	return &house{client.New(base, stageToken), base, process}
}

var asks = regexp.MustCompile(`Play (\w+)`)

func (th *theatre) stage(play string) chan *speech {
	th.mu.Lock()
	defer th.mu.Unlock()
	if th.entered[play] == nil {
		th.entered[play] = make(chan *speech, 10)
	}
	return th.entered[play]
}

func (th *theatre) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(format string, args ...any) {
		fmt.Fprintf(w, "data: "+format+"\n\n", args...)
		_ = http.NewResponseController(w).Flush() // the program may have left
	}
	end := func() {
		send(`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`)
		send("[DONE]")
	}
	plays := asks.FindAllSubmatch(body, -1)
	if len(plays) == 0 || !strings.Contains(string(body), `"create_agent"`) { // it wants a title
		send(`{"choices":[{"index":0,"delta":{"content":"A play"}}]}`)
		end()
		return
	}
	s := &speech{make(chan string), make(chan struct{})}
	defer close(s.left)
	th.stage(string(plays[len(plays)-1][1])) <- s
	for {
		select {
		case word, more := <-s.words:
			if !more {
				end()
				return
			}
			text, err := json.Marshal(word)
			if err != nil {
				th.Error(err)
			}
			send(`{"choices":[{"index":0,"delta":{"content":%s}}]}`, text)
		case <-r.Context().Done():
			return
		}
	}
}

// play asks for a play at a node and returns its chat and the model's speech.
func (th *theatre) play(at *house, name string) (chat string, s *speech) {
	th.Helper()
	made, err := at.CreateChat(th.Context(), client.NewChat{})
	if err != nil {
		th.Fatal(err)
	}
	th.ask(at, made.ID, name)
	return made.ID, <-th.stage(name)
}

func (th *theatre) ask(at *house, chat, name string) {
	th.Helper()
	if _, err := at.Say(th.Context(), chat, "Play "+name); err != nil {
		th.Fatal(err)
	}
}

// seat is somebody who watches a chat at a node.
type seat struct {
	*theatre
	events chan client.Event
	shows  map[nestor.Path]string // what is being said
	told   map[nestor.Path]string // replies that were written
	kinds  []string
}

func (th *theatre) watch(at *house, chat string) *seat {
	s := &seat{theatre: th, events: make(chan client.Event, 10_000), shows: map[nestor.Path]string{}, told: map[nestor.Path]string{}}
	ctx, cancel := context.WithCancel(th.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for e, err := range at.Events(ctx, chat, client.After(0)) {
			if err != nil {
				return
			}
			s.events <- e
		}
	}()
	th.Cleanup(func() { cancel(); <-done })
	return s
}

// until watches until what is being said is want, without the space at its end, which
// comes with the next word. Only what is about to be said, or was said before a restart,
// may be seen on the way.
func (s *seat) until(want string) {
	s.Helper()
	s.see(func() bool {
		return slices.Contains(slices.Collect(maps.Values(s.shows)), strings.TrimSpace(want))
	}, "says "+want)
}

// untilTold watches until a reply was written, and nothing is being said.
func (s *seat) untilTold(want string) {
	s.Helper()
	s.see(func() bool {
		return slices.Contains(slices.Collect(maps.Values(s.told)), strings.TrimSpace(want)) && len(s.shows) == 0
	}, "has told "+want)
}

func (s *seat) see(enough func() bool, what string) {
	s.Helper()
	for !enough() {
		select {
		case e := <-s.events:
			s.take(e)
		case <-time.After(30 * time.Second):
			s.Fatalf("nobody %.300s: being said is %.300v, told %.300v, heard %v", what, s.shows, s.told, s.kinds)
		}
	}
}

func (s *seat) take(e client.Event) {
	s.Helper()
	switch {
	case e.Change != nil && e.Change.Collection == "messages":
		var m nestor.Message
		if err := e.Change.Decode(&m); err != nil {
			s.Fatal(err)
		}
		if m.Role != nestor.RoleUser {
			s.told[e.Change.Path] = m.Content
			delete(s.shows, e.Change.Path)
		}
	case e.Delta != nil:
		s.kinds = append(s.kinds, e.Delta.Kind)
		_, written := s.told[e.Delta.Path]
		switch shown := []rune(s.shows[e.Delta.Path]); {
		case written:
		case e.Delta.Kind == "text":
			if e.Delta.Offset > len(shown) {
				s.Fatalf("a gap: %d characters are there, and the next is %d", len(shown), e.Delta.Offset)
			}
			s.shows[e.Delta.Path] = string(shown[:e.Delta.Offset]) + e.Delta.Text
		case e.Delta.Kind == "restart", e.Delta.Kind == "drop":
			delete(s.shows, e.Delta.Path)
		}
	}
}

// metric reads one of the numbers of a node.
func (th *theatre) metric(at *house, name string) float64 {
	th.Helper()
	res, err := http.Get(at.base + "/metrics")
	if err != nil {
		th.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		th.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				th.Fatal(err)
			}
			return n
		}
	}
	th.Fatalf("there is no metric %s", name)
	return 0
}

// onEachBus runs a test with nodes that reach each other by PostgreSQL and by NATS.
func onEachBus(t *testing.T, run func(t *testing.T, env []string)) {
	t.Run("postgres", func(t *testing.T) { run(t, nil) })
	t.Run("nats", func(t *testing.T) {
		nats := natstest.New(t)
		nats.Start()
		run(t, []string{"NESTOR_NATS=" + nats.URL()})
	})
}

func TestWhatAModelSaysOnOneNodeIsSeenOnTheOther(t *testing.T) {
	onEachBus(t, func(t *testing.T, env []string) {
		th := newTheatre(t, env...)
		chat, actor := th.play(th.a, "hamlet")
		here, there := th.watch(th.a, chat), th.watch(th.b, chat)
		said := ""
		var delays []time.Duration
		for i := range 30 {
			word := fmt.Sprintf("Wörter 😀 %d, ", i)
			said += word
			actor.say(word)
			here.until(said)
			from := time.Now()
			there.until(said)
			delays = append(delays, time.Since(from))
		}
		slices.Sort(delays)
		t.Logf("after the node that says it, the other shows a word within %v (median) and %v (longest)", delays[len(delays)/2], delays[len(delays)-1])
		long := strings.Repeat("Ein langer Satz – größer als eine Nachricht. ", 1000)
		said += long
		actor.say(long)
		there.until(said)
		late := th.watch(th.b, chat) // in the middle of the reply
		late.until(said)
		close(actor.words)
		for _, s := range []*seat{here, there, late} {
			s.untilTold(said)
		}
	})
}

func TestWhoStopsAReplyOnOneNodeReachesTheOtherThatAsksTheModel(t *testing.T) {
	onEachBus(t, func(t *testing.T, env []string) {
		th := newTheatre(t, env...)
		chat, actor := th.play(th.a, "lear")
		actor.say("Blow, ")
		there := th.watch(th.b, chat)
		there.until("Blow,")
		if err := th.b.Stop(t.Context(), chat); err != nil {
			t.Fatal(err)
		}
		<-actor.left
		there.see(func() bool { return len(there.shows) == 0 }, "falls silent")
	})
}

func TestTheWordsOfANodeThatIsKilledGiveWayToThoseOfItsSuccessor(t *testing.T) {
	onEachBus(t, func(t *testing.T, env []string) {
		th := newTheatre(t, env...)
		chat, actor := th.play(th.a, "macbeth")
		there := th.watch(th.b, chat)
		actor.say("Tomorrow, and ")
		there.until("Tomorrow, and")
		if err := th.a.process.Kill(); err != nil {
			t.Fatal(err)
		}
		again := <-th.stage("macbeth")
		again.say("Is this ", "a dagger")
		there.until("Is this a dagger")
		close(again.words)
		there.untilTold("Is this a dagger")
	})
}

func TestANATSThatDiesCostsLiveTextAndNothingElse(t *testing.T) {
	nats := natstest.New(t)
	th := newTheatre(t, "NESTOR_NATS="+nats.URL()) // it is not there yet
	if up := th.metric(th.a, "nestor_bus_up"); up != 0 {
		t.Errorf("nestor_bus_up is %v without NATS", up)
	}
	chat, actor := th.play(th.a, "first")
	there := th.watch(th.b, chat)
	actor.say("unheard")
	close(actor.words)
	there.untilTold("unheard")

	nats.Start()
	th.ask(th.a, chat, "second")
	actor = <-th.stage("second")
	actor.say("heard, ")
	there.until("heard,")
	nats.Stop()
	actor.say("not heard, ")
	close(actor.words)
	there.untilTold("heard, not heard, ")

	nats.Start()
	th.ask(th.a, chat, "third")
	actor = <-th.stage("third")
	actor.say("heard again")
	there.until("heard again")
	if up := th.metric(th.b, "nestor_bus_up"); up != 1 {
		t.Errorf("nestor_bus_up is %v with NATS", up)
	}
	close(actor.words)
	there.untilTold("heard again")
}

func TestFiftyRepliesAtOnceAreSeenOnTheOtherNodeWithFewMessages(t *testing.T) {
	onEachBus(t, func(t *testing.T, env []string) {
		th := newTheatre(t, env...)
		const plays, words = 50, 60
		actors, seats := make([]*speech, plays), make([]*seat, plays)
		for i := range plays {
			chat, actor := th.play(th.a, fmt.Sprintf("play%d", i))
			actors[i], seats[i] = actor, th.watch(th.b, chat)
		}
		before, begin := th.metric(th.a, "nestor_bus_sent_total"), time.Now()
		var wg sync.WaitGroup
		want := ""
		for i := range words {
			want += fmt.Sprintf("%d ", i)
		}
		for i := range plays {
			wg.Go(func() {
				for j := range words {
					actors[i].say(fmt.Sprintf("%d ", j))
				}
			})
		}
		wg.Wait()
		for _, s := range seats {
			s.until(want)
		}
		sent, took := th.metric(th.a, "nestor_bus_sent_total")-before, time.Since(begin)
		t.Logf("%d words of %d replies took %.0f messages in %v, %.0f a second", plays*words, plays, sent, took, sent/took.Seconds())
		if sent > plays*words/5 {
			t.Errorf("%d words took %.0f messages", plays*words, sent)
		}
		for i, s := range seats {
			close(actors[i].words)
			s.untilTold(want)
		}
	})
}

func TestSettingsOfNATSThatCannotBeAreRefused(t *testing.T) {
	for name, c := range map[string]struct {
		env  []string
		want string
	}{
		"without a PostgreSQL": {[]string{"NESTOR_NATS=nats://nestor:geheim@127.0.0.1:1"}, "--db"},
		"no URL":               {[]string{"NESTOR_DB=postgres://127.0.0.1:1/none", "NESTOR_NATS=geheim"}, "--nats is a URL"},
		"only credentials":     {[]string{"NESTOR_NATS_CREDS=geheim.creds"}, "--nats-creds is for --nats"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := newProgram(t, c.env...).command("serve", "--addr", "127.0.0.1:0").CombinedOutput()
			if err == nil || !strings.Contains(string(out), c.want) || strings.Contains(string(out), "geheim") {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
