package app_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	nestord "github.com/nestorhq/nestor/server"
)

// lists are the paths of all calls that answer with items, and the names of the
// parameters of each.
func (d *described) lists() map[string][]string {
	all := map[string][]string{}
	for path, methods := range d.Paths {
		answer := methods["get"].Responses["200"].Content["application/json"].Schema
		if answer == nil || d.named(answer).Properties["items"] == nil {
			continue
		}
		all[path] = []string{}
		for _, p := range methods["get"].Parameters {
			all[path] = append(all[path], p.Name)
		}
		if d.named(answer).Properties["next"] == nil {
			all[path] = nil
		}
	}
	return all
}

// Every list that the API describes is read page by page, and the pages together are the
// list.
func TestEveryListHasPages(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg nestord.Config) {
		cfg.Model = demo.New(demo.Options{Instant: true})
		p := servertest.Enter(t, cfg)
		var api described
		p.Into(&api, 200, "GET", "openapi.json", "")
		at := filled(p)
		lists, walked := api.lists(), 0
		for _, path := range slices.Sorted(maps.Keys(lists)) {
			if !slices.Contains(lists[path], "limit") || !slices.Contains(lists[path], "cursor") {
				t.Errorf("GET %s has no pages", path)
				continue
			}
			call := at.Replace(strings.TrimPrefix(path, "/api/v1/"))
			if strings.Contains(call, "{") {
				continue // there is none in this test
			}
			if slices.Contains(lists[path], "q") {
				call += "?q=report"
			}
			whole := page(p, call, "", "")
			var together []string
			for next, n := "", 0; ; n++ {
				part := page(p, call, "1", next)
				for _, item := range part.Items {
					together = append(together, string(item))
				}
				if next = part.Next; next == "" {
					break
				}
				if n > len(whole.Items)+10 {
					t.Fatalf("GET %s has no end", path)
				}
			}
			if !slices.Equal(ids(together), ids(whole.texts())) {
				t.Errorf("GET %s has the items %q, and page by page %q", path, ids(whole.texts()), ids(together))
			}
			if len(together) > 1 {
				walked++
			}
			for _, bad := range []string{"limit=0", "limit=x", "cursor=%20"} {
				p.Wants(400, "GET", call+separator(call)+bad, "")
			}
		}
		if walked < 20 {
			t.Errorf("only %d lists have more than one item", walked)
		}
		t.Logf("%d lists, %d with more than one item", len(lists), walked)
	})
}

type pageOfList struct {
	Items []json.RawMessage
	Next  string
}

func (l pageOfList) texts() (texts []string) {
	for _, item := range l.Items {
		texts = append(texts, string(item))
	}
	return texts
}

func page(p *servertest.Person, call, limit, cursor string) (answer pageOfList) {
	p.Helper()
	query := url.Values{}
	if limit != "" {
		query.Set("limit", limit)
	}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	if len(query) > 0 {
		call += separator(call) + query.Encode()
	}
	p.Into(&answer, 200, "GET", call, "")
	return answer
}

func separator(call string) string {
	if strings.Contains(call, "?") {
		return "&"
	}
	return "?"
}

// ids are what tells items apart, of which other fields may change meanwhile.
func ids(items []string) (all []string) {
	for _, item := range items {
		var named struct{ ID, Name, Key, Day string }
		if err := json.Unmarshal([]byte(item), &named); err != nil {
			return items
		}
		all = append(all, named.ID+named.Name+named.Key+named.Day)
	}
	return all
}

// filled has something in most lists, and fills the paths of what is in them.
func filled(p *servertest.Person) *strings.Replacer {
	p.Helper()
	made := func(path, body string) string {
		p.Helper()
		var v struct{ ID string }
		p.Into(&v, 201, "POST", path, body)
		return v.ID
	}
	account := made("accounts", `{"name":"Team"}`)
	project := made("accounts/"+account+"/projects", `{"name":"Work"}`)
	made("accounts/"+account+"/projects", `{"name":"Play"}`)
	for _, address := range []string{"a@example.com", "b@example.com"} {
		p.Send(p.Request("POST", "accounts/"+account+"/invitations", fmt.Sprintf(`{"name":%q,"role":"member"}`, address)))
	}
	p.Wants(201, "POST", "chats", `{"id":"c1"}`)
	p.Wants(201, "POST", "chats", `{"id":"c2"}`)
	p.Wants(201, "POST", "chats/c1/messages", `{"content":"Say something about a report"}`)
	p.Settled()
	p.Wants(201, "POST", "outcomes", `{"direction":"launch","object":"the shop","metric":"first orders","clarifier":"before June"}`)
	p.Wants(201, "POST", "outcomes", `{"direction":"launch","object":"the shop","metric":"first orders","clarifier":"before May"}`)
	p.Wants(201, "POST", "documents", `{"title":"Shop","content":"- Design it\n- Build it\n- Announce it"}`)
	p.Wants(201, "POST", "documents", `{"title":"Other","content":"- Sell it"}`)
	p.Wants(201, "POST", "reflections", `{"text":"Mornings"}`)
	p.Wants(201, "POST", "reflections", `{"text":"Evenings"}`)
	p.Settled()
	var tasks pageOfList
	p.Into(&tasks, 200, "GET", "tasks", "")
	found := ids(tasks.texts())
	for i := range 2 {
		p.Wants(201, "POST", "relationships", fmt.Sprintf(`{"source_task_id":%q,"target_task_id":%q,"type":"blocks"}`, found[i+1], found[0]))
	}
	for _, kind := range []string{"text_documents", "text_documents"} {
		made("records/"+kind, `{"title":"A report","content":"x"}`)
	}
	text := made("records/text_documents", `{"title":"Another report","content":"x"}`)
	p.Wants(201, "POST", "records/text_documents/"+text+"/versions", `{"content":"y"}`)
	for _, name := range []string{"one", "two"} {
		p.Wants(201, "POST", "records/settings", fmt.Sprintf(`{"id":%q,"theme":"dark"}`, name))
		p.Wants(201, "POST", "keys", fmt.Sprintf(`{"name":%q,"scopes":["read"]}`, name))
	}
	return strings.NewReplacer("{account}", account, "{project}", project, "{chat}", "c1", "text_documents/{id}", "text_documents/"+text)
}
