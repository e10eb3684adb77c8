package client_test

import (
	"bytes"
	"context"
	"io"
	"iter"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

// drafts are the messages being written, as a reader keeps them.
type drafts struct {
	texts    map[nestor.Path][]rune
	compared int // messages that were told completely before they came
}

// take sets the text of a delta where it belongs, and compares what was told
// with the message when it comes.
func (d *drafts) take(t *testing.T, e client.Event) {
	t.Helper()
	if d.texts == nil {
		d.texts = map[nestor.Path][]rune{}
	}
	if e.Delta != nil {
		switch e.Delta.Kind {
		case "restart":
			d.texts[e.Delta.Path] = nil
		case "drop":
			delete(d.texts, e.Delta.Path)
		case "text":
			text := d.texts[e.Delta.Path]
			if e.Delta.Offset > len(text) {
				t.Fatalf("a delta at %d leaves a gap after %d", e.Delta.Offset, len(text))
			}
			d.texts[e.Delta.Path] = append(text[:e.Delta.Offset], []rune(e.Delta.Text)...)
		}
		return
	}
	text, ok := d.texts[e.Change.Path]
	if m := d.message(t, e); m != nil && ok {
		if string(text) != m.Content {
			t.Errorf("the deltas say %q, the message %q", string(text), m.Content)
		}
		d.compared++
	}
}

// message is the chat message that an event tells of, if it does.
func (*drafts) message(t *testing.T, e client.Event) *nestor.Message {
	t.Helper()
	if e.Change == nil || e.Change.Collection != "messages" || e.Change.Type != nestor.Create {
		return nil
	}
	var m nestor.Message
	decode(t, e.Change, &m)
	return &m
}

func decode(t *testing.T, c *client.Change, v any) {
	t.Helper()
	if err := c.Decode(v); err != nil {
		t.Fatal(err)
	}
}

func firstError[T any](seq iter.Seq2[T, error]) error {
	for _, err := range seq {
		return err
	}
	return nil
}

// work has an agent do something in a new chat and returns the chat and the
// position of the last change.
func work(t *testing.T, c *client.Client) (chatID string, last int64) {
	t.Helper()
	ctx := within(t)
	chat, err := c.CreateChat(ctx, client.NewChat{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Say(ctx, chat.ID, "Compute 6*7"); err != nil {
		t.Fatal(err)
	}
	for e, err := range c.Events(ctx, chat.ID, client.Start) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Change == nil || e.Change.Collection != "messages" {
			continue
		}
		var m nestor.Message
		decode(t, e.Change, &m)
		if m.TaskID != "" && strings.Contains(m.Content, "42") {
			return chat.ID, e.Change.Seq
		}
	}
	t.Fatal("the agent never reported")
	return "", 0
}

// changesUntil are the positions of a chat's changes up to one of them.
func changesUntil(t *testing.T, c *client.Client, chatID, from string, last int64) (seqs []int64) {
	t.Helper()
	for e, err := range c.Events(within(t), chatID, from) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Change == nil {
			continue
		}
		if seqs = append(seqs, e.Change.Seq); e.Change.Seq >= last {
			return seqs
		}
	}
	t.Fatalf("the stream ended after %v", seqs)
	return nil
}

func TestABrokenStreamGoesOnExactlyWhereItWas(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		url, _ := start(t, cfg)
		direct := connect(t, url)
		chatID, last := work(t, direct)
		want := changesUntil(t, direct, chatID, client.Start, last)
		p := newProxy(t, url)
		broken := connect(t, p.url)
		// A change takes some hundred bytes: cuts fall between and inside of
		// them, at every kind of line.
		for _, cut := range []int{3000, 3333, 4001, 5555} {
			p.lead(url, cut)
			before := p.broke()
			got := changesUntil(t, broken, chatID, client.Start, last)
			if !slices.Equal(got, want) {
				t.Errorf("cut after %d bytes: got %v, want %v", cut, got, want)
			}
			if p.broke() == before {
				t.Errorf("cut after %d bytes: the stream never broke", cut)
			}
		}
	})
}

func TestDeltasGoOnAcrossBrokenConnections(t *testing.T) {
	url, _ := start(t, server.Config{Data: t.TempDir()})
	p := newProxy(t, url)
	p.lead(url, 2500)
	direct, broken, ctx := connect(t, url), connect(t, p.url), within(t)
	chat, err := direct.CreateChat(ctx, client.NewChat{})
	if err != nil {
		t.Fatal(err)
	}
	var said *nestor.Message
	seen := drafts{}
	for e, err := range broken.Events(ctx, chat.ID, client.Start) {
		if err != nil {
			t.Fatal(err)
		}
		if said == nil {
			if said, err = direct.Say(ctx, chat.ID, "Hello, who are you and what can you do for me?"); err != nil {
				t.Fatal(err)
			}
		}
		if e.Delta != nil { // what is told next comes over another connection, at the latest after it
			seen.take(t, e)
			continue
		}
		if m := seen.message(t, e); m != nil && m.RepliesTo == said.ID {
			// The draft may have ended while nobody was connected; then the
			// change alone tells the rest, and what was told is its beginning.
			if text := string(seen.texts[e.Change.Path]); !strings.HasPrefix(m.Content, text) {
				t.Errorf("the deltas say %q, the message %q", text, m.Content)
			}
			return
		}
	}
	t.Fatal("the stream ended")
}

func TestAStreamGoesOnAfterARestartOfTheServer(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		url, stop := start(t, cfg)
		p := newProxy(t, url)
		c, ctx := connect(t, p.url), within(t)
		chat, err := c.CreateChat(ctx, client.NewChat{ID: "c1"})
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		restarted := false
		for e, err := range c.Events(ctx, chat.ID, client.Start) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Change != nil && e.Change.Collection == "chats" && e.Change.Type == nestor.Create {
				if restarted {
					t.Error("the chat was told twice")
				}
				restarted = true
				stop()
				url, _ = start(t, cfg)
				p.lead(url, 0)
				if _, err := connect(t, url).Say(ctx, "c1", "Hello again"); err != nil {
					t.Fatal(err)
				}
			}
			if e.Change != nil && e.Change.Collection == "messages" && e.Change.Type == nestor.Create {
				var m nestor.Message
				decode(t, e.Change, &m)
				if said = append(said, string(m.Role)); m.Role == nestor.RoleAssistant {
					break
				}
			}
		}
		if got := strings.Join(said, " "); got != "user assistant" {
			t.Errorf("after the restart came %s", got)
		}
	})
}

func TestAStreamFromTooLongAgoIsAnError(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		url, stop := start(t, cfg)
		c, ctx := connect(t, url), within(t)
		first, err := c.CreateChat(ctx, client.NewChat{ID: "c1"})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if _, err := c.CreateChat(ctx, client.NewChat{}); err != nil {
				t.Fatal(err)
			}
		}
		stop()
		forget(t, cfg, first.Seq)
		url, _ = start(t, cfg)
		c = connect(t, url)
		if err := firstError(c.Events(ctx, "c1", client.After(first.Seq))); nestor.CodeOf(err) != nestor.CodeTooOld {
			t.Errorf("got %v", err)
		}
	})
}

// answers are what a server says, one after the other; the last one stays open.
type answers []string

func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	text := (*a)[0]
	*a = (*a)[1:]
	body, w := io.Pipe()
	context.AfterFunc(r.Context(), func() { w.CloseWithError(r.Context().Err()) })
	go func() {
		io.Copy(w, strings.NewReader(text))
	}()
	return &http.Response{StatusCode: 200, Body: body, Header: http.Header{}}, nil
}

func TestAStreamThatFallsSilentIsOpenedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := client.New("http://nestor", servertest.Token)
		c.HTTP = &http.Client{Transport: &answers{
			":\nid: 7\n\n", // a connection that dies without a word
			"event: change\nid: 8\ndata: {\"seq\":8}\n\n",
		}}
		begin := time.Now()
		for e, err := range c.Events(t.Context(), "c1", client.Now) {
			if err != nil || e.Change.Seq != 8 || e.ID != "8" {
				t.Errorf("got %+v, %v", e, err)
			}
			break
		}
		if waited := time.Since(begin); waited < 45*time.Second || waited > 46*time.Second {
			t.Errorf("it took %v", waited)
		}
	})
}

func TestASlowReaderIsNotTakenForASilentServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := client.New("http://nestor", servertest.Token)
		c.HTTP = &http.Client{Transport: &answers{
			"event: delta\nid: 7\ndata: {\"kind\":\"text\"}\n\nevent: news\ndata: {}\n\nevent: change\nid: 8\ndata: {\"seq\":8}\n\n",
		}}
		var ids []string
		for e, err := range c.Events(t.Context(), "c1", client.Now) {
			if err != nil {
				t.Fatal(err)
			}
			<-time.After(time.Hour)
			if ids = append(ids, e.ID); len(ids) == 2 {
				break
			}
		}
		if strings.Join(ids, " ") != "7 8" {
			t.Errorf("got %v", ids)
		}
	})
}

func TestAnEventThatBreaksOffIsNotSkipped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked bytes.Buffer
		c := client.New("http://nestor", servertest.Token)
		c.HTTP = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			asked.WriteString(r.URL.RawQuery + " ")
			text := "event: change\nid: 7\ndata: {\"seq\":7}\n\nevent: change\nid: 8\ndata: {\"seq\":8}\n"
			if r.URL.RawQuery == "from=7" {
				text = "event: change\nid: 8\ndata: {\"seq\":8}\n\n"
			}
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(text)), Header: http.Header{}}, nil
		})}
		var seqs []int64
		for e, err := range c.Events(t.Context(), "c1", client.After(6)) {
			if err != nil {
				t.Fatal(err)
			}
			if seqs = append(seqs, e.Change.Seq); len(seqs) == 2 {
				break
			}
		}
		if !slices.Equal(seqs, []int64{7, 8}) || asked.String() != "from=6 from=7 " {
			t.Errorf("got %v, asked %s", seqs, asked.String())
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
