package agent_test

import (
	"maps"
	"slices"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/store"
)

// spent is what something used.
type spent struct {
	nestor.Usage
	micros int64
}

func (s spent) plus(u *nestor.Usage, micros int64) spent {
	return spent{*s.Usage.Add(u), s.micros + micros}
}

func (s spent) minus(o spent) spent {
	return spent{nestor.Usage{
		InputTokens: s.InputTokens - o.InputTokens, CachedInputTokens: s.CachedInputTokens - o.CachedInputTokens,
		OutputTokens: s.OutputTokens - o.OutputTokens, ReasoningTokens: s.ReasoningTokens - o.ReasoningTokens,
	}, s.micros - o.micros}
}

func total(u *nestor.Usage, micros int64) spent { return spent{}.plus(u, micros) }

func ofMessage(m *nestor.MessageMetadata) spent {
	if m == nil {
		return spent{}
	}
	return total(m.Usage, m.CostMicros)
}

// checkAccounts: what messages say they used adds up to what agents, tasks, the
// chat and the user's day say, and budgets count the same.
func (w *world) checkAccounts() {
	w.Helper()
	tasks := w.checkTasks()
	chat := load[nestor.Chat](w, w.chat)
	var below spent
	for _, t := range tasks {
		below = below.plus(&t.Usage, t.micros)
	}
	replies, calls := w.ownReplies()
	var sum spent
	for _, s := range replies {
		sum = sum.plus(&s.Usage, s.micros)
	}
	if got := total(chat.Usage, chat.CostMicros).minus(below); got != sum {
		w.Errorf("the chat used %+v beyond its tasks, its models %+v", got, sum)
	}
	w.checkMessages(replies, total(chat.UnsaidUsage, chat.UnsaidCostMicros))
	for _, t := range list[nestor.Task](w, w.chat, "tasks") {
		calls += t.Steps
	}
	w.checkDay(chat, calls)
	w.checkLedgers(chat, tasks)
}

// ownReplies are what the orchestrator's jobs used, summaries apart, and steps of
// agents that were cancelled before they counted; and the number of calls.
func (w *world) ownReplies() (used map[string]spent, calls int) {
	w.Helper()
	w.mu.Lock()
	replies := slices.Clone(w.replies)
	w.mu.Unlock()
	said := map[string]bool{}
	for _, a := range list[nestor.SubAgent](w, w.chat, "sub-agents") {
		for _, m := range list[nestor.SubAgentMessage](w, w.agent(a.ID), "messages") {
			// A reply that was refused without a word is told of by an error.
			said[m.ID] = m.Type != nestor.MessageError || m.Metadata != nil
		}
	}
	used = map[string]spent{}
	for _, r := range replies {
		if said[nestor.DeriveID(r.job, "reply")] || said[nestor.DeriveID(r.job, "failure")] {
			continue
		}
		calls++
		usage, micros := budget.Priced(r.model, r.usage)
		if r.summary {
			r.job += " summary"
		}
		if s := used[r.job].plus(&usage, micros); s != (spent{}) {
			used[r.job] = s
		}
	}
	return used, calls
}

// checkMessages: whatever a message of the chat used, with the calls of the orchestrator
// above it, is what one job used. Titles have no message, nor have answers that came too late: the chat tells of these.
func (w *world) checkMessages(replies map[string]spent, unsaid spent) {
	w.Helper()
	left := slices.Collect(maps.Values(replies))
	var calls spent
	for _, m := range list[nestor.Message](w, w.chat, "messages") {
		s := ofMessage(m.Metadata)
		if s == (spent{}) {
			continue
		}
		if s = s.plus(&calls.Usage, calls.micros); m.Type == nestor.MessageToolCall {
			calls = s
			continue
		}
		calls = spent{}
		i := slices.Index(left, s)
		if i < 0 {
			w.Errorf("%q used %+v, and no job did", m.Content, s)
			continue
		}
		left = slices.Delete(left, i, i+1)
	}
	var untold spent
	for _, s := range left {
		untold = untold.plus(&s.Usage, s.micros)
	}
	if untold != unsaid {
		w.Errorf("no message tells of %+v, and the chat says that it is %+v", untold, unsaid)
	}
}

// checkTasks returns what each task used, by its path.
func (w *world) checkTasks() map[nestor.Path]spent {
	w.Helper()
	agents := map[string]spent{}
	for _, a := range list[nestor.SubAgent](w, w.chat, "sub-agents") {
		var sum spent
		for _, m := range list[nestor.SubAgentMessage](w, w.agent(a.ID), "messages") {
			s := ofMessage(m.Metadata)
			sum = sum.plus(&s.Usage, s.micros)
		}
		if got := total(a.Usage, a.CostMicros); got != sum {
			w.Errorf("%s used %+v, its messages %+v", w.names.hide(a.ID), got, sum)
		}
		agents[a.TaskID] = sum
	}
	tasks := map[nestor.Path]spent{}
	for _, t := range list[nestor.Task](w, w.chat, "tasks") {
		got := total(t.Usage, t.CostMicros)
		if rests := t.Status.Ended() || t.Status == nestor.TaskWaiting; rests && got != agents[t.ID] {
			w.Errorf("%s used %+v, its agent %+v", w.names.hide(t.ID), got, agents[t.ID])
		}
		tasks[w.task(t.ID)] = got
	}
	return tasks
}

func (w *world) checkDay(chat nestor.Chat, calls int) {
	w.Helper()
	var day, models spent
	counted := 0
	for _, user := range w.users() {
		for _, d := range list[budget.Day](w, user, "usage") {
			day = day.plus(&d.Usage, d.CostMicros)
			counted += d.Calls
			for _, m := range d.Models {
				models = models.plus(&m.Usage, m.CostMicros)
			}
		}
	}
	if want := total(chat.Usage, chat.CostMicros); day != want || models != want {
		w.Errorf("the chat used %+v, the day %+v, its models %+v", want, day, models)
	}
	if counted != calls {
		w.Errorf("the day counts %d calls, %d were made", counted, calls)
	}
}

// checkLedgers: nothing is reserved any more, and a budget has counted all
// that was used below it.
func (w *world) checkLedgers(chat nestor.Chat, tasks map[nestor.Path]spent) {
	w.Helper()
	type ledger struct {
		Path nestor.Path `json:"path"`
	}
	var ledgers []ledger
	for _, user := range w.users() {
		ledgers = append(ledgers, list[ledger](w, user, "ledgers")...)
	}
	for _, l := range ledgers {
		st := w.stand(l.Path)
		if st.Reserved != (nestor.Allowance{}) {
			w.Errorf("%+v is still reserved for %s", st.Reserved, w.names.hide(string(l.Path)))
		}
		want := total(chat.Usage, chat.CostMicros)
		switch {
		case under(l.Path, "tasks"):
			want = w.tree(l.Path, tasks)
		case slices.Contains(w.users(), l.Path):
			want = w.paidBy(l.Path)
		}
		if st.Used.Tokens != want.Tokens() || st.Used.CostMicros != want.micros {
			w.Errorf("%s spent %d tokens and %d micros, its ledger says %d and %d",
				w.names.hide(string(l.Path)), want.Tokens(), want.micros, st.Used.Tokens, st.Used.CostMicros)
		}
	}
}

// stand is what was used and is reserved of a budget.
func (w *world) stand(p nestor.Path) (st budget.Standing) {
	w.Helper()
	w.view(func(r store.Reader) (err error) {
		st, err = budget.Stand(r, budget.Scope{Path: p}, time.Now())
		return err
	})
	return st
}

// users are all who may have to pay.
func (w *world) users() []nestor.Path {
	users := []nestor.Path{w.chat.Parent()}
	for _, name := range people {
		users = append(users, nestor.Path("users/"+w.person(name)))
	}
	return users
}

// paidBy is what a user was charged.
func (w *world) paidBy(user nestor.Path) (sum spent) {
	w.Helper()
	for _, d := range list[budget.Day](w, user, "usage") {
		sum = sum.plus(&d.Usage, d.CostMicros)
	}
	return sum
}

// tree is what a task and all tasks below it used.
func (w *world) tree(task nestor.Path, tasks map[nestor.Path]spent) spent {
	w.Helper()
	sum := tasks[task]
	agent := load[nestor.Task](w, task).SubAgentID
	for _, t := range list[nestor.Task](w, w.chat, "tasks") {
		if agent != "" && t.ParentAgentID == agent {
			below := w.tree(w.task(t.ID), tasks)
			sum = sum.plus(&below.Usage, below.micros)
		}
	}
	return sum
}
