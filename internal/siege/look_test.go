package siege

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nestorhq/nestor"
)

// looks are requests that show what is in a chat, or what is kept beside it.
func looks(letter string) []string {
	list := []string{
		"chats/{id L}{user L}", "chats/{id L}/messages{user L}", "chats/{id L}/tasks{user L}", "chats/{id L}/sub-agents{user L}",
		"chats/{id L}/export{user L}", "chats/{id L}/thread{user L}", "docs/{chat L}", "docs/{chat L}/messages/m0",
		"chats/{id L}/sub-agents/{agent L 0}/messages{user L}", "chats/{id L}/sub-agents/{agent L 1}/tool-calls{user L}", "chats/{id L}/files/{file u1 anonymous}{user L}",
		"replication/messages/pull?userId={owner L}&chatId={id L}", "replication/tasks/pull?userId={owner L}", "replication/chats/pull?userId={owner L}",
		"search?q=canary", "search?q=canary&user={owner L}", "chats{user L}", "runs{user L}", "runs/{run L 0}{user L}", "usage", "participants",
		"records/text_documents", "records/text_documents/plan", "docs/users/{owner L}/text-documents/plan", "files", "files/{file u2 anonymous}/content", "models", "secrets",
		"docs/users/{owner L}/model-connections/own", "docs/secrets/{owner L}/model-connections/own", "docs/secrets/{owner L}/user-secrets/word",
	}
	for i := range list {
		list[i] = strings.NewReplacer("{id L}", "{id "+letter+"}", "{user L}", "{user "+letter+"}", "{chat L}", "{chat "+letter+"}", "{owner L}", "{owner "+letter+"}",
			"{agent L", "{agent "+letter, "{run L", "{run "+letter).Replace(list[i])
	}
	return list
}

// lookAround has everybody look at a chat, and notes what they must not see.
func (s *scene) lookAround(letter string) error {
	for _, name := range s.names() {
		p := s.cast[name]
		for _, path := range append(looks(letter), "") {
			method, body := "GET", ""
			if path == "" {
				method, path, body = "POST", "query", `{"flat":"messages"}`
			}
			path = s.fill(path)
			_, text, err := s.request(p, method, path, body)
			if err != nil {
				return fmt.Errorf("%s %s as %s: %w", method, path, name, err)
			}
			s.canaries.look(p, s.round, method+" "+path, text)
		}
	}
	return nil
}

// follow opens streams of everybody, and returns what closes them and looks at
// what came.
func (s *scene) follow(letter string) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for _, name := range s.names() {
		p := s.cast[name]
		for _, path := range []string{"stream", "stream?path=" + string(s.chats[letter]) + "/**", "chats/" + s.chats[letter].ID() + "/events?snapshot=1&user=" + s.chats[letter].UserID()} {
			all.Go(func() {
				r, err := http.NewRequestWithContext(ctx, "GET", s.URL+"/api/v1/"+path, nil)
				if err != nil {
					return
				}
				p.sign(r)
				res, err := (&http.Client{Transport: s.client.Transport}).Do(r)
				if err != nil {
					return // the server has gone, or the sequence is over
				}
				defer res.Body.Close()
				for lines := bufio.NewReader(res.Body); ; {
					line, err := lines.ReadString('\n')
					s.canaries.look(p, s.round, "the stream "+path, line)
					if err != nil {
						return
					}
				}
			})
		}
	}
	return func() { cancel(); all.Wait() }
}

// forged looks at all documents of the chats for names of people who did nothing
// there, and for amounts that nobody used.
func (s *scene) forged() (found []string, err error) {
	local := s.people["local"]
	for _, letter := range letters {
		chat := s.chats[string(letter)]
		for _, flat := range []string{"chats", "messages", "tasks", "sub_agents", "sub_agent_messages", "sub_agent_tool_calls"} {
			field := "chatId"
			if flat == "chats" {
				field = "id"
			}
			status, text, err := s.request(local, "POST", "query", `{"flat":"`+flat+`","where":{"field":"`+field+`","op":"=","value":"`+chat.ID()+`"},"limit":500}`)
			if err != nil {
				return nil, err
			}
			var page struct{ Items []map[string]any }
			if err := json.Unmarshal([]byte(text), &page); err != nil || status != http.StatusOK {
				return nil, fmt.Errorf("query %s: %d %s", flat, status, text)
			}
			for _, d := range page.Items {
				at := fmt.Sprintf("%s %v in %s", flat, d["id"], chat)
				for _, name := range who(d, "") {
					if !slices.Contains(actors[string(letter)], name) {
						found = append(found, at+" names "+name)
					}
				}
				if strings.Contains(encode(d), fmt.Sprint(forgedUsage)) {
					found = append(found, at+" has an amount that nobody used")
				}
			}
		}
	}
	status, text, err := s.request(local, "POST", "query", `{"collection":"users/`+ghost+`/usage"}`)
	if err == nil && status == http.StatusOK && strings.Contains(text, `"models"`) {
		found = append(found, "somebody who did nothing has used something: "+text)
	}
	slices.Sort(found)
	return slices.Compact(found), err
}

// actors are those who may have done something in a chat.
var actors = map[string][]string{
	"c": {"u1", "u2", "local"}, "p": {"u1", "local"}, "k": {"u1", "local"}, "w": {"u1", "local"}, "s": {"u1", "local"}, "q": {"u2", "local"}, "e": {"ex", "u1", "u2", "local"},
}

// who returns the names in the fields of a document that say who did something.
func who(v any, field string) (names []string) {
	switch v := v.(type) {
	case map[string]any:
		for k, below := range v {
			if k != "args" && k != "metadata" {
				names = append(names, who(below, k)...)
			}
		}
	case []any:
		for _, below := range v {
			names = append(names, who(below, field)...)
		}
	case string:
		if v != "" && (field == "authorId" || field == "askedBy" || field == "by") {
			names = append(names, v)
		}
	}
	return names
}

// rest waits until no job runs or could. One that failed may wait to be tried
// again.
func (s *scene) rest() error {
	var left []nestor.Job
	for end := time.Now().Add(restLimit); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		status, text, err := s.request(s.people["local"], "GET", "jobs?limit=500", "")
		if err != nil {
			return fmt.Errorf("GET jobs: %w", err)
		}
		var page struct{ Items []nestor.Job }
		if err := json.Unmarshal([]byte(text), &page); err != nil || status != http.StatusOK {
			return fmt.Errorf("GET jobs: %d %s", status, text)
		}
		left = slices.DeleteFunc(page.Items, func(j nestor.Job) bool {
			return j.State == nestor.JobDead || j.State != nestor.JobRunning && j.RunAt > time.Now().UnixMilli()
		})
		if len(left) == 0 {
			return nil
		}
	}
	return fmt.Errorf("%d jobs do not come to rest: %s", len(left), encode(left))
}
