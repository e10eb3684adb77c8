package lifecycle

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/billing"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/role"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/store"
)

// Deliver gives an agent a message from the user and sets it going: it answers
// a waiting one, steers a running one and reactivates one that ended. Agent,
// task and message change together. The agent's document is always written, so
// that a reply which commits at the same time cannot miss the message.
func Deliver(tx store.Tx, roles *role.Roles, path nestor.Path, messageID string, s Said) (*nestor.Document, error) {
	agent, err := chatdoc.Get[nestor.SubAgent](tx, path)
	if err != nil {
		return nil, err
	}
	if agent.Tool != "" {
		return nil, nestor.Errorf(nestor.CodeInvalid, "task %s is a call of the tool %s: there is nobody to speak to", agent.TaskID, agent.Tool)
	}
	chat := chatdoc.ChatOf(path)
	task, err := chatdoc.Get[nestor.Task](tx, chatdoc.TaskPath(chat, agent.TaskID))
	if err != nil {
		return nil, err
	}
	if s.Person {
		agent.AutoAnswers = 0
	}
	if s.Note != nil {
		s.Note(&agent)
	}
	if err := Wake(tx, roles, chat, &agent, &task, s.Run, s.Askers); err != nil {
		return nil, err
	}
	return tx.Create(path.Child("messages", messageID), nestor.SubAgentMessage{
		Role: nestor.RoleUser, Content: s.Content, Parts: s.Parts, Name: s.Name, AuthorID: s.Author,
	})
}

// Said is what an agent is told.
type Said struct {
	Content string
	// Parts, if there are any, are all that is said, and Content is their text.
	Parts []nestor.Part
	// Name is who tells it: the id of a person, or the orchestrator's name.
	// Author is the person's id, if it is one.
	Name, Author string
	// Person: a person spoke to the agent, themselves or through the
	// orchestrator.
	Person bool
	// Askers are those whose wish it is. None leaves it with those who asked
	// before: then it was the orchestrator's own idea.
	Askers nestor.Askers
	// Run is the run that an agent which had ended works for from now on. Defaults to
	// the one that it worked for.
	Run nestor.Path
	// Note, if set, changes the agent in the same write.
	Note func(*nestor.SubAgent)
}

// OrchestratorName is the name of the orchestrator where it speaks to an agent.
const OrchestratorName = "orchestrator"

// Wake makes an agent and its task active again, if they are not. One that had
// ended begins another run, and its next result goes to the chat: the agent that
// waited for it has its answer. From now on the work is for askers, too. If that
// makes another one the payer, what was used so far is charged to the payer until
// now. An agent that was cancelled stays so, unless it is the participant of its
// chat: there people stop an answer, and go on. An agent that had ended works for
// run from now on, if one is given; any other goes on with the run that it worked for.
func Wake(tx store.Tx, roles *role.Roles, chat nestor.Path, agent *nestor.SubAgent, task *nestor.Task, run nestor.Path, askers nestor.Askers) error {
	if task.Status.Ended() && run != "" {
		if agent.RunID != run.ID() {
			agent.Work = nil // it is no longer that of one run
		}
		agent.RunID, task.RunID = run.ID(), run.ID()
	} else if agent.Status != nestor.SubAgentActive {
		if err := ResumeRun(tx, chat, agent.RunID); err != nil {
			return err
		}
	}
	switch {
	case agent.Status == nestor.SubAgentActive || agent.Status.CanBecome(nestor.SubAgentActive):
	case agent.Standing && agent.Status == nestor.SubAgentCancelled:
		agent.Restarts++ // so that a step from before, if it still runs, does not count when it commits
	default:
		return ErrCancelled
	}
	if task.Status.Ended() {
		if err := AnswerParent(tx, chat, task); err != nil {
			return err
		}
		task.EndedAt, task.Error, task.Outcome, task.ParentCallID = 0, "", "", ""
		agent.IterationLimit = agent.IterationCount + roles.Roles[agent.Role].MaxIterations
	}
	agent.Status = nestor.SubAgentActive
	task.Status, task.Question, task.QuestionID, task.Choices = nestor.TaskRunning, "", "", nil
	before, used := task.AskedBy, budget.Used{}
	if len(askers) > 0 {
		now := agent.AskedBy.Or(chat.UserID()).With(askers...)
		if !billing.SamePayer(chat, before, now) {
			used = billing.RollUp(agent, task)
		}
		agent.AskedBy, task.AskedBy = now, now
	}
	if err := chatdoc.Save(tx, chatdoc.AgentPath(chat, agent.ID), agent); err != nil {
		return err
	}
	if err := chatdoc.Save(tx, chatdoc.TaskPath(chat, task.ID), task); err != nil {
		return err
	}
	return billing.Charge(tx, chat, before, used)
}

// ErrCancelled is why a cancelled agent does not go on.
var ErrCancelled = nestor.Errorf(nestor.CodeInvalid, "the agent was cancelled: create another one")
