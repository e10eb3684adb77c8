package app_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/llm/demo"
	"github.com/nestorhq/nestor/internal/servertest"
	nestord "github.com/nestorhq/nestor/server"
)

// everybodys are parts of routes that name nothing of a user.
var everybodys = belongings{"tools": "calculator", "triggers": "on-new-task", "replication": "messages", "jobs": "none", "waves": "0"}

// sayingIDs are the fields of requests that name something, and where the ids of it are among
// belongings.
var sayingIDs = map[string]string{
	"projectId": "projects", "modelConnectionId": "models", "triggerMessageId": "runs", "threadId": "records/message_threads", "chatId": "chats",
	"source_task_id": "tasks", "target_task_id": "tasks",
}

// On every route that the API describes, whoever asks about what another user has gets the
// answer that they get about what is not there, byte for byte.
func TestNoRouteTellsWhatAnotherUserHas(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg nestord.Config) {
		cfg.Model = demo.New(demo.Options{Instant: true})
		p := servertest.Enter(t, cfg)
		olga, otto := p.SignIn("olga"), p.SignIn("otto")
		there := settle(olga, "olga", "canary")
		none := belongings{}
		for kind, id := range there {
			none[kind] = id[:max(len(id)-2, 0)] + "zz"
		}
		_, project, _ := strings.Cut(none["projects"], ".")
		none["projects"] = none["{account}"] + "." + project
		for _, ids := range []belongings{there, none} {
			ids["drafts"] = "users/olga/orch-chats/" + ids["chats"] + "/messages/" + ids["runs"]
			for kind, id := range everybodys {
				ids[kind] = id
			}
		}
		asked, seen, others := 0, 0, []*servertest.Person{otto, otto.WithKey("write")}
		operations(p, func(method, path string, op operation) {
			if path == "logout" || path == "me/password" || path == "refresh" || path == "login" || strings.HasPrefix(path, "shared/") {
				return // they are about the caller alone, or about who has a link
			}
			of := "?"
			for _, p := range op.Parameters {
				if p.In == "query" && (p.Name == "user" || p.Name == "userId") {
					of += p.Name + "=olga&"
				}
			}
			if method == http.MethodGet && strings.Contains(path, "{") && reads(olga, there.at(t, path)+of) {
				seen++
			}
			for _, who := range others {
				yes, no := tells(who, method, path+of, op, there), tells(who, method, path+of, op, none)
				asked++
				if yes != no {
					t.Errorf("%s %s about what there is\n%.600s\nand about what there is not\n%.600s", method, path, yes, no)
				}
			}
		})
		if asked < 300 || seen < 30 {
			t.Errorf("%d questions were asked, and she who has it all sees something by %d of them", asked, seen)
		}
		t.Logf("%d questions; %d show something to her", asked, seen)
	})
}

// reads reports whether somebody is shown what is at a path.
func reads(p *servertest.Person, path string) bool {
	p.Helper()
	res := p.Open(p.Request(http.MethodGet, path, ""))
	res.Body.Close()
	return res.StatusCode < 300
}

// tells is what an answer says, without the ids that were in the request. Of one that gives
// the caller something of their own it is the status.
func tells(p *servertest.Person, method, path string, op operation, ids belongings) string {
	p.Helper()
	route, query, _ := strings.Cut(path, "?")
	to := ids.at(p, route)
	r := p.Request(method, to, about(p, route, op, ids))
	r.URL.RawQuery = query
	res := p.Open(r)
	defer res.Body.Close()
	status := http.StatusText(res.StatusCode)
	if res.Header.Get("Content-Type") == "text/event-stream" {
		return status
	}
	text, err := io.ReadAll(res.Body)
	if err != nil {
		p.Fatal(err)
	}
	if strings.Contains(string(text), "canary") {
		p.Errorf("%s %s shows %.600s", method, to, text)
	}
	if res.StatusCode < 300 {
		return status
	}
	said := status + " " + string(text) + " etag " + res.Header.Get("ETag")
	longest := slices.SortedFunc(maps.Keys(ids), func(a, b string) int { return len(ids[b]) - len(ids[a]) })
	for _, kind := range longest { // one may be a part of another
		if id := ids[kind]; everybodys[kind] == "" && len(id) > 4 {
			said = strings.ReplaceAll(strings.ReplaceAll(said, url.PathEscape(id), "ID"), id, "ID")
		}
	}
	return madeID.ReplaceAllString(said, "NEW")
}

// madeID is an id that the server made.
var madeID = regexp.MustCompile(`\b[0-9a-v]{20}\b`)

// about is a request's example, about what ids name.
func about(t testing.TB, route string, op operation, ids belongings) string {
	t.Helper()
	example := op.RequestBody.Content["application/json"].Example
	var body map[string]any
	if json.Unmarshal(example, &body) != nil {
		return strings.ReplaceAll(string(example), "users/local", "users/olga") // a list, or nothing
	}
	parts := strings.Split(strings.TrimSuffix(route, "/batch"), "/")
	kind := parts[len(parts)-1]
	if records, ok := body["records"].([]any); ok {
		for _, record := range records {
			record.(map[string]any)["id"] = ids["records/"+kind]
		}
	}
	for field := range body {
		of, known := sayingIDs[field]
		switch {
		case known:
			body[field] = ids[of]
		case field != "id":
		case ids[kind] != "":
			body[field] = ids[kind]
		case len(parts) > 1 && ids[parts[len(parts)-2]+"/"+kind] != "":
			body[field] = ids[parts[len(parts)-2]+"/"+kind]
		default:
			body[field] = "new-" + ids["runs"] // what is made anew
		}
	}
	return strings.ReplaceAll(encoded(t, body), "users/local", "users/olga")
}
