package main

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/nestorhq/nestor"
)

// checkBooks holds what was charged against what the messages say was used, and the
// chats of replies that stand in no message. It looks for what is still reserved or
// was used beyond a bound.
func (p *person) checkBooks(ctx context.Context, r *report, w *world) error {
	var b books
	if err := p.call(ctx, http.MethodGet, "/usage", nil, &b); err != nil {
		return err
	}
	p.checkCharged(r, w, &b)
	return p.checkLedgers(ctx, r)
}

// books are what a person was charged, by day, and how their budgets stand.
type books struct {
	Items []struct {
		nestor.Usage
	} `json:"items"`
	Budgets []struct {
		Used     nestor.Budget    `json:"used"`
		Reserved nestor.Allowance `json:"reserved"`
	} `json:"budgets"`
}

func (p *person) checkCharged(r *report, w *world, days *books) {
	const promise = "books balanced"
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
	for _, c := range w.chats {
		add(c.ID, &nestor.MessageMetadata{Usage: c.UnsaidUsage})
		r.unsaid += c.UnsaidUsage.Tokens()
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
	if charged != spent {
		r.violated(promise, "%s was charged %d tokens, and messages say %d", p.id, charged, spent)
	}
	bounds := map[string]int64{}
	for _, c := range p.chats {
		bounds[c.id] = c.bounded
	}
	for _, c := range w.chats {
		if c.Usage.Tokens() != byChat[c.ID] {
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
}

// checkLedgers looks for reservations of calls that nobody settled. What a ledger lent
// to its shares is none.
func (p *person) checkLedgers(ctx context.Context, r *report) error {
	ledgers, err := p.ledgers(ctx, "users/"+p.id+"/ledgers")
	if err != nil {
		return err
	}
	for _, l := range ledgers {
		shares, err := p.ledgers(ctx, "users/"+p.id+"/ledgers/"+l.ID+"/shares")
		if err != nil {
			return err
		}
		for _, part := range append(shares, l) {
			for job, what := range part.Reserved {
				if !strings.HasPrefix(job, "share.") { // what is lent to a share is no job's
					r.violated("books balanced", "%s: job %s still has %s reserved", l.Path, job, what)
				}
			}
		}
		r.ledgers++
		r.shares += len(shares)
	}
	return nil
}

// ledger is the account of a budget, or a share of one.
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
