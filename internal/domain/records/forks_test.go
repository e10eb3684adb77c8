package records_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/chatfork"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

// chatWith makes a chat of the person's in which an assistant said these words, each
// under an id that is the word.
func (p *person) chatWith(id, settings string, words ...string) {
	p.Helper()
	p.wants(201, "POST", "chats", `{"id":"`+id+`"`+settings+`}`)
	for _, w := range words {
		p.says(id, w)
	}
}

// says adds a message that nobody answers.
func (p *person) says(chat, word string) {
	p.Helper()
	operator := person{p.With(servertest.Token), p.id} // in the place of the stages
	operator.wants(201, "PUT", "docs/users/"+p.id+"/orch-chats/"+chat+"/messages/"+word, `{"role":"assistant","content":"`+word+`","isLlmMessage":true}`)
}

// forks returns the id of the fork of a chat.
func (p *person) forks(chat, body string) string {
	p.Helper()
	path, query, _ := strings.Cut(chat, "?")
	var made nestor.Chat
	p.into(&made, 201, "POST", "chats/"+path+"/fork?"+query, body)
	return made.ID
}

// hears is what was said in a chat, as "chat/message" in order, read in pages of two.
func (p *person) hears(chat, part string) string {
	p.Helper()
	path, query, _ := strings.Cut(chat, "?")
	var all []string
	for cursor := ""; ; {
		var page struct {
			Items []nestor.Message
			Next  string
		}
		p.into(&page, 200, "GET", "chats/"+path+"/messages?limit=2&part="+part+"&cursor="+cursor+"&"+query, "")
		for _, m := range page.Items {
			all = append(all, m.ChatID+"/"+m.Content)
		}
		if cursor = page.Next; cursor == "" {
			return strings.Join(all, " ")
		}
	}
}

func (p *person) wantHears(chat, want string) {
	p.Helper()
	if got := p.hears(chat, "all"); got != want {
		p.Errorf("in %s was said %q, want %q", chat, got, want)
	}
}

func TestAForkSharesWhatWasSaidUpToAMessage(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		p.chatWith("c", `,"title":"Plans","budget":{"tokens":500}`, "a", "b", "c")
		var f nestor.Chat
		p.into(&f, 201, "POST", "chats/c/fork", `{"id":"f","at":"b"}`)
		if f.Title != "Plans (fork)" || f.Budget == nil || f.Budget.Tokens != 500 || f.AccountID == "" || f.Usage != nil ||
			f.ForkedFrom == nil || f.ForkedFrom.ChatID != "c" || f.ForkedFrom.MessageID != "b" || f.ForkedFrom.Title != "Plans" {
			t.Errorf("the fork is %+v %+v", f, f.ForkedFrom)
		}
		p.wants(200, "POST", "chats/c/fork", `{"id":"f","at":"b"}`)
		p.wants(409, "POST", "chats/c/fork", `{"id":"f","at":"a"}`)
		p.says("c", "later")
		p.says("f", "x")
		p.says("f", "y")
		p.wantHears("f", "c/a c/b f/x f/y")
		p.wantHears("c", "c/a c/b c/c c/later")
		if own, shared := p.hears("f", "own"), p.hears("f", "shared"); own != "f/x f/y" || shared != "c/a c/b" {
			t.Errorf("its own are %q, shared %q", own, shared)
		}
		// Forks of forks: at a message of its own, at one that it shares, at the last one.
		p.wantHears(p.forks("f", `{"at":"x"}`), "c/a c/b f/x")
		p.wantHears(p.forks("f", `{"at":"a"}`), "c/a")
		last := p.forks("f", "")
		p.wantHears(last, "c/a c/b f/x f/y")
		p.says(last, "z")
		p.wantHears(p.forks(last, ""), "c/a c/b f/x f/y "+last+"/z")
		for path, want := range map[string]string{
			"chats/f/thread": "assistant: a b x y", "chats/f/thread?at=x": "assistant: a b x", "chats/f/thread?at=a": "assistant: a",
		} {
			if got := p.said(path); got != want {
				t.Errorf("%s says %q, want %q", path, got, want)
			}
		}
		p.wants(404, "GET", "chats/f/thread?at=later", "")
		for body, status := range map[string]int{`{"at":"none"}`: 404, `{"at":"x"}`: 404, `{"at":"a/b"}`: 400, `{"where":"a"}`: 400} {
			p.wants(status, "POST", "chats/c/fork", body)
		}
		p.wants(404, "POST", "chats/f/fork", `{"at":"later"}`)
		p.wants(404, "POST", "chats/none/fork", "")
		p.wants(400, "GET", "chats/f/messages?part=half", "")
		p.wants(400, "GET", "chats/f/messages?cursor=elsewhere:", "")
		p.chatWith("empty", "")
		p.wants(404, "POST", "chats/empty/fork", "", "nothing was said")
	})
}

// Whoever edits a message says something in its place: in a fork from before it, of
// which all that begin in the place of one message name the same.
func TestAForkFromBeforeAMessageSaysSomethingInItsPlace(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		p.chatWith("c", `,"title":"Plans","systemPrompt":"Be brief."`, "a", "b", "c")
		before := func(chat, id, message string) (f nestor.Chat) {
			t.Helper()
			p.into(&f, 201, "POST", "chats/"+chat+"/fork", `{"id":"`+id+`","before":"`+message+`"}`)
			p.wants(200, "POST", "chats/"+chat+"/fork", `{"id":"`+id+`","before":"`+message+`"}`)
			return f
		}
		wantPlace := func(f nestor.Chat, chat, message, instead string) {
			t.Helper()
			if is := f.ForkedFrom; is == nil || is.ChatID != chat || is.MessageID != message || is.InsteadIn+"/"+is.InsteadOf != instead {
				t.Errorf("%s is forked from %+v, want %s/%s, in the place of %s", f.ID, is, chat, message, instead)
			}
		}
		f := before("c", "f", "c")
		wantPlace(f, "c", "b", "c/c")
		if f.Title != "Plans (fork)" || f.SystemPrompt != "Be brief." {
			t.Errorf("the fork is %+v", f)
		}
		p.says("f", "c2")
		p.says("f", "d")
		p.wantHears("f", "c/a c/b f/c2 f/d")
		wantPlace(before("f", "g", "c2"), "c", "b", "c/c") // one more in the same place
		wantPlace(before("f", "h", "d"), "f", "c2", "f/d")
		wantPlace(before("f", "i", "b"), "c", "a", "c/b")
		p.wantHears("i", "c/a")
		p.wants(409, "POST", "chats/f/fork", `{"id":"g","before":"d"}`, "another one")

		// Before the first message nothing is shared, and the title is its own.
		first := before("c", "first", "a")
		wantPlace(first, "c", "", "c/a")
		if first.Title != "" {
			t.Errorf("the title is %q", first.Title)
		}
		p.says("first", "a2")
		p.wantHears("first", "first/a2")
		wantPlace(before("first", "second", "a2"), "first", "", "c/a")
		p.wants(204, "DELETE", "chats/c", "")
		p.wantHears("first", "first/a2")
		p.wantHears("f", "c/a c/b f/c2 f/d")
		wantPlace(before("f", "k", "b"), "f", "a", "c/b") // what is kept is found

		for body, status := range map[string]int{`{"before":"none"}`: 404, `{"before":"a/b"}`: 400, `{"at":"d","before":"d"}`: 400} {
			p.wants(status, "POST", "chats/f/fork", body)
		}
	})
}

// The snapshot of a fork's events has what it shares, in order.
func TestTheEventsOfAForkBeginWithWhatItShares(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		p.chatWith("c", "", "a", "b")
		p.forks("c", `{"id":"f"}`)
		p.says("f", "x")
		res, err := p.Client().HTTP.Do(p.request("GET", "chats/f/events?snapshot=1", ""))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		var snapshot struct{ Messages []nestor.Message }
		lines := bufio.NewReader(res.Body)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				if err := json.Unmarshal([]byte(data), &snapshot); err != nil {
					t.Fatal(err)
				}
				break
			}
		}
		var got []string
		for _, m := range snapshot.Messages {
			got = append(got, m.ChatID+"/"+m.Content)
		}
		if strings.Join(got, " ") != "c/a c/b f/x" {
			t.Errorf("it begins with %v", got)
		}
	})
}

// A fork costs the same whatever it shares.
func TestAForkCopiesNoMessage(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		stored := func(chat, at string) (bytes int) {
			p.forks(chat, `{"id":"f`+chat+`","at":"`+at+`"}`)
			var notes struct{ Items []json.RawMessage }
			p.into(&notes, 200, "POST", "query", `{"collection":"users/local/orch-chats/`+chat+`/forks"}`)
			for _, below := range []string{"messages", "kept-messages", "tasks"} {
				p.wants(200, "POST", "query", `{"collection":"users/local/orch-chats/f`+chat+`/`+below+`"}`, `"items":[]`)
			}
			return len(p.wants(200, "GET", "chats/f"+chat, "")) + len(notes.Items[0])
		}
		p.chatWith("short", "", "a")
		p.chatWith("longs", "")
		for i := range 20 {
			p.wants(201, "PUT", fmt.Sprintf("docs/users/local/orch-chats/longs/messages/m%d", i),
				`{"role":"assistant","content":"`+strings.Repeat("many words ", 1000)+`"}`)
		}
		short, long := stored("short", "a"), stored("longs", "m19")
		t.Logf("a fork of 1 byte takes %d bytes, one of 220 KB takes %d", short, long)
		if long > short+20 || long > 1000 { // ids and positions have more digits
			t.Errorf("a fork of a long chat takes %d bytes, one of a short chat %d", long, short)
		}
	})
}

func TestDeletingAChatLeavesItsForksWhatTheyShare(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		for name, deletes := range map[string][]string{
			"down": {"c", "f", "g"}, "up": {"g", "f", "c"}, "middle": {"f", "c", "g"}, "otherwise": {"c", "g", "f"},
		} {
			id := func(chat string) string { return name + "-" + chat }
			p.chatWith(id("c"), "", "a", "b", "after")
			p.forks(id("c"), `{"id":"`+id("f")+`","at":"b"}`)
			p.says(id("f"), "x")
			p.forks(id("f"), `{"id":"`+id("g")+`"}`)
			p.says(id("g"), "y")
			p.forks(id("f"), `{"id":"`+id("h")+`","at":"a"}`) // of what f shares with c
			for i, gone := range deletes {
				p.wants(204, "DELETE", "chats/"+id(gone), "")
				left := map[string]string{"c": "c/a c/b c/after", "f": "c/a c/b f/x", "g": "c/a c/b f/x g/y", "h": "c/a"}
				for _, d := range deletes[:i+1] {
					delete(left, d)
				}
				for chat, want := range left {
					for _, c := range "cfg" {
						want = strings.ReplaceAll(want, string(c)+"/", id(string(c))+"/")
					}
					p.wantHears(id(chat), want)
				}
			}
			// What is kept can be forked as well.
			p.wantHears(p.forks(id("h"), `{"at":"a"}`), id("c")+"/a")
			p.wantHears(p.forks(id("h"), ""), id("c")+"/a")
		}
		// Nothing is left behind by forks that are gone.
		p.chatWith("c", "", "a")
		p.wants(204, "DELETE", "chats/"+p.forks("c", ""), "")
		p.wants(200, "POST", "query", `{"collection":"users/local/orch-chats/c/forks"}`, `"items":[]`)
	})
}

// What the forks of a chat keep is written once, and not once for each of them; it goes
// on from fork to fork while there is one that shares it.
func TestForksKeepWhatTheyShareTogether(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		const forks = 6
		kept := func() (bytes int) {
			for i := range forks {
				text := p.wants(200, "POST", "query", fmt.Sprintf(`{"collection":"users/local/orch-chats/f%d/kept-messages","limit":1000}`, i))
				bytes += strings.Count(text, `"messageId"`)
			}
			return bytes
		}
		words := []string{"a", "b", "c", "d"}
		want := map[int]string{}
		p.chatWith("c", "", words...)
		for i := range forks {
			at := words[(i+2)%len(words)]
			p.forks("c", fmt.Sprintf(`{"id":"f%d","at":"%s"}`, i, at))
			p.says(fmt.Sprint("f", i), "own")
			for _, w := range words {
				want[i] += "c/" + w + " "
				if w == at {
					break
				}
			}
			want[i] += fmt.Sprintf("f%d/own", i)
		}
		p.wants(204, "DELETE", "chats/c", "")
		gone := map[int]bool{}
		for _, next := range []int{1, 5, 0, 2} { // those that keep the messages first
			longest := 0
			for i := range forks {
				if !gone[i] {
					longest = max(longest, strings.Count(want[i], "c/"))
				}
			}
			if n := kept(); n != longest {
				t.Errorf("%d messages are kept, want %d, each once", n, longest)
			}
			for i := range forks {
				if !gone[i] {
					p.wantHears(fmt.Sprint("f", i), want[i])
				}
			}
			// A fork of one that reads elsewhere what is kept.
			again := p.forks(fmt.Sprint("f", next), "")
			p.wantHears(again, want[next])
			gone[next] = true
			p.wants(204, "DELETE", fmt.Sprint("chats/f", next), "")
			p.wantHears(again, want[next])
			p.wants(204, "DELETE", "chats/"+again, "")
		}
		// Nobody changes what is kept.
		var page struct{ Items []nestor.KeptMessage }
		p.into(&page, 200, "POST", "query", `{"collection":"users/local/orch-chats/f4/kept-messages"}`)
		p.wants(403, "DELETE", "docs/users/local/orch-chats/f4/kept-messages/"+page.Items[0].ID, "")
		p.wantHears("f3", want[3])
		p.wantHears("f4", want[4])
	})
}

func TestAChatHasSoManyForks(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		p.chatWith("c", "", "a")
		var last string
		for range chatfork.MaxForks {
			last = p.forks("c", "")
		}
		p.wants(409, "POST", "chats/c/fork", "", `"reason":"too_many_forks"`, `"limit":500`)
		p.wants(204, "DELETE", "chats/"+last, "")
		p.forks("c", "")
		p.wants(204, "DELETE", "chats/c", "")
	})
}

// Whoever forks a chat while it is deleted gets a fork with all that it shares, or no
// fork.
func TestForkingAChatThatIsBeingDeleted(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		for round := range 5 {
			chat := fmt.Sprintf("c%d", round)
			p.chatWith(chat, "", "a", "b")
			p.forks(chat, `{"id":"f`+chat+`"}`)
			var all sync.WaitGroup
			begin := make(chan struct{})
			send := func(method, path, body string, got func(int, string)) {
				r := p.request(method, path, body)
				all.Go(func() {
					<-begin
					res, text, err := p.try(r)
					if err != nil {
						t.Error(err)
						return
					}
					got(res.StatusCode, text)
				})
			}
			var mu sync.Mutex
			var made []string
			for i := range 6 {
				id, of := fmt.Sprintf("%s-%d", chat, i), chat
				if i%2 == 1 {
					of = "f" + chat // which shares the messages with the chat
				}
				send("POST", "chats/"+of+"/fork", `{"id":"`+id+`","at":"b"}`, func(status int, text string) {
					switch {
					case status == http.StatusCreated:
						mu.Lock()
						made = append(made, id)
						mu.Unlock()
					case status != http.StatusNotFound || of != chat:
						t.Errorf("a fork of %s gets %d %s", of, status, text)
					}
				})
			}
			send("DELETE", "chats/"+chat, "", func(status int, text string) {
				if status != http.StatusNoContent {
					t.Errorf("the delete gets %d %s", status, text)
				}
			})
			close(begin)
			all.Wait()
			for _, id := range append(made, "f"+chat) {
				p.wantHears(id, chat+"/a "+chat+"/b")
			}
		}
	})
}

func TestAForkShowsNobodyWhatTheyCouldNotRead(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		ada, bob, vera, eve := p.signIn("ada"), p.signIn("bob"), p.signIn("vera"), p.signIn("eve")
		keys := map[*person]*person{ada: ada.withKey(), bob: bob.withKey(), eve: eve.withKey()}
		var team, project, other, alone struct{ ID string }
		ada.into(&team, 201, "POST", "accounts", `{"name":"Team"}`)
		ada.into(&project, 201, "POST", "accounts/"+team.ID+"/projects", `{"name":"Project"}`)
		bob.into(&other, 201, "POST", "accounts", `{"name":"Other"}`)
		ada.into(&alone, 201, "POST", "accounts", `{"name":"Alone"}`)
		for who, role := range map[*person]string{bob: "member", vera: "viewer"} {
			ada.wants(202, "PUT", "accounts/"+team.ID+"/members/"+who.id, `{"role":"`+role+`"}`)
			who.wants(204, "POST", "invitations/"+team.ID+"/accept", "")
		}
		keys[ada].chatWith("c", `,"projectId":"`+project.ID+`"`, "a", "b")
		keys[ada].chatWith("private", "", "secret")

		eve.wants(404, "POST", "chats/c/fork?user=ada", "")
		eve.wants(404, "POST", "chats/c/fork", "")
		bob.wants(404, "POST", "chats/private/fork?user=ada", "")
		vera.wants(403, "POST", "chats/c/fork?user=ada", "") // she may read there, not write
		var f nestor.Chat
		bob.into(&f, 201, "POST", "chats/c/fork?user=ada", `{"id":"f"}`)
		if f.UserID != "bob" || f.AccountID != team.ID || f.ProjectID != project.ID {
			t.Errorf("the fork is %+v", f)
		}
		for _, who := range []*person{ada, bob, vera} {
			who.wantHears("f?user=bob", "c/a c/b")
		}
		eve.wants(404, "GET", "chats/f/messages?user=bob", "")

		// Nobody makes up what a chat shares, or has it shared no longer.
		var notes struct{ Items []nestor.ChatFork }
		p.into(&notes, 200, "POST", "query", `{"collection":"users/ada/orch-chats/c/forks"}`)
		if len(notes.Items) != 1 {
			t.Fatalf("the forks are %+v", notes.Items)
		}
		for _, who := range []*person{keys[ada], p} {
			who.wants(403, "DELETE", "docs/users/ada/orch-chats/c/forks/"+notes.Items[0].ID, "")
		}
		forged := `"forkedFrom":{"userId":"ada","chatId":"private","messageId":"secret","saidAt":9000000000000000}`
		eve.wants(403, "PUT", "docs/users/eve/orch-chats/forged", "{"+forged+"}")
		keys[eve].wants(403, "PUT", "docs/users/eve/orch-chats/forged", "{"+forged+"}", "forkedFrom")
		keys[eve].wants(201, "PUT", "docs/users/eve/orch-chats/forged", `{"title":"x"}`)
		keys[eve].wants(403, "PATCH", "docs/users/eve/orch-chats/forged", "{"+forged+"}", "forkedFrom")
		keys[eve].wants(403, "PUT", "docs/users/eve/orch-chats/forged", `{"title":"x",`+forged+"}", "forkedFrom")
		keys[bob].wants(403, "PATCH", "docs/users/bob/orch-chats/f", "{"+forged+"}", "forkedFrom")
		p.wants(403, "PATCH", "docs/users/bob/orch-chats/f", "{"+forged+"}", "forkedFrom")
		keys[eve].wants(403, "PUT", "docs/users/eve/orch-chats/forged/kept-messages/k",
			`{"role":"user","content":"x","fromUserId":"ada","fromChatId":"c","messageId":"a","saidAt":1,"saidSeq":1}`)
		keys[eve].wants(403, "PUT", "docs/users/eve/orch-chats/forged/forks/k", `{"forkUserId":"bob","forkChatId":"f"}`)
		eve.wantHears("forged", "")
		bob.wantHears("f", "c/a c/b")

		// A fork stays where its readers could read the chat; the chat may go.
		keys[bob].wants(403, "PATCH", "docs/users/bob/orch-chats/f", `{"accountId":"`+other.ID+`","projectId":null}`, "accountId")
		p.wants(409, "PATCH", "docs/users/bob/orch-chats/f", `{"accountId":"`+other.ID+`","projectId":null}`, "stays in the account")
		keys[bob].wants(200, "PUT", "docs/users/bob/orch-chats/f", `{"title":"x"}`, team.ID, `"forkedFrom":{`)
		p.wants(200, "PATCH", "docs/users/ada/orch-chats/c", `{"accountId":"`+alone.ID+`","projectId":null}`)
		bob.wants(404, "GET", "chats/c?user=ada", "")
		bob.wantHears("f", "c/a c/b")
		vera.wantHears("f?user=bob", "c/a c/b")

		// Who leaves keeps what was theirs, and no more.
		ada.wants(204, "DELETE", "accounts/"+team.ID+"/members/bob", "")
		bob.wantHears("f", "c/a c/b")
		ada.wantHears("f?user=bob", "c/a c/b")
		var own nestor.Chat // in the account that he left nothing can be done
		bob.into(&own, 201, "POST", "chats/f/fork", "")
		if own.AccountID == team.ID || own.AccountID == "" {
			t.Errorf("the fork is %+v", own)
		}
		bob.wantHears(own.ID, "c/a c/b")
		ada.wants(404, "GET", "chats/"+own.ID+"?user=bob", "")

		// Nobody changes messages that are shared, and a fork outlives them.
		keys[ada].wants(403, "PATCH", "docs/users/ada/orch-chats/c/messages/a", `{"content":"other"}`)
		keys[ada].wants(403, "DELETE", "docs/users/ada/orch-chats/c/messages/b", "")
		ada.wants(204, "DELETE", "chats/c", "")
		vera.wantHears("f?user=bob", "c/a c/b")
	})
}

// What a person's chats shared with those of a user who is gone stays.
func TestTheEndOfAUserLeavesForksOfTheirChats(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		ada, bob := p.signIn("ada"), p.signIn("bob")
		var team, project struct{ ID string }
		bob.into(&team, 201, "POST", "accounts", `{"name":"Team"}`)
		bob.into(&project, 201, "POST", "accounts/"+team.ID+"/projects", `{"name":"Project"}`)
		bob.wants(202, "PUT", "accounts/"+team.ID+"/members/ada", `{"role":"member"}`)
		ada.wants(204, "POST", "invitations/"+team.ID+"/accept", "")
		ada.withKey().chatWith("c", `,"projectId":"`+project.ID+`"`, "a")
		bob.forks("c?user=ada", `{"id":"f"}`)
		p.wants(204, "DELETE", "users/ada", "")
		bob.wantHears("f", "c/a")
		var f nestor.Chat
		bob.into(&f, 200, "GET", "chats/f", "")
		if f.ForkedFrom == nil || !f.ForkedFrom.Kept {
			t.Errorf("it is still shared: %+v", f.ForkedFrom)
		}
	})
}

// The inside of an agent reads as a thread, calls and their results included.
func TestATaskReadsAsAThread(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		ann := p.signIn("ann")
		p.wants(201, "POST", "chats", `{"id":"c"}`)
		p.wants(201, "POST", "chats/c/messages", `{"content":"Compute 6*7"}`)
		p.wants(201, "POST", "chats/c/tasks", `{"id":"tool","type":"tool","name":"tool:calculator","args":{"expression":"2+3"}}`)
		p.settled()
		var tasks struct{ Items []nestor.Task }
		p.into(&tasks, 200, "GET", "chats/c/tasks", "")
		var agent nestor.Task
		for _, task := range tasks.Items {
			if task.Type == nestor.TaskAgent {
				agent = task
			}
		}
		type conversation struct {
			TaskID, At string
			Turns      []struct {
				ID, SenderID string
				Partials     []struct {
					Type    string
					Payload map[string]any
				}
			}
		}
		var whole, first, call conversation
		at := "chats/c/tasks/" + agent.ID + "/thread"
		p.into(&whole, 200, "GET", at, "")
		var types []string
		results := ""
		for _, turn := range whole.Turns {
			for _, piece := range turn.Partials {
				types = append(types, turn.SenderID+"/"+piece.Type)
				results += fmt.Sprintf(" %v:%v", piece.Payload["status"], piece.Payload["output"])
			}
		}
		said := strings.Join(types, " ")
		if !strings.Contains(said, "/toolRequest tool/toolResponse assistant/") || strings.Contains(said, "system") ||
			!strings.Contains(results, " success:42") || whole.TaskID != agent.ID {
			t.Errorf("inside it was said %s,%s", said, results)
		}
		p.into(&first, 200, "GET", at+"?at="+whole.Turns[0].ID, "")
		if len(first.Turns) != 1 || first.At != whole.Turns[0].ID {
			t.Errorf("at the first message it says %+v", first)
		}
		p.into(&call, 200, "GET", "chats/c/tasks/tool/thread", "")
		if len(call.Turns) != 2 || call.Turns[0].Partials[0].Payload["shortId"] != "calculator" || call.Turns[1].Partials[0].Payload["output"] != "5" {
			t.Errorf("the call says %+v", call)
		}
		p.wants(404, "GET", at+"?at=none", "")
		p.wants(404, "GET", "chats/c/tasks/none/thread", "")
		ann.wants(404, "GET", at+"?user=local", "")
	})
}
