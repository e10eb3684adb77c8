package agent

import (
	"context"
	_ "embed"
	"errors"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/condense"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/worker"
)

//go:embed prompts/conclude.md
var concludePrompt string

// Loop has agents make their steps.
type Loop struct {
	Store      store.Documents
	Roles      *Roles
	Asker      *Asker
	Billing    *Billing
	Interrupts *interrupts
	Memory     *memory
	Toolbox    *Toolbox
	// Local reports whether agents may run local tools by themselves, without
	// a job for each call. Defaults to yes.
	Local func() bool
}

// step is what the loop knows when it asks the model.
type step struct {
	job   *nestor.Job
	chat  nestor.Path
	path  nestor.Path // of the agent
	read  *nestor.Document
	agent nestor.SubAgent // what was read
	role  Role
	said  conversation
	turns []condense.Turn
	// newest is the newest message that the model sees.
	newest string
	// last: the agent is over its limit and must conclude.
	last bool
	// payers are who asked when the step began, the last of whom pays: scopes
	// has their budget.
	payers nestor.Askers
	scopes []budget.Scope
	tools  *tool.Registry
	// done are the calls of the reply that have their result already, or are
	// refused.
	done map[int]doneCall
}

func (s *step) messagePath() nestor.Path { return s.path.Child("messages", s.job.DeriveID("reply")) }

// loop makes one step of an agent: it calls the model once with everything said
// so far, unless a tool call is still open or there is nothing new to see.
func (a *Loop) loop(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
	path := agentOf(job.Change.Path)
	ctx, work := a.Interrupts.begin(ctx, path)
	defer work.done()
	s, err := a.nextStep(ctx, job, path)
	if err != nil || s == nil {
		return nil, err
	}
	work.seen(s.agent.Seq)
	r, err := a.Asker.generate(ctx, a.prompt(ctx, s))
	var no *refusal
	switch {
	case err != nil && interrupted(ctx):
		return a.interrupted(s, err), nil
	case errors.As(err, &no):
		return a.declined(s, no), nil
	case errors.Is(err, nestor.ErrOverBudget):
		return instead(job, s.scopes, s.fail(err)), nil
	case err != nil:
		return nil, err
	case r.text == "" && len(r.calls) == 0:
		r.drop()
		return nil, nestor.Errorf(nestor.CodeUnavailable, "the model gave an empty reply")
	}
	s.done = a.runLocal(ctx, s, r)
	if !s.last {
		s.guard(r)
	}
	return a.outcome(s, r), nil
}

// nextStep returns nil if there is nothing to do.
func (a *Loop) nextStep(ctx context.Context, job *nestor.Job, path nestor.Path) (*step, error) {
	if k := a.Memory.remember(ctx, path); k != nil {
		if s := a.step(job, k); s != nil {
			return s, a.place(ctx, s, k)
		}
	}
	k, err := a.Memory.readAgent(ctx, path)
	if err != nil {
		return nil, err
	}
	s := a.step(job, k)
	return s, a.place(ctx, s, k)
}

// place adds the budgets of the places where a step is made.
func (a *Loop) place(ctx context.Context, s *step, k *known) error {
	if s == nil || len(k.places) == 0 {
		return nil
	}
	return a.Store.View(ctx, func(r store.Reader) (err error) {
		s.scopes, err = placed(r, a.Billing.billed(k.scopes, s.payers.Or(s.path.UserID()).Payer()), k.places)
		return err
	})
}

// step is the next of an agent, nil if there is nothing to do.
func (a *Loop) step(job *nestor.Job, k *known) *step {
	if k == nil || k.agent.Status != nestor.SubAgentActive || k.agent.Paused != nil && *k.agent.Paused {
		return nil
	}
	if k.agent.Tool != "" {
		return nil // whatever is said to it, there is no model
	}
	if k.said.waits() || k.said.has(job.DeriveID("reply")) {
		return nil // a job makes one step
	}
	turns, newest := k.said.turns()
	if newest == "" {
		return nil
	}
	path, agent := k.read.Path, k.agent
	return &step{
		job: job, chat: chatOf(path), path: path, read: k.read, agent: agent, role: a.Roles.Roles[agent.Role], said: k.said,
		turns: turns, newest: newest, last: agent.IterationLimit > 0 && agent.IterationCount >= agent.IterationLimit,
		payers: agent.AskedBy, scopes: a.Billing.billed(k.scopes, agent.AskedBy.Or(path.UserID()).Payer()),
	}
}

func (a *Loop) prompt(ctx context.Context, s *step) prompt {
	p := prompt{
		job: s.job, connection: s.agent.ModelConnectionID, system: s.said.system(), turns: s.turns,
		maxTokens: s.role.MaxTokens, scopes: s.scopes,
		draft: feed.Draft{Path: s.messagePath(), TaskID: s.agent.TaskID, SubAgentID: s.agent.ID},
		keep: func(ctx context.Context, sum *condense.Summary, meta *nestor.MessageMetadata) error {
			return a.keepAgentSummary(ctx, s, sum, meta)
		},
	}
	if s.last {
		p.turns = append(p.turns, condense.Turn{ID: "conclude", Message: userTurn(concludePrompt)})
		return p
	}
	s.tools = a.Toolbox.of(ctx, &s.agent)
	p.tools = append(s.tools.Offer(), agentControls(a.Roles, &s.agent, s.role)...)
	return p
}

// errCondensed ends a run of a job that made a summary while another run of the
// same job did: one had been taken for dead. Whoever has the job begins anew,
// and sees the summary.
var errCondensed = nestor.Errorf(nestor.CodeConflict, "the conversation was condensed meanwhile")

// unmade fails if there is a summary that the caller did not know of.
func unmade(tx store.Tx, summary nestor.Path, known bool) error {
	_, err := tx.Get(summary)
	switch {
	case errors.Is(err, nestor.ErrNotFound):
		return nil
	case err == nil && !known:
		return errCondensed
	}
	return err
}

// keepAgentSummary stores a summary beside the messages that it covers. What it
// took counts for the agent.
func (a *Loop) keepAgentSummary(ctx context.Context, st *step, s *condense.Summary, meta *nestor.MessageMetadata) error {
	agent := st.path
	path := agent.Child("messages", nestor.DeriveID("summary", s.Through))
	known := slices.ContainsFunc(st.said, func(u *utterance) bool { return u.ID == path.ID() })
	return a.Store.Update(ctx, func(tx store.Tx) error {
		if err := unmade(tx, path, known); err != nil {
			return err
		}
		doc, err := store.Find[nestor.SubAgent](tx, agent)
		if err != nil || doc == nil || doc.Status != nestor.SubAgentActive {
			return err
		}
		if err := settleSummary(tx, st.job, st.scopes, meta); err != nil {
			return err
		}
		doc.Usage, doc.CostMicros = doc.Usage.Add(meta.Usage), doc.CostMicros+meta.CostMicros
		doc.ModelMS += meta.DurationMS
		if err := save(tx, agent, doc); err != nil {
			return err
		}
		return save(tx, path, nestor.SubAgentMessage{
			Role: nestor.RoleSystem, Type: nestor.MessageSummary, Content: s.Text, RepliesTo: s.Through, Metadata: meta,
		})
	})
}

// fail ends the agent and its task for a reason.
func (s *step) fail(cause error) worker.Effect { return failAgent(s.job, s.path, cause) }

func (a *Loop) loopFailed(job *nestor.Job, cause error) worker.Effect {
	return failAgent(job, agentOf(job.Change.Path), cause)
}

func failAgent(job *nestor.Job, path nestor.Path, cause error) worker.Effect {
	return func(tx store.Tx) error {
		agent, err := store.Find[nestor.SubAgent](tx, path)
		if err != nil || agent == nil || agent.Status != nestor.SubAgentActive {
			return err
		}
		return endFailed(tx, job, path, agent, cause)
	}
}

// endFailed fails an agent as it stands in the transaction, and its task.
func endFailed(tx store.Tx, job *nestor.Job, path nestor.Path, agent *nestor.SubAgent, cause error) error {
	chat := chatOf(path)
	task, err := get[nestor.Task](tx, taskPath(chat, agent.TaskID))
	if err != nil {
		return err
	}
	if err := save(tx, path.Child("messages", job.DeriveID("failure")), nestor.SubAgentMessage{
		Role: nestor.RoleSystem, Type: nestor.MessageError, Content: reason(job, cause), Metadata: unsaid(cause),
	}); err != nil {
		return err
	}
	return end(tx, chat, agent, &task, nestor.TaskFailed, reason(job, cause))
}
