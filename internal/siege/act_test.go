package siege

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

var place = regexp.MustCompile(`\{(\w+)(?: ([^{}]*))?\}`)

// fill puts what is there into the places of a text. Before there is anything of
// a kind it is what will be called so.
func (s *scene) fill(text string) string {
	listed := map[string][]string{}
	return place.ReplaceAllStringFunc(text, func(m string) string {
		found := place.FindStringSubmatch(m)
		letter, rest, _ := strings.Cut(found[2], " ")
		chat, known := s.chats[letter]
		switch found[1] {
		case "file": // nobody names their own: that would be to share it
			if p := s.cast[rest]; p != nil && p.user == letter && p.narrow == "" || rest == "local" {
				return "none"
			}
			return s.files[letter]
		}
		if !known {
			return m
		}
		switch found[1] {
		case "chat":
			return string(chat)
		case "id":
			return chat.ID()
		case "owner":
			return chat.UserID()
		case "user":
			return "?user=" + chat.UserID()
		}
		ids, is := listed[m]
		if !is {
			ids = s.there(letter, found[1])
			listed[m] = ids
		}
		i, err := strconv.Atoi(rest)
		if err != nil || len(ids) == 0 {
			return map[string]string{"task": "A", "agent": "X", "call": "X/tool-calls/K1", "callId": "K1", "message": "m1", "question": "K1"}[found[1]]
		}
		return ids[i%len(ids)]
	})
}

// there are the ids of what is in a chat, oldest first.
func (s *scene) there(letter, kind string) (ids []string) {
	flat := map[string]string{"task": "tasks", "agent": "sub_agents", "call": "sub_agent_tool_calls", "callId": "sub_agent_tool_calls", "message": "messages", "question": "tasks"}[kind]
	chat := s.chats[letter]
	if kind == "run" {
		_, text, err := s.request(s.people["local"], "GET", "runs?limit=50&user="+chat.UserID()+"&chatId="+chat.ID(), "")
		var page struct{ Items []struct{ ID string } }
		if err == nil && json.Unmarshal([]byte(text), &page) == nil {
			for _, r := range page.Items {
				ids = append(ids, r.ID)
			}
		}
		return ids
	}
	_, text, err := s.request(s.people["local"], "POST", "query", `{"flat":"`+flat+`","where":{"field":"chatId","op":"=","value":"`+chat.ID()+`"},"limit":100}`)
	var page struct {
		Items []struct{ ID, SubAgentID, ToolName, QuestionID string }
	}
	if err != nil || json.Unmarshal([]byte(text), &page) != nil {
		return nil // who asks next finds out why
	}
	for _, d := range page.Items {
		switch {
		case kind == "call":
			ids = append(ids, d.SubAgentID+"/tool-calls/"+d.ID)
		case kind != "question":
			ids = append(ids, d.ID)
		case d.QuestionID != "":
			ids = append(ids, d.QuestionID)
		}
	}
	return ids
}

// take sends a step, and returns an error if it kills or hangs the server. What
// the server answers is its own affair, as long as it is an answer and shows
// nothing.
func (s *scene) take(st step) error {
	p := s.cast[st.who]
	path, body := s.fill(st.path), s.fill(st.body)
	if strings.HasSuffix(strings.SplitN(path, "?", 2)[0], "/decision") && s.isForbidden(path) {
		body = `{"action":"deny"}`
	}
	status, text, err := s.request(p, st.method, path, body)
	if err != nil {
		return fmt.Errorf("%s %s as %s has no answer: %w", st.method, path, st.who, err)
	}
	s.statuses[status]++
	if os.Getenv(seedVariable) != "" {
		s.Logf("%d %-16s %s %s %s", status, st.who, st.method, path, body)
	}
	s.canaries.look(p, s.round, st.method+" "+path, text)
	if status >= http.StatusInternalServerError && status != http.StatusServiceUnavailable && status != http.StatusInsufficientStorage {
		return fmt.Errorf("%s %s %s as %s: %d %s", st.method, path, body, st.who, status, text)
	}
	return nil
}

// isForbidden reports whether a decision is about the tool that nobody approves.
func (s *scene) isForbidden(path string) bool {
	chat, call, found := strings.Cut(strings.SplitN(path, "?", 2)[0], "/sub-agents/")
	if !found {
		return true
	}
	id := strings.TrimPrefix(chat, "chats/")
	for _, p := range s.chats {
		if p.ID() == id {
			_, text, err := s.request(s.people["local"], "GET", "docs/"+string(p)+"/sub-agents/"+strings.TrimSuffix(call, "/decision"), "")
			return err != nil || strings.Contains(text, forbiddenTool)
		}
	}
	return true
}

// bystander asks plain things all the time, and measures how long it waits.
type bystander struct {
	mu    sync.Mutex
	worst time.Duration
	times int
}

// watch has a user who has nothing to do with it read and write, until stop is
// called, which returns whether one request went without an answer.
func (s *scene) watch(b *bystander) (stop func() error) {
	ended, failed := make(chan struct{}), make(chan error, 1)
	p := s.people["bystander"]
	go func() {
		for n := 0; ; n++ {
			select {
			case <-ended:
				failed <- nil
				return
			case <-time.After(20 * time.Millisecond):
			}
			for _, r := range [][3]string{{"GET", "chats", ""}, {"PATCH", "chats/s-bystander", fmt.Sprintf(`{"title":"%d"}`, n)}} {
				began := time.Now()
				status, text, err := s.request(p, r[0], r[1], r[2])
				took := time.Since(began)
				if err == nil && status >= http.StatusInternalServerError {
					err = fmt.Errorf("%d %s", status, text)
				}
				b.mu.Lock()
				b.worst, b.times = max(b.worst, took), b.times+1
				b.mu.Unlock()
				if err != nil {
					failed <- fmt.Errorf("the request %s %s of another user has no answer after %v: %w", r[0], r[1], took.Round(time.Millisecond), err)
					return
				}
			}
		}
	}()
	return func() error {
		close(ended)
		return <-failed
	}
}
