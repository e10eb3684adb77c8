package billing

import (
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/store"
)

// Settle puts what the calls of a job used in the place of what was reserved. The
// last of the askers pays; the others get back what earlier attempts reserved in
// their budgets.
func (b *Billing) Settle(tx store.Tx, job *nestor.Job, scopes []budget.Scope, askers nestor.Askers, used budget.Used) error {
	if err := budget.Settle(tx, budget.Of(job), scopes, used.Amount()); err != nil {
		return err
	}
	return b.releaseOthers(tx, job, askers)
}

// Charge adds what was used to the chat and to the day of the payer, the asker
// who spoke last. A message tells the same. Call it last in a transaction: whatever
// else this user does meanwhile waits for these documents.
func Charge(tx store.Tx, chat nestor.Path, askers nestor.Askers, used budget.Used) error {
	return charge(tx, chat, askers, used, func(*nestor.Chat) {})
}

// ChargeUnsaid is [Charge] for a reply of which no message tells. The chat does, so
// that whoever adds up what messages say finds all that was charged.
//
// The run that it was part of does, too; run is "" for none.
func ChargeUnsaid(tx store.Tx, chat nestor.Path, run nestor.Path, askers nestor.Askers, used budget.Used) error {
	if err := noteUnsaid(tx, run, used); err != nil {
		return err
	}
	return charge(tx, chat, askers, used, func(c *nestor.Chat) {
		c.UnsaidUsage = c.UnsaidUsage.Add(&used.Usage)
		c.UnsaidCostMicros += used.CostMicros
	})
}

func noteUnsaid(tx store.Tx, run nestor.Path, used budget.Used) error {
	if run == "" || used.Usage == (nestor.Usage{}) {
		return nil
	}
	r, err := store.Find[nestor.Run](tx, run)
	if err != nil || r == nil {
		return err
	}
	r.AddUnsaid(used.Model, &used.Usage, used.CostMicros)
	return chatdoc.Save(tx, run, r)
}

func charge(tx store.Tx, chat nestor.Path, askers nestor.Askers, used budget.Used, note func(*nestor.Chat)) error {
	if used.Calls == 0 && used.Usage == (nestor.Usage{}) {
		return nil
	}
	c, err := store.Find[nestor.Chat](tx, chat)
	if err != nil {
		return err
	}
	if c != nil { // else deleted meanwhile; whatever else is written will say so
		c.Usage = c.Usage.Add(&used.Usage)
		c.CostMicros += used.CostMicros
		note(c)
		if err := chatdoc.Save(tx, chat, c); err != nil {
			return err
		}
	}
	used.Chat = chat
	return budget.Record(tx, time.Now(), askers.Or(chat.UserID()).Payer(), string(chat), used)
}

// RollUp adds what an agent used since the last time to its task, and returns
// what is to be charged.
func RollUp(agent *nestor.SubAgent, task *nestor.Task) budget.Used {
	used := budget.Used{CostMicros: agent.CostMicros - task.CostMicros, Calls: agent.IterationCount - task.Steps}
	if u := agent.Usage; u != nil {
		used.Usage = *u
		if before := task.Usage; before != nil {
			used.Usage = nestor.Usage{
				InputTokens:       u.InputTokens - before.InputTokens,
				CachedInputTokens: u.CachedInputTokens - before.CachedInputTokens,
				OutputTokens:      u.OutputTokens - before.OutputTokens,
				ReasoningTokens:   u.ReasoningTokens - before.ReasoningTokens,
				Estimated:         u.Estimated && u.Tokens() > before.Tokens(),
			}
		}
	}
	task.Usage, task.CostMicros, task.Steps = agent.Usage, agent.CostMicros, agent.IterationCount
	used.Model, used.Role = agent.Model, agent.Role
	return used
}

// SamePayer reports whether the same person pays for both.
func SamePayer(chat nestor.Path, a, b nestor.Askers) bool {
	return a.Or(chat.UserID()).Payer() == b.Or(chat.UserID()).Payer()
}
