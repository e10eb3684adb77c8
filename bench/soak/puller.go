package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// puller keeps copies as browsers with RxDB do: it pulls what came after a
// checkpoint, from one node after the other, while everything goes wrong.
type puller struct {
	*person
	scopes map[string]*scope // by name
	pulled int
}

// scope is the documents of a collection that are copied.
type scope struct {
	flat, chat string
	checkpoint string
	copy       map[string]json.RawMessage
}

func newPuller(p *person) *puller { return &puller{person: p, scopes: map[string]*scope{}} }

func (p *puller) work(ctx context.Context) {
	random := p.soak.random(chance(0, p.id, 1<<32))
	for ctx.Err() == nil {
		names := p.names()
		flat := []string{"messages", "tasks", "sub_agents"}[random.IntN(3)]
		todo := [][2]string{{"chats", ""}}
		if len(names) > 0 {
			todo = append(todo, [2]string{flat, names[random.IntN(len(names))]})
		}
		for _, what := range todo {
			if err := p.pull(ctx, what[0], what[1], 20); refused(err) {
				p.refuse(fmt.Errorf("a pull: %w", err))
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(500 * time.Millisecond):
		}
	}
}

func (p *puller) names() (ids []string) {
	p.person.mu.Lock()
	defer p.person.mu.Unlock()
	for _, c := range p.chats {
		ids = append(ids, c.id)
	}
	return ids
}

// pull copies what came since the last time.
func (p *puller) pull(ctx context.Context, flat, chat string, limit int) error {
	s := p.scopes[flat+"/"+chat]
	if s == nil {
		s = &scope{flat: flat, chat: chat, copy: map[string]json.RawMessage{}}
		p.scopes[flat+"/"+chat] = s
	}
	for {
		query := url.Values{"limit": {fmt.Sprint(limit)}, "checkpoint": {s.checkpoint}}
		if chat != "" {
			query.Set("chatId", chat)
		}
		var page struct {
			Documents  []json.RawMessage             `json:"documents"`
			Checkpoint struct{ Seq json.RawMessage } `json:"checkpoint"`
		}
		if err := p.call(ctx, http.MethodGet, "/replication/"+flat+"/pull?"+query.Encode(), nil, &page); err != nil {
			return err
		}
		for _, d := range page.Documents {
			var head struct {
				ID      string `json:"id"`
				Deleted bool   `json:"_deleted"`
			}
			if err := json.Unmarshal(d, &head); err != nil {
				return err
			}
			if s.copy[head.ID] = d; head.Deleted {
				delete(s.copy, head.ID)
			}
			p.pulled++
		}
		var text string
		if json.Unmarshal(page.Checkpoint.Seq, &text) != nil {
			text = string(page.Checkpoint.Seq)
		}
		s.checkpoint = text
		if len(page.Documents) < limit {
			return nil
		}
	}
}
