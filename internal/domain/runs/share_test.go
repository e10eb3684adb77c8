package runs_test

import (
	"net/url"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nestorhq/nestor/internal/domain/runs"
	"github.com/nestorhq/nestor/internal/domain/runs/view"
	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

const deadLink = "this link does not work"

func shares(p *servertest.Person, run, body string) (made runs.SharedRun) {
	p.Helper()
	p.Into(&made, 201, "POST", "runs/"+run+"/shares", body)
	return made
}

func TestALinkShowsARunAndNothingElse(t *testing.T) {
	each(t, func(p *person) {
		ann := p.SignIn("ann")
		ann.Wants(201, "POST", "chats", `{"id":"c1","title":"My secret plans"}`)
		ann.Wants(200, "POST", "chats/c1/messages?wait=1", `{"id":"m0","content":"Hello there"}`, `"status":"success"`)
		ann.Wants(200, "POST", "chats/c1/messages?wait=1", `{"id":"m1","content":"Compute 6*7"}`, `"status":"success"`)
		ann.Settled()
		made := shares(ann, "m1", `{}`)
		nobody := p.With("")
		got := nobody.Wants(200, "GET", "shared/"+made.Token+"/tree", "", "Compute 6*7", "calculator", `"status":"success"`)
		for _, hidden := range []string{"ann", "Hello there", "My secret plans", `"userId"`} {
			if strings.Contains(got, hidden) {
				p.Errorf("the link tells %q: %s", hidden, got)
			}
		}
		rows := tree(nobody, "shared/"+made.Token+"/tree").Rows
		tools := only(rows, view.Tool)
		step := "shared/" + made.Token + "/step?row="
		nobody.Wants(200, "GET", step+url.QueryEscape(tools[0].ID), "", `"result":"42"`)
		nobody.Wants(404, "GET", step+"orch-chats/c1/messages/m0", "")
		nobody.Wants(404, "GET", step+"orch-chats/c1", "")
		for _, path := range []string{"runs/m1?user=ann", "runs/m1/tree?user=ann", "runs/m1/prompt?user=ann&row=x", "chats/c1?user=ann"} {
			nobody.Wants(401, "GET", path, "")
			p.With(made.Token).Wants(401, "GET", path, "") // it is no credential
		}
		r := nobody.Request("GET", "shared/"+made.Token+"/tree", "")
		res, _ := nobody.Send(r)
		if res.Header.Get("Referrer-Policy") != "no-referrer" || res.Header.Get("X-Robots-Tag") != "noindex" || res.Header.Get("Cache-Control") != "no-store" {
			p.Errorf("the headers are %v", res.Header)
		}
		// The token is told once, and stored nowhere.
		if got := ann.Wants(200, "GET", "runs/m1/shares", "", made.ID); strings.Contains(got, made.Token) || strings.Contains(got, "digest") {
			p.Errorf("listed is %s", got)
		}
		ann.Wants(404, "GET", "docs/secrets/shares/runs/"+made.ID, "")
		ann.Wants(403, "PUT", "docs/users/ann/run-shares/"+made.ID, `{"runId":"m0","by":"ann"}`)
		// A wrong token is told the same as one that was right.
		wrong := made.Token[:len(made.Token)-1] + "x"
		for _, token := range []string{wrong, "x", "nst_s_" + strings.Repeat("a", 46)} {
			nobody.Wants(404, "GET", "shared/"+token+"/tree", "", deadLink)
		}
	})
}

func TestALinkEnds(t *testing.T) {
	each(t, func(p *person) {
		ann, bob := p.SignIn("ann"), p.SignIn("bob")
		ann.Wants(201, "POST", "chats", `{"id":"c1"}`)
		ann.Wants(200, "POST", "chats/c1/messages?wait=1", `{"id":"m1","content":"Hello"}`, `"status":"success"`)
		nobody := p.With("")
		works := func(token string) { p.Helper(); nobody.Wants(200, "GET", "shared/"+token+"/tree", "") }
		dead := func(token string) { p.Helper(); nobody.Wants(404, "GET", "shared/"+token+"/tree", "", deadLink) }

		past := strconv.FormatInt(time.Now().Add(-time.Minute).UnixMilli(), 10)
		ann.Wants(400, "POST", "runs/m1/shares", `{"expiresAt":`+past+`}`, `"field":"expiresAt"`)
		soon := shares(ann, "m1", `{"expiresAt":`+strconv.FormatInt(time.Now().Add(time.Hour).UnixMilli(), 10)+`}`)
		works(soon.Token)

		// One that is too old shows nothing any more.
		expires := time.Now().Add(3 * time.Second)
		brief := shares(ann, "m1", `{"expiresAt":`+strconv.FormatInt(expires.UnixMilli(), 10)+`}`)
		time.Sleep(time.Until(expires.Add(time.Millisecond)))
		dead(brief.Token)

		// Others neither see nor end it, nor do keys that may not.
		bob.Wants(404, "GET", "runs/m1/shares?user=ann", "")
		bob.Wants(404, "POST", "runs/m1/shares?user=ann", `{}`)
		bob.Wants(404, "DELETE", "runs/m1/shares/"+soon.ID+"?user=ann", "")
		ann.WithKey("read").Wants(403, "POST", "runs/m1/shares", `{}`)
		ann.WithKey("read").Wants(403, "DELETE", "runs/m1/shares/"+soon.ID, "")
		ann.WithKey("write", "users/ann/**").Wants(403, "POST", "runs/m1/shares", `{}`)
		p.Wants(403, "POST", "runs/m1/shares?user=ann", `{}`) // who runs the server sees it, and not as a user of their own
		works(soon.Token)

		ann.Wants(204, "DELETE", "runs/m1/shares/"+soon.ID, "")
		dead(soon.Token)
		ann.Wants(404, "DELETE", "runs/m1/shares/"+soon.ID, "")

		// A document that is deleted otherwise takes its link along.
		other := shares(ann.WithKey("write"), "m1", `{}`)
		works(other.Token)
		ann.WithKey("write").Wants(204, "DELETE", "docs/users/ann/run-shares/"+other.ID, "")
		dead(other.Token)

		// Who is locked out shows nothing.
		last := shares(ann, "m1", `{}`)
		works(last.Token)
		p.Wants(200, "PATCH", "users/ann", `{"disabled":true}`)
		dead(last.Token)
		p.Wants(200, "PATCH", "users/ann", `{"disabled":false}`)
		works(last.Token)

		// Nor does a chat that is gone.
		p.Wants(204, "DELETE", "chats/c1?user=ann", "")
		dead(last.Token)
	})
}

// By the clock of the test.
func TestALinkEndsAtItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := servertest.Enter(t, server.Config{Data: t.TempDir(), Model: demo.New(demo.Options{Instant: true})})
		ann := p.SignIn("ann")
		ann.Wants(201, "POST", "chats", `{"id":"c1"}`)
		ann.Wants(200, "POST", "chats/c1/messages?wait=1", `{"id":"m1","content":"Compute 6*7"}`, `"status":"success"`)
		ends := time.Now().Add(time.Hour)
		ending := shares(ann, "m1", `{"expiresAt":`+strconv.FormatInt(ends.UnixMilli(), 10)+`}`)
		endless := shares(ann, "m1", `{}`)
		nobody := p.With("")
		row := only(tree(nobody, "shared/"+ending.Token+"/tree").Rows, view.Tool)[0].ID
		views := []string{"tree", "step?row=" + url.QueryEscape(row)}
		for _, view := range views {
			nobody.Wants(200, "GET", "shared/"+ending.Token+"/"+view, "")
		}
		time.Sleep(time.Until(ends) - time.Millisecond)
		for _, view := range views {
			nobody.Wants(200, "GET", "shared/"+ending.Token+"/"+view, "")
		}
		time.Sleep(time.Millisecond)
		for _, view := range views {
			nobody.Wants(404, "GET", "shared/"+ending.Token+"/"+view, "", deadLink)
			nobody.Wants(200, "GET", "shared/"+endless.Token+"/"+view, "")
		}
		p.Settled()
	})
}

func TestALinkEndsWithTheMembershipOfItsMaker(t *testing.T) {
	each(t, func(p *person) {
		ann, bob, eve := p.SignIn("ann"), p.SignIn("bob"), p.SignIn("eve")
		var team struct{ ID string }
		ann.Into(&team, 201, "POST", "accounts", `{"name":"Team"}`)
		ann.Wants(202, "PUT", "accounts/"+team.ID+"/members/bob", `{"role":"member"}`)
		ann.Wants(202, "PUT", "accounts/"+team.ID+"/members/eve", `{"role":"viewer"}`)
		for _, who := range []*servertest.Person{bob, eve} {
			who.Wants(204, "POST", "invitations/"+team.ID+"/accept", "")
		}
		var project struct{ ID string }
		ann.Into(&project, 201, "POST", "accounts/"+team.ID+"/projects", `{"name":"Work"}`)
		ann.Wants(201, "POST", "chats", `{"id":"c1","projectId":"`+project.ID+`"}`)
		ann.Wants(200, "POST", "chats/c1/messages?wait=1", `{"id":"m1","content":"Compute 6*7"}`, `"status":"success"`)
		nobody := p.With("")
		// Who reads the chat sees its runs; who may act there may show them to others.
		eve.Wants(200, "GET", "runs/m1/tree?user=ann", "", "calculator")
		eve.Wants(403, "POST", "runs/m1/shares?user=ann", `{}`)
		var made runs.SharedRun
		bob.Into(&made, 201, "POST", "runs/m1/shares?user=ann", `{}`)
		nobody.Wants(200, "GET", "shared/"+made.Token+"/tree", "", "calculator")
		bob.Wants(200, "GET", "runs/m1/shares?user=ann", "", made.ID)
		if got := eve.Wants(200, "GET", "runs/m1/shares?user=ann", ""); strings.Contains(got, made.ID) {
			p.Errorf("eve sees %s", got)
		}
		ann.Wants(200, "GET", "runs/m1/shares", "", made.ID, `"by":"bob"`)
		ann.Wants(204, "DELETE", "accounts/"+team.ID+"/members/bob", "")
		nobody.Wants(404, "GET", "shared/"+made.Token+"/tree", "", deadLink)
		bob.Wants(204, "DELETE", "runs/m1/shares/"+made.ID+"?user=ann", "") // it stays theirs to end
	})
}
