package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/condense"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// step is what the loop knows when it asks the model.
type step struct {
	job   *nestor.Job
	chat  nestor.Path
	path  nestor.Path // of the agent
	agent nestor.SubAgent
	role  Role
	said  conversation
	// newest is the newest message that the model sees.
	newest string
	// last: the agent is over its limit and must conclude.
	last   bool
	scopes []budget.Scope
}

func (s *step) messagePath() nestor.Path { return s.path.Child("messages", s.job.DeriveID("reply")) }

// loop makes one step of an agent: it calls the model once with everything said
// so far, unless a tool call is still open or there is nothing new to see.
func (a *Agents) loop(ctx context.Context, job *nestor.Job) (worker.Effect, error) {
	path := job.Change.Path
	if chat := chatOf(path); path.Parent() != chat {
		path = path.Parent() // a message of the agent woke it, not a change of the agent
	}
	ctx, work := a.interrupts.begin(ctx, path)
	defer work.done()
	s, err := a.readStep(ctx, job, path)
	if err != nil || s == nil {
		return nil, err
	}
	work.seen(s.agent.Seq)
	r, err := a.generate(ctx, a.prompt(ctx, s))
	switch {
	case interrupted(ctx):
		return unused(job, s.scopes), nil
	case errors.Is(err, nestor.ErrOverBudget):
		return s.fail(err), nil
	case err != nil:
		return nil, err
	case r.text == "" && len(r.calls) == 0:
		return nil, nestor.Errorf(nestor.CodeUnavailable, "the model gave an empty reply")
	}
	if _, concludes := finalAnswer(r); s.last && !concludes {
		return s.fail(nestor.Errorf(nestor.CodeCancelled,
			"the agent used all of its %d steps and did not conclude", s.agent.IterationLimit)), nil
	}
	return a.outcome(s, r), nil
}

// readStep returns nil if there is nothing to do.
func (a *Agents) readStep(ctx context.Context, job *nestor.Job, path nestor.Path) (s *step, err error) {
	err = a.store.View(ctx, func(r store.Reader) error {
		s = nil
		agent, err := find[nestor.SubAgent](r, path)
		if err != nil || agent == nil || agent.Status != nestor.SubAgentActive || agent.Paused != nil && *agent.Paused {
			return err
		}
		said, err := all[nestor.SubAgentMessage](r, messagesOf(path))
		if err != nil {
			return err
		}
		newest := conversation(said).unseen()
		if newest == "" || conversation(said).waits() {
			return nil
		}
		s = &step{
			job: job, chat: chatOf(path), path: path, agent: *agent, role: a.roles.Roles[agent.Role], said: said,
			newest: newest, last: agent.IterationLimit > 0 && agent.IterationCount >= agent.IterationLimit,
		}
		s.scopes, err = a.scopes(r, s.chat, agent.TaskID)
		return err
	})
	return s, err
}

func (a *Agents) prompt(ctx context.Context, s *step) prompt {
	p := prompt{
		job: s.job, connection: s.agent.ModelConnectionID, system: s.said.system(), turns: s.said.turns(),
		maxTokens: s.role.MaxTokens, scopes: s.scopes,
		draft: feed.Draft{Path: s.messagePath(), TaskID: s.agent.TaskID, SubAgentID: s.agent.ID},
		keep: func(ctx context.Context, sum *condense.Summary, meta *nestor.MessageMetadata) error {
			return a.keepAgentSummary(ctx, s.path, sum, meta)
		},
	}
	if s.last {
		p.turns = append(p.turns, condense.Turn{ID: "conclude", Message: userTurn(text("conclude"))})
		return p
	}
	p.tools = append(a.opts.Tools.ForRole(ctx, s.agent.Role, s.role.Tools).Offer(), a.controls(&s.agent, s.role)...)
	return p
}

// keepAgentSummary stores a summary beside the messages that it covers. What it
// took counts for the agent.
func (a *Agents) keepAgentSummary(ctx context.Context, agent nestor.Path, s *condense.Summary, meta *nestor.MessageMetadata) error {
	return a.store.Update(ctx, func(tx store.Tx) error {
		doc, err := find[nestor.SubAgent](tx, agent)
		if err != nil || doc == nil {
			return err
		}
		doc.Usage, doc.CostMicros = doc.Usage.Add(meta.Usage), doc.CostMicros+meta.CostMicros
		doc.ModelMS += meta.DurationMS
		if err := save(tx, agent, doc); err != nil {
			return err
		}
		return save(tx, agent.Child("messages", nestor.DeriveID("summary", s.Through)), nestor.SubAgentMessage{
			Role: nestor.RoleSystem, Type: nestor.MessageSummary, Content: s.Text, RepliesTo: s.Through, Metadata: meta,
		})
	})
}

// fail ends the agent and its task for a reason.
func (s *step) fail(cause error) worker.Effect { return failAgent(s.job, s.path, cause) }

func (a *Agents) loopFailed(job *nestor.Job, cause error) worker.Effect {
	path := job.Change.Path
	if path.Parent() != chatOf(path) {
		path = path.Parent()
	}
	effect := failAgent(job, path, cause)
	return func(tx store.Tx) error {
		agent, err := find[nestor.SubAgent](tx, path)
		if err != nil || agent == nil {
			return err
		}
		scopes, err := a.scopes(tx, chatOf(path), agent.TaskID)
		if err != nil {
			return err
		}
		if err := budget.Release(tx, job.ID, scopes); err != nil {
			return err
		}
		return effect(tx)
	}
}

func failAgent(job *nestor.Job, path nestor.Path, cause error) worker.Effect {
	return func(tx store.Tx) error {
		agent, err := find[nestor.SubAgent](tx, path)
		if err != nil || agent == nil || agent.Status != nestor.SubAgentActive {
			return err
		}
		chat := chatOf(path)
		task, err := get[nestor.Task](tx, taskPath(chat, agent.TaskID))
		if err != nil {
			return err
		}
		if err := save(tx, path.Child("messages", job.DeriveID("failure")), nestor.SubAgentMessage{
			Role: nestor.RoleSystem, Type: nestor.MessageError, Content: reason(cause),
		}); err != nil {
			return err
		}
		return end(tx, chat, agent, &task, nestor.TaskFailed, reason(cause))
	}
}

// text is a prompt by name.
func text(name string) string {
	return string(must(files.ReadFile(fmt.Sprintf("prompts/%s.md", name))))
}
