package orchestrator

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/worker"
)

// A standing agent answers in its chat itself, in the transactions of its steps. A
// program in place of the agents' loop may not: then its answer, or its question, is
// written here, in its own words.

func (o *Orchestrator) standingQuestion(q *inquiry) worker.Effect {
	return tellOf(q.path, &q.task, q.task.Question)
}

// tellOf writes what an agent said last into its chat, unless it is there: under the
// id that it has among the agent's messages.
func tellOf(chat nestor.Path, task *nestor.Task, content string) worker.Effect {
	return func(tx store.Tx) error {
		agent, err := chatdoc.FindAgent(tx, chat, task)
		if err != nil || agent == nil {
			return err
		}
		q := chatdoc.MessagesOf(chatdoc.AgentPath(chat, agent.ID))
		q.Where = store.Where("role", store.Eq, string(nestor.RoleAssistant))
		q.OrderBy, q.Limit = []store.Order{{Field: "createdAt", Desc: true}}, 1
		page, err := tx.Query(q)
		if err != nil || len(page.Items) == 0 || content == "" {
			return err
		}
		message := chat.Child("messages", page.Items[0].Path.ID())
		if there, err := chatdoc.Exists(tx, message); err != nil || there {
			return err
		}
		m := nestor.Message{
			Role: nestor.RoleAssistant, Type: nestor.MessageText, Content: content, IsLLMMessage: new(true), TaskID: task.ID, SubAgentID: agent.ID,
		}
		if n := len(agent.Unanswered); n > 0 {
			m.RepliesTo, m.Answers, agent.Unanswered = agent.Unanswered[n-1], agent.Unanswered[:n-1], nil
		}
		if err := chatdoc.Save(tx, chatdoc.AgentPath(chat, agent.ID), agent); err != nil {
			return err
		}
		return chatdoc.Save(tx, message, m)
	}
}
