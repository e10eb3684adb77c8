package main

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/nestorhq/nestor"
)

// checkStreams holds what each follower was told against the log, and the log
// against the documents.
func (p *person) checkStreams(r *report, w *world) {
	versions := map[string]int64{}
	last := map[string]json.RawMessage{}
	marks := make([]mark, len(w.log))
	for i, c := range w.log {
		marks[i] = c.mark()
		if i > 0 && c.Seq <= w.log[i-1].Seq {
			r.violated("streams", "%s: the log tells position %d after %d", p.id, c.Seq, w.log[i-1].Seq)
		}
		if c.Type == "delete" {
			delete(last, c.Path)
			continue
		}
		var head nestor.Meta
		if err := json.Unmarshal(c.Document, &head); err != nil {
			r.violated("streams", "%s: %v", c.Path, err)
		}
		if before, known := versions[c.Path]; known && head.Version != before+1 || !known && head.Version != 1 {
			r.violated("streams", "the log tells version %d of %s after %d", head.Version, c.Path, before)
		}
		versions[c.Path], last[c.Path] = head.Version, c.Document
	}
	for _, f := range p.followers {
		f.mu.Lock()
		p.compare(r, f, marks, w)
		r.comes += f.comes
		f.mu.Unlock()
	}
	p.checkDocuments(r, w, last)
}

// compare tells the first difference between what a follower saw and the log.
func (p *person) compare(r *report, f *follower, marks []mark, w *world) {
	seen := f.seen
	for len(seen) > 0 && seen[len(seen)-1].seq > w.end {
		seen = seen[:len(seen)-1]
	}
	for i, m := range marks {
		switch {
		case m.seq > w.end:
			continue
		case i >= len(seen):
			r.violated("streams", "%s at %s: %d changes were told of %d; the first that is missing is %d of %s", p.id, f.name, len(seen), len(marks), m.seq, w.log[i].Path)
		case seen[i].seq > m.seq:
			r.violated("streams", "%s at %s: change %d of %s was not told", p.id, f.name, m.seq, w.log[i].Path)
		case seen[i].seq < m.seq:
			r.violated("streams", "%s at %s: change %d was told twice, late, or is none; the log goes on with %d", p.id, f.name, seen[i].seq, m.seq)
		case seen[i].sum != m.sum:
			r.violated("streams", "%s at %s: change %d of %s was told with another content", p.id, f.name, m.seq, w.log[i].Path)
		default:
			r.told++
			continue
		}
		return
	}
}

// checkDocuments holds lists against what the log says is there.
func (p *person) checkDocuments(r *report, w *world, last map[string]json.RawMessage) {
	agree := func(path string, doc any) {
		logged, ok := last[path]
		if !ok {
			r.violated("streams", "%s is listed, and the log does not know it", path)
			return
		}
		same := reflect.New(reflect.TypeOf(doc))
		if err := json.Unmarshal(logged, same.Interface()); err != nil || encode(same.Elem().Interface()) != encode(doc) {
			r.violated("streams", "%s is listed as %s, and the log ends with %s", path, encode(doc), logged)
		}
	}
	for _, c := range w.chats {
		at := "users/" + p.id + "/orch-chats/" + c.ID
		agree(at, c)
		for _, m := range w.messages[c.ID] {
			agree(at+"/messages/"+m.ID, m)
		}
	}
	for _, t := range w.tasks {
		agree("users/"+p.id+"/orch-chats/"+t.ChatID+"/tasks/"+t.ID, t)
	}
	for _, a := range w.agents {
		at := "users/" + p.id + "/orch-chats/" + a.ChatID + "/sub-agents/" + a.ID
		agree(at, a)
		for _, m := range w.said[a.ID] {
			agree(at+"/messages/"+m.ID, m)
		}
		for _, c := range w.calls[a.ID] {
			agree(at+"/tool-calls/"+c.ID, c)
		}
	}
}

// checkPulls brings the copies up to date and holds them against the lists.
func (p *person) checkPulls(ctx context.Context, r *report, w *world) error {
	hold := func(flat, chat string, ids map[string]int64) error {
		if err := p.pulls.pull(ctx, flat, chat, 200); err != nil {
			return err
		}
		held := p.pulls.scopes[flat+"/"+chat].copy
		for id, version := range ids {
			var head nestor.Meta
			switch d, ok := held[id]; {
			case !ok:
				r.violated("pull checkpoints", "%s: the copy of %s %s lacks %s", p.id, flat, chat, id)
			case json.Unmarshal(d, &head) != nil || head.Version != version:
				r.violated("pull checkpoints", "%s: the copy of %s %s has version %d of %s, not %d", p.id, flat, chat, head.Version, id, version)
			}
		}
		if len(held) != len(ids) {
			r.violated("pull checkpoints", "%s: the copy of %s %s has %d documents, not %d", p.id, flat, chat, len(held), len(ids))
		}
		r.pulled += len(held)
		return nil
	}
	chats := map[string]int64{}
	for _, c := range w.chats {
		chats[c.ID] = c.Version
		messages, tasks, agents := map[string]int64{}, map[string]int64{}, map[string]int64{}
		for _, m := range w.messages[c.ID] {
			messages[m.ID] = m.Version
		}
		for _, t := range w.tasks {
			if t.ChatID == c.ID {
				tasks[t.ID] = t.Version
			}
		}
		for _, a := range w.agents {
			if a.ChatID == c.ID {
				agents[a.ID] = a.Version
			}
		}
		for flat, ids := range map[string]map[string]int64{"messages": messages, "tasks": tasks, "sub_agents": agents} {
			if err := hold(flat, c.ID, ids); err != nil {
				return fmt.Errorf("pull of %s: %w", flat, err)
			}
		}
	}
	return hold("chats", "", chats)
}

func decode(c change, into any) error {
	if c.Type == "delete" {
		return fmt.Errorf("%s is deleted", c.Path)
	}
	return json.Unmarshal(c.Document, into)
}
