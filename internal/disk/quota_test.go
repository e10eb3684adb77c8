package disk_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/server"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// noise is text that nothing makes smaller.
func noise(bytes int) string {
	random := rand.New(rand.NewPCG(1, uint64(bytes)))
	all := make([]byte, bytes/2)
	for i := range all {
		all[i] = byte(random.Uint32())
	}
	return hex.EncodeToString(all)
}

const limit = 3 << 20

// half is a document of half a megabyte.
var half = `{"text":"` + noise(500_000) + `"}`

// model runs what a test wants at each call, and calls a tool until it may answer.
type model struct {
	mu    sync.Mutex
	calls int
	at    func(ctx context.Context, call int)
}

func (m *model) Name() string { return "m" }

func (m *model) Generate(ctx context.Context, r *llm.Request) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		m.mu.Lock()
		m.calls++
		n, at := m.calls, m.at
		m.mu.Unlock()
		if at != nil && len(r.Tools) > 0 {
			at(ctx, n)
			_ = yield(llm.ToolCall{ID: fmt.Sprint("c", n), Name: "calculator", Arguments: `{"expression":"1+1"}`}, nil) && yield(llm.Finish{Reason: llm.ReasonToolCalls}, nil)
			return
		}
		_ = yield(llm.Text{Text: "Fine."}, nil) && yield(llm.Finish{Reason: llm.ReasonStop}, nil)
	}
}

func each(t *testing.T, set func(*server.Config), fn func(p *servertest.Person, m *model)) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		m := &model{}
		cfg.Model = m
		set(&cfg)
		fn(servertest.Enter(t, cfg), m)
	})
}

func perUser(c *server.Config) { c.DiskPerUser = limit }

// used is what GET usage tells of an owner.
func used(p *servertest.Person, owner string) (n, most int64) {
	p.Helper()
	var usage struct {
		Disk []struct {
			Of          string
			Used, Limit int64
		}
	}
	p.Into(&usage, 200, "GET", "usage", "")
	for _, d := range usage.Disk {
		if d.Of == owner {
			return d.Used, d.Limit
		}
	}
	p.Fatalf("the usage tells nothing of %s: %+v", owner, usage.Disk)
	return 0, 0
}

// fill writes documents until there is no room for another of half a megabyte.
func fill(p *servertest.Person, user string) (documents int) {
	p.Helper()
	for ; documents < 20; documents++ {
		res, text := p.Send(p.Request("PUT", fmt.Sprintf("docs/users/%s/notes/n%d", user, documents), half))
		if res.StatusCode == 507 {
			var failed struct {
				Error struct {
					Code    nestor.Code
					Details struct {
						Of          string
						Used, Limit int64
					}
				}
			}
			if err := json.Unmarshal([]byte(text), &failed); err != nil || failed.Error.Code != nestor.CodeStorageFull ||
				failed.Error.Details.Of != "user" || failed.Error.Details.Limit != limit || failed.Error.Details.Used < limit-600_000 || failed.Error.Details.Used > limit {
				p.Errorf("%s, %v", text, err)
			}
			return documents
		}
		if res.StatusCode >= 300 {
			p.Errorf("document %d: %d %.300s", documents, res.StatusCode, text)
			return documents
		}
	}
	p.Errorf("%d documents of half a megabyte fit into %d bytes", documents, limit)
	return documents
}

func TestWhoHasAsMuchAsTheyMayHaveIsRefusedMore(t *testing.T) {
	each(t, perUser, func(p *servertest.Person, _ *model) {
		ada, bob := p.SignIn("ada").WithKey("write"), p.SignIn("bob").WithKey("write")
		ada.Wants(201, "POST", "chats", `{"id":"c1","title":"t"}`)
		used(ada, "users/ada") // from now on the server knows
		if n := fill(ada, "ada"); n != 6 {
			p.Errorf("%d documents of half a megabyte fit", n)
		}
		upload := ada.Request("POST", "files?filename=a.txt", noise(300_000))
		upload.Header.Set("Content-Type", "text/plain")
		ada.Answers(507, upload, "storage_full")
		ada.Wants(507, "POST", "batch", `{"operations":[{"op":"create","path":"users/ada/notes/a","body":{"text":"`+noise(80_000)+`"}},{"op":"create","path":"users/ada/notes/b","body":{"text":"`+noise(100_000)+`"}}]}`)
		ada.Wants(404, "GET", "docs/users/ada/notes/a", "")
		ada.Wants(200, "PATCH", "docs/users/ada/notes/n1", `{"title":"a little"}`)
		ada.Wants(200, "PATCH", "chats/c1", `{"title":"renamed"}`)
		bob.Wants(201, "PUT", "docs/users/bob/notes/n", half)
		ada.Wants(204, "DELETE", "docs/users/ada/notes/n0", "")
		ada.Wants(201, "PUT", "docs/users/ada/notes/again", half)
		upload = ada.Request("POST", "files?filename=a.txt", noise(10_000))
		upload.Header.Set("Content-Type", "text/plain")
		before, most := used(ada, "users/ada")
		ada.Answers(201, upload)
		if after, _ := used(ada, "users/ada"); after-before < 10_000 || after-before > 12_000 || most != limit {
			p.Errorf("a file of 10 kB takes %d bytes", after-before)
		}
	})
}

func TestReplacingDocumentsTakesRoomInTheLog(t *testing.T) {
	each(t, perUser, func(p *servertest.Person, _ *model) {
		ada := p.SignIn("ada").WithKey("write")
		used(ada, "users/ada")
		n := 0
		for ; n < 20; n++ {
			if res, text := ada.Send(ada.Request("PUT", "docs/users/ada/notes/n", strings.Replace(half, "text", fmt.Sprint("text", n), 1))); res.StatusCode == 507 {
				if !strings.Contains(text, "change log") {
					p.Errorf("%s", text)
				}
				break
			}
		}
		if n != 7 { // one, and six that were replaced
			p.Errorf("a document of half a megabyte was written %d times", n)
		}
		ada.Wants(204, "DELETE", "docs/users/ada/notes/n", "")
		ada.Wants(201, "PUT", "docs/users/ada/notes/other", half)
	})
}

func TestARunWithoutRoomEndsWithTheReason(t *testing.T) {
	each(t, perUser, func(p *servertest.Person, m *model) {
		ada := p.SignIn("ada").WithKey("write")
		used(ada, "users/ada")
		m.at = func(_ context.Context, call int) {
			if call == 1 {
				fill(ada, "ada")
				ada.Send(ada.Request("PUT", "docs/users/ada/notes/rest", `{"text":"`+noise(100_000)+`"}`))
				for size := 100_000; size > 1000; size /= 2 { // as little as can be is left
					ada.Send(ada.Request("PUT", fmt.Sprintf("docs/users/ada/notes/r%d", size), `{"text":"`+noise(size)+`"}`))
				}
			}
		}
		ada.Wants(201, "POST", "chats", `{"id":"c1","title":"t","participant":"agent:general"}`)
		ada.Wants(201, "POST", "chats/c1/messages", `{"id":"m1","content":"work"}`)
		p.Settled()
		var page struct{ Items []nestor.Run }
		ada.Into(&page, 200, "GET", "runs", "")
		if len(page.Items) != 1 || page.Items[0].Status != nestor.RunFailed {
			p.Errorf("the runs are %+v", page.Items)
		}
		ada.Wants(200, "GET", "chats/c1/messages", "", "documents and files take")
		if m.calls > 3 {
			p.Errorf("the model was called %d times", m.calls)
		}
	})
}

func TestWithoutRoomOnesWorkCanBeEnded(t *testing.T) {
	each(t, perUser, func(p *servertest.Person, m *model) {
		ada := p.SignIn("ada").WithKey("write")
		used(ada, "users/ada")
		asked := make(chan struct{}, 100)
		m.at = func(ctx context.Context, _ int) {
			asked <- struct{}{}
			<-ctx.Done()
		}
		ada.Wants(201, "POST", "chats", `{"id":"c1","title":"t","participant":"agent:general"}`)
		var said nestor.Message
		ada.Into(&said, 201, "POST", "chats/c1/messages", `{"content":"work"}`)
		<-asked
		fill(ada, "ada")
		ada.Wants(200, "POST", "runs/"+said.RunID+"/cancel", "")
		p.Settled()
		var run struct{ Run nestor.Run }
		ada.Into(&run, 200, "GET", "runs/"+said.RunID, "")
		ada.Wants(204, "DELETE", "chats/c1", "")
	})
}

func TestAnAccountHasAShareOfTheDisk(t *testing.T) {
	set := func(c *server.Config) { c.DiskPerAccount = limit }
	each(t, set, func(p *servertest.Person, _ *model) {
		ada := p.SignIn("ada")
		var acme, project struct{ ID string }
		ada.Into(&acme, 201, "POST", "accounts", `{"name":"Acme"}`)
		ada.Into(&project, 201, "POST", "accounts/"+acme.ID+"/projects", `{"name":"Project"}`)
		ada.Wants(201, "POST", "chats", `{"id":"c1","title":"t","projectId":"`+project.ID+`"}`)
		ada.Wants(201, "POST", "chats", `{"id":"own","title":"t"}`)
		used(ada, "accounts/"+acme.ID)
		say := func(chat string) int {
			res, text := ada.Send(ada.Request("POST", "chats/"+chat+"/messages", `{"content":"`+noise(500_000)+`"}`))
			if res.StatusCode != 201 && res.StatusCode != 507 {
				p.Fatalf("%d %.300s", res.StatusCode, text)
			}
			return res.StatusCode
		}
		n := 0
		for ; n < 20 && say("c1") == 201; n++ {
			p.Settled()
		}
		if n < 4 || n > 6 {
			p.Errorf("%d messages of half a megabyte fit into the account", n)
		}
		if say("own") != 201 {
			p.Error("a chat of one's own is refused for want of room in an account")
		}
		p.Settled()
	})
}
