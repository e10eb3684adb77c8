package main

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/nestorhq/nestor"
)

// checkBooks holds what was charged against what the messages say was used, and
// looks for what is still reserved or was used beyond a bound.
func (p *person) checkBooks(ctx context.Context, r *report, w *world) error {
	const promise = "books balanced"
	var days struct {
		Items []struct {
			nestor.Usage
		} `json:"items"`
		Budgets []struct {
			Used     nestor.Budget    `json:"used"`
			Reserved nestor.Allowance `json:"reserved"`
		} `json:"budgets"`
	}
	if err := p.call(ctx, http.MethodGet, "/usage", nil, &days); err != nil {
		return err
	}
	var charged, spent int64
	for _, d := range days.Items {
		charged += d.Tokens()
	}
	byChat := map[string]int64{}
	add := func(chat string, m *nestor.MessageMetadata) {
		if m != nil && m.Usage != nil {
			byChat[chat] += m.Usage.Tokens()
			spent += m.Usage.Tokens()
		}
	}
	for chat, messages := range w.messages {
		for _, m := range messages {
			add(chat, m.Metadata)
		}
	}
	for _, a := range w.agents {
		sum := int64(0)
		for _, m := range w.said[a.ID] {
			add(a.ChatID, m.Metadata)
			if m.Metadata != nil {
				sum += m.Metadata.Usage.Tokens()
			}
		}
		if a.Usage.Tokens() != sum {
			r.violated(promise, "agent %s used %d tokens, and its messages say %d", a.ID, a.Usage.Tokens(), sum)
		}
	}
	unsaid := p.unsaid(w)
	within := func(charged, spent int64) bool { return charged >= spent && charged <= spent+unsaid }
	if !within(charged, spent) {
		r.violated(promise, "%s was charged %d tokens, and messages say %d", p.id, charged, spent)
	}
	bounds := map[string]int64{}
	for _, c := range p.chats {
		bounds[c.id] = c.bounded
	}
	for _, c := range w.chats {
		if !within(c.Usage.Tokens(), byChat[c.ID]) {
			r.violated(promise, "chat %s used %d tokens, and its messages say %d", c.ID, c.Usage.Tokens(), byChat[c.ID])
		}
		if b := bounds[c.ID]; b > 0 && c.Usage.Tokens() > b {
			r.violated("limits never exceeded", "chat %s used %d tokens of %d", c.ID, c.Usage.Tokens(), b)
		}
	}
	for _, b := range days.Budgets {
		if b.Reserved != (nestor.Allowance{}) {
			r.violated(promise, "%s: %d tokens are still reserved", p.id, b.Reserved.Tokens)
		}
		if b.Used.Tokens != charged {
			r.violated(promise, "the budget of %s counts %d tokens, and %d were charged", p.id, b.Used.Tokens, charged)
		}
	}
	r.tokens += spent
	return p.checkLedgers(ctx, r)
}

// unsaid is what replies of the orchestrator took that stand in no message of this
// person: they are paid for, too, if they were not wanted any more. Whether and by
// whom is not seen from outside, so this is a bound.
func (p *person) unsaid(w *world) (tokens int64) {
	stand := map[int]bool{}
	for _, messages := range w.messages {
		for _, m := range messages {
			stand[numberOf(m.Content)] = true
		}
	}
	p.model.mu.Lock()
	defer p.model.mu.Unlock()
	for n, q := range p.model.requests {
		if q.kind != "worker" && !stand[n] {
			tokens += int64(q.tokens)
		}
	}
	return tokens
}

// checkLedgers looks for reservations of calls that nobody settled. What a ledger lent
// to its shares is none.
func (p *person) checkLedgers(ctx context.Context, r *report) error {
	ledgers, err := p.ledgers(ctx, "users/"+p.id+"/ledgers")
	if err != nil {
		return err
	}
	for _, l := range ledgers {
		r.ledgers++
		shares, err := p.ledgers(ctx, "users/"+p.id+"/ledgers/"+l.ID+"/shares")
		if err != nil {
			return err
		}
		for _, held := range append(shares, l) {
			for job, what := range held.Reserved {
				if !strings.HasPrefix(job, "share.") {
					r.violated("books balanced", "%s: job %s still has %s reserved", l.Path, job, what)
				}
			}
		}
	}
	return nil
}

type ledger struct {
	ID       string                     `json:"id"`
	Path     string                     `json:"path"`
	Reserved map[string]json.RawMessage `json:"reserved"`
}

func (p *person) ledgers(ctx context.Context, collection string) ([]ledger, error) {
	owner := &api{nodes: p.soak.nodes, token: ownerToken}
	var page struct {
		Items []ledger `json:"items"`
	}
	err := owner.call(ctx, http.MethodPost, "/query", map[string]any{"collection": collection, "limit": 1000}, &page)
	return page.Items, err
}
