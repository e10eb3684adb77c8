package loop

import (
	"context"
	_ "embed"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/ask"
	"github.com/nestorhq/nestor/internal/agent/billing"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/condense"
	"github.com/nestorhq/nestor/internal/agent/controltool"
	"github.com/nestorhq/nestor/internal/agent/conversation"
	"github.com/nestorhq/nestor/internal/agent/memory"
	"github.com/nestorhq/nestor/internal/agent/remote"
	"github.com/nestorhq/nestor/internal/agent/role"
	"github.com/nestorhq/nestor/internal/agent/toolrun"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/interrupt"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/worker"
)

// Loop has agents make their steps.
type Loop struct {
	Store      store.Documents
	Roles      *role.Roles
	Asker      *ask.Asker
	Billing    *billing.Billing
	Interrupts *interrupt.Running
	Memory     *memory.Memory
	Toolbox    *toolrun.Toolbox
	// Remote has the agents whose work is done elsewhere. Nil if there are none.
	Remote func() *remote.Agents
	// Local reports whether agents may run local tools by themselves, without
	// a job for each call. Defaults to yes.
	Local func() bool
	// Files keeps what tools return. May be nil.
	Files *toolrun.Files
}

// step is what the loop knows when it asks the model.
type step struct {
	job   *nestor.Job
	chat  nestor.Path
	path  nestor.Path // of the agent
	read  *nestor.Document
	agent nestor.SubAgent // what was read
	// task and chatDoc are what is known of both when the agent ends, nil if they have to be read.
	task, chatDoc *nestor.Document
	role          role.Role
	said          conversation.Messages
	turns         []condense.Turn
	// newest is the newest message that the model sees.
	newest string
	// last: the agent is over its limit and must conclude.
	last bool
	// payers are who asked when the step began, the last of whom pays: scopes
	// has their budget.
	payers nestor.Askers
	// unpaid says why nobody pays for the step, nil if somebody does.
	unpaid error
	scopes []budget.Scope
	tools  *tool.Registry
	// controls are the control tools that were offered beside tools.
	controls []llm.Tool
	// form is what the result has to fit, nil if it is any text, and unfit why that of the
	// reply does not.
	form  *controltool.Form
	unfit error
	// calls are those of the reply, as they are meant.
	calls []llm.ToolCall
	// end is how the reply stops the agent, nil if it does not.
	end *ending
	// kept is the call that stops the agent after all beside it: then the model is not
	// asked.
	kept string
	// done are the calls of the reply that have their result already, or are
	// refused.
	done map[int]doneCall
}

func (s *step) messagePath() nestor.Path { return s.path.Child("messages", s.job.DeriveID("reply")) }

// MakeStep makes one step of an agent: it calls the model once with everything said
// so far, unless a tool call is still open or there is nothing new to see.
func (l *Loop) MakeStep(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
	path := chatdoc.AgentOf(job.Change.Path)
	ctx, work := l.Interrupts.Begin(ctx, path)
	defer work.Done()
	s, err := l.nextStep(ctx, job, path)
	if err != nil || s == nil {
		return nil, err
	}
	work.Seen(s.agent.Seq)
	if s.kept != "" {
		told, err := l.goesOn(ctx, s)
		if err != nil {
			return nil, err
		}
		if !told {
			return l.stop(s), nil
		}
		if s, err = l.nextStep(ctx, job, path); err != nil || s == nil || s.kept != "" {
			return nil, err
		}
		work.Seen(s.agent.Seq)
	}
	r, err := l.Asker.Ask(ctx, l.prompt(ctx, s))
	if err != nil {
		return ask.Unanswered{
			Job: job, Scopes: s.scopes, OverBudget: s.fail,
			Interrupted: func(r *ask.Reply) worker.Effect { return l.interrupted(s, r) },
			Declined:    func(no *ask.Refusal) worker.Effect { return l.declined(s, no) },
		}.Effect(ctx, err)
	}
	s.understand(r)
	s.end = s.endingOf(r)
	s.done = l.runLocal(ctx, s)
	if !s.last {
		s.guard()
	}
	return l.outcome(s, r), nil
}

// nextStep returns nil if there is nothing to do.
func (l *Loop) nextStep(ctx context.Context, job *nestor.Job, path nestor.Path) (*step, error) {
	if k := l.Memory.Remember(ctx, path); k != nil {
		if s := l.step(job, k); s != nil {
			return s, nil
		}
	}
	k, err := l.Memory.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	return l.step(job, k), nil
}

// step is the next of an agent, nil if there is nothing to do.
func (l *Loop) step(job *nestor.Job, k *memory.Known) *step {
	if k == nil || k.Agent.Status != nestor.SubAgentActive || k.Agent.Paused != nil && *k.Agent.Paused {
		return nil
	}
	if k.Agent.Tool != "" {
		return nil // whatever is said to it, there is no model
	}
	if kept := keptCall(k.Said); kept != nil {
		return &step{job: job, chat: chatdoc.ChatOf(k.Read.Path), path: k.Read.Path, read: k.Read, agent: k.Agent, said: k.Said, kept: kept.ID, form: formOf(&k.Agent)}
	}
	if k.Said.Waits() || k.Said.Has(job.DeriveID("reply")) {
		return nil // a job makes one step
	}
	turns, newest := k.Said.Turns()
	if newest == "" {
		return nil
	}
	path, agent := k.Read.Path, k.Agent
	return &step{
		job: job, chat: chatdoc.ChatOf(path), path: path, read: k.Read, agent: agent, role: l.Roles.Roles[agent.Role], said: k.Said, form: formOf(&agent),
		turns: turns, newest: newest, last: agent.IterationLimit > 0 && agent.IterationCount >= agent.IterationLimit,
		unpaid: k.Unpaid, payers: agent.AskedBy, scopes: l.Billing.Billed(k.Scopes, agent.AskedBy.Or(path.UserID()).Payer()),
	}
}

func (l *Loop) prompt(ctx context.Context, s *step) ask.Prompt {
	p := ask.Prompt{
		Job: s.job, Connection: s.agent.ModelConnectionID, System: s.said.System(), Turns: s.turns,
		MaxTokens: s.role.MaxTokens, Scopes: s.scopes, Unpaid: s.unpaid,
		Draft: s.draft(),
		Keep: func(ctx context.Context, sum *condense.Summary, meta *nestor.MessageMetadata) error {
			return l.keepAgentSummary(ctx, s, sum, meta)
		},
	}
	if s.role.A2A != nil && l.Remote != nil {
		s.tools = tool.Union() // it has its own
		p.Model = l.Remote().Model(remote.Step{Agent: s.path, Role: s.agent.Role, Turns: s.turns, Newest: s.newest})
		return p
	}
	s.controls = controltool.OfAgent(l.Roles, &s.agent, s.role, s.form)
	if s.last {
		s.tools, s.controls = tool.Union(), s.controls[:1] // final_answer
		p.Turns = append(p.Turns, condense.Turn{ID: "conclude", Message: conversation.UserTurn(concludePrompt)})
	} else {
		s.tools = l.Toolbox.Useful(ctx, s.chat, &s.agent, s.said.Long())
	}
	p.Tools = s.tools.OfferWith(s.controls)
	return p
}

// keepAgentSummary stores a summary beside the messages that it covers. What it
// took counts for the agent.
func (l *Loop) keepAgentSummary(ctx context.Context, st *step, s *condense.Summary, meta *nestor.MessageMetadata) error {
	agent := st.path
	path := agent.Child("messages", nestor.DeriveID("summary", s.Through))
	known := slices.ContainsFunc(st.said, func(u *conversation.Utterance) bool { return u.ID == path.ID() })
	return l.Store.Update(ctx, func(tx store.Tx) error {
		if err := ask.Unmade(tx, path, known); err != nil {
			return err
		}
		doc, err := store.Find[nestor.SubAgent](tx, agent)
		if err != nil || doc == nil || doc.Status != nestor.SubAgentActive {
			return err
		}
		if err := ask.SettleSummary(tx, st.job, st.scopes, meta); err != nil {
			return err
		}
		doc.Usage, doc.CostMicros = doc.Usage.Add(meta.Usage), doc.CostMicros+meta.CostMicros
		doc.ModelMS += meta.DurationMS
		doc.Work = doc.Work.WithReply(meta)
		if err := chatdoc.Save(tx, agent, doc); err != nil {
			return err
		}
		return chatdoc.Save(tx, path, nestor.SubAgentMessage{
			Role: nestor.RoleSystem, Type: nestor.MessageSummary, Content: s.Text, RepliesTo: s.Through, Metadata: meta,
		})
	})
}

//go:embed conclude.md
var concludePrompt string
