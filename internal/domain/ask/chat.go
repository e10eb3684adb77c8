package ask

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/store"
)

// InChat makes a bill one for work in a chat: the budgets of the chat, its account and
// its project bound it, too, and the chat counts what it uses.
func (a *Asker) InChat(r store.Reader, b *Bill, chat nestor.Path) error {
	b.chat = chat
	c, err := store.Find[nestor.Chat](r, chat)
	if err != nil || c == nil {
		return err
	}
	if b.unpaid, err = account.Unpaid(r, c.AccountID, b.userID); err != nil {
		return err
	}
	bound := func(at nestor.Path, limit *nestor.Budget) {
		if limit.Bounds() {
			b.scopes = append(b.scopes, budget.Scope{Path: at, Limit: *limit})
		}
	}
	bound(chat, c.Budget)
	if nestor.CheckID(c.AccountID) != nil {
		return nil
	}
	places := []nestor.Path{nestor.Path("accounts/" + c.AccountID)}
	if nestor.CheckID(c.ProjectID) == nil {
		places = append(places, places[0].Child("projects", c.ProjectID))
	}
	for _, at := range places {
		place, err := store.Find[struct {
			Budget *nestor.Budget `json:"budget"`
		}](r, at)
		if err != nil {
			return err
		}
		if place != nil {
			bound(at, place.Budget)
		}
	}
	return nil
}

// countInRun adds what was used to the run whose job asked.
func (b *Bill) countInRun(tx store.Tx) error {
	if b.run == "" {
		return nil
	}
	run, err := store.Find[nestor.Run](tx, b.run)
	if err != nil || run == nil {
		return err
	}
	for _, u := range b.used {
		run.AddUnsaid(u.Model, &u.Usage, u.CostMicros)
	}
	_, err = tx.Put(b.run, run, store.AnyVersion)
	return err
}

// countInChat adds what was used to the chat, if the bill is for one. No message
// tells of it.
func (b *Bill) countInChat(tx store.Tx) error {
	if b.chat == "" {
		return nil
	}
	c, err := store.Find[nestor.Chat](tx, b.chat)
	if err != nil || c == nil {
		return err
	}
	for _, u := range b.used {
		c.Usage = c.Usage.Add(&u.Usage)
		c.CostMicros += u.CostMicros
		c.UnsaidUsage = c.UnsaidUsage.Add(&u.Usage)
		c.UnsaidCostMicros += u.CostMicros
	}
	_, err = tx.Put(b.chat, c, store.AnyVersion)
	return err
}
