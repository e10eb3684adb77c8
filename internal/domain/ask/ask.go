// Package ask asks models on behalf of users outside of chats, within their
// budgets:
//
//	bill := asker.NewBill(job.ID, userID)
//	reply, err := asker.Ask(ctx, bill, req)   reserves, asks, notes what it took
//	bill.Pay(tx)                              with the effect, last
//	bill.Drop(tx)                             if there is no effect
package ask

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/llm/tokens"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
)

// Asker asks models. It is safe for concurrent use.
type Asker struct {
	Store  store.Documents
	Models module.Models
	// Limit bounds what each user may use. Defaults to no bound.
	Limit nestor.Budget

	meter tokens.Meter
}

// Model opens the model of a user's default connection, nil if none is connected:
// the demo model plays roles and reads nothing.
func (a *Asker) Model(ctx context.Context, userID string) (llm.Model, error) {
	m, err := a.Models.Open(ctx, userID, "")
	if err != nil || m.Name() == demo {
		return nil, err
	}
	return m, nil
}

const demo = "demo"

// Bill is what the model calls of one job take of a user's budget.
type Bill struct {
	id, userID string
	scopes     []budget.Scope
	used       []budget.Used
	chat       nestor.Path // that counts what is used, if there is one
	run        nestor.Path // that the job is part of, if it is of one
	unpaid     error       // why nobody pays, nil if somebody does
}

// NewBill begins a bill. The id is that of what is reserved: a job's, so that the
// job reserves the same when it is run again.
func (a *Asker) NewBill(id, userID string) *Bill {
	b := &Bill{id: id, userID: userID}
	if a.Limit.Bounds() {
		b.scopes = []budget.Scope{{Path: nestor.Path("users/" + userID), Limit: a.Limit}}
	}
	return b
}

// Add adds what another bill of the same user has, for what was reserved under the
// same id.
func (b *Bill) Add(other *Bill) {
	b.used, b.run = append(b.used, other.used...), cmp.Or(b.run, other.run)
}

// Pay replaces what was reserved by what was used. It comes last in a transaction.
func (b *Bill) Pay(tx store.Tx) error {
	if err := budget.Settle(tx, b.call(), b.scopes, b.spent()); err != nil {
		return err
	}
	if len(b.used) == 0 {
		return nil
	}
	if err := cmp.Or(b.countInChat(tx), b.countInRun(tx)); err != nil {
		return err
	}
	return budget.Record(tx, time.Now(), b.userID, b.id, b.used...)
}

// PayNow pays in a transaction of its own, together with what else is written in it. The
// bill then is empty, and can be added to.
func (a *Asker) PayNow(ctx context.Context, b *Bill, with func(store.Tx) error) error {
	err := a.Store.Update(ctx, func(tx store.Tx) error {
		if err := with(tx); err != nil {
			return err
		}
		return b.Pay(tx)
	})
	if err == nil {
		b.used = nil
	}
	return err
}

// Drop gives back what was reserved.
func (b *Bill) Drop(tx store.Tx) error { return budget.Release(tx, b.call(), b.scopes) }

func (b *Bill) call() budget.Call { return budget.Call{ID: b.id, Key: b.id} }

func (b *Bill) spent() (sum budget.Amount) {
	for _, u := range b.used {
		sum.Tokens += u.Usage.Tokens()
		sum.Micros += u.CostMicros
	}
	return sum
}

// replyReserve is how many tokens of a reply are reserved where the request sets no
// bound.
const replyReserve = 2_000

// Ask asks a model once. What it took is on the bill, also if it failed. That the
// model declines is an error of [nestor.CodeForbidden].
func (a *Asker) Ask(ctx context.Context, b *Bill, model llm.Model, req *llm.Request) (llm.Reply, error) {
	if err := a.paid(ctx, b); err != nil {
		return llm.Reply{}, err
	}
	if err := a.reserve(ctx, b, model, req); err != nil {
		return llm.Reply{}, err
	}
	if job := store.JobOf(ctx); job != nil {
		b.run = job.Run
	}
	reply, err := llm.Collect(model.Generate(ctx, req))
	if err == nil || reply.Usage != (llm.Usage{}) {
		name := model.Name()
		if reply.Model != "" {
			name = reply.Model
		}
		usage, cost := budget.Priced(name, reply.Usage)
		b.used = append(b.used, budget.Used{Model: name, Usage: usage, CostMicros: cost, Calls: 1, Chat: b.chat})
	}
	if err == nil && reply.Reason == llm.ReasonRefusal {
		err = nestor.Errorf(nestor.CodeForbidden, "the model declined to answer")
	}
	return reply, err
}

// paid reports why nobody pays for what is asked: what a chat says, or that the user is locked
// out by now.
func (a *Asker) paid(ctx context.Context, b *Bill) error {
	if b.unpaid != nil {
		return b.unpaid
	}
	var refusal error
	err := a.Store.View(ctx, func(r store.Reader) (err error) {
		refusal, err = account.Unpaid(r, "", b.userID)
		return err
	})
	return cmp.Or(err, refusal)
}

// reserve sets aside what a call may need beyond what the bill has already.
func (a *Asker) reserve(ctx context.Context, b *Bill, model llm.Model, req *llm.Request) error {
	if len(b.scopes) == 0 {
		return nil
	}
	out := int64(req.MaxTokens)
	if out == 0 {
		out = replyReserve
	}
	need, err := budget.Need(model, llm.Usage{Input: int64(a.meter.Request(model.Name(), req)), Output: out}, b.scopes)
	if err != nil {
		return err
	}
	before := b.spent()
	err = budget.Reserve(ctx, a.Store, b.call(), b.scopes, budget.Amount{Tokens: before.Tokens + need.Tokens, Micros: before.Micros + need.Micros})
	switch {
	case !errors.As(err, new(nestor.PutOff)):
		return err
	case before != budget.Amount{}:
		return nestor.Errorf(nestor.CodeOverBudget, "%s", err.Error()) // what was used has to be paid
	}
	// Who waits holds nothing back, so that two never wait for each other.
	return errors.Join(err, a.Store.Update(ctx, b.Drop))
}
