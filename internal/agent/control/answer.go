package control

import (
	"context"
	"fmt"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/lifecycle"
	"github.com/nestorhq/nestor/internal/store"
)

// AnswerQuestion gives an answer to the agent of a task that asked, without a model in
// between, and returns the message of the chat that has it. In one transaction the chat is
// told the question, unless it was, and the answer, and the agent goes on with it. The
// answer to a question that nobody asks any more is refused. If there is a message with
// its id, whoever wrote it, that is returned, and nothing is said.
func (c *Control) AnswerQuestion(ctx context.Context, task nestor.Path, a nestor.Answer) (d *nestor.Document, fresh bool, err error) {
	chat := chatdoc.ChatOf(task)
	message := chat.Child("messages", a.ID)
	err = c.Store.Update(ctx, func(tx store.Tx) error {
		t, err := chatdoc.Get[nestor.Task](tx, task)
		if err != nil {
			return err
		}
		fresh = false
		if d, err = store.FindDocument(tx, message); err != nil || d != nil {
			return err
		}
		agent, err := chatdoc.FindAgent(tx, chat, &t)
		if err != nil {
			return err
		}
		if agent == nil || agent.Status != nestor.SubAgentWaiting || agent.QuestionCallID != a.QuestionID {
			return refuseAnswer(tx, chat, &t, agent, a)
		}
		if err := tellQuestion(tx, chat, &t, agent); err != nil {
			return err
		}
		fresh = true
		if d, err = tx.Create(message, nestor.Message{
			Role: nestor.RoleUser, Type: nestor.MessageText, Content: a.Content, Parts: a.Parts, AuthorID: a.By, IsLLMMessage: new(true),
			TaskID: t.ID, QuestionID: a.QuestionID, RunID: agent.RunID,
		}); err != nil {
			return err
		}
		_, err = lifecycle.Deliver(tx, c.Roles, chatdoc.AgentPath(chat, agent.ID), a.ID, lifecycle.Said{
			Content: a.Content, Parts: a.Parts, Name: a.By, Author: a.By, Person: true, Askers: nestor.Askers{a.By},
			Note: func(agent *nestor.SubAgent) {
				if agent.Standing { // its next message in the chat replies to this one
					agent.Unanswered = append(agent.Unanswered, a.ID)
				}
			},
		})
		return err
	})
	return d, fresh, err
}

// tellQuestion puts the question into the chat in the agent's own words, if nobody
// has yet: the answer may be faster than the orchestrator. A standing agent has
// asked in the chat itself.
func tellQuestion(tx store.Tx, chat nestor.Path, t *nestor.Task, agent *nestor.SubAgent) error {
	if agent.Standing || agent.Question == "" {
		return nil
	}
	at := chatdoc.QuestionPath(chat, agent.ID, agent.QuestionCallID)
	if told, err := chatdoc.Exists(tx, at); err != nil || told {
		return err
	}
	_, err := tx.Create(at, nestor.Message{
		Role: nestor.RoleAssistant, Type: nestor.MessageText, Content: agent.Question, IsLLMMessage: new(true),
		TaskID: t.ID, QuestionID: agent.QuestionCallID, RunID: agent.RunID,
	})
	return err
}

// Why an answer is refused, for programs: in details.reason of the error.
const (
	reasonAnswered = "answered"       // somebody has answered it: details.by, if it was a person who did so directly
	reasonOther    = "other_question" // the agent asks something else by now: details.questionId
	reasonNotAsked = "not_waiting"    // the agent asks nothing
)

// refuseAnswer says why nobody waits for the answer to a question.
func refuseAnswer(r store.Reader, chat nestor.Path, t *nestor.Task, agent *nestor.SubAgent, a nestor.Answer) error {
	given, err := findAnswer(r, chat, t, a.QuestionID)
	if err != nil {
		return err
	}
	refuse := func(reason, why string) *nestor.Error {
		return nestor.Errorf(nestor.CodeConflict, "%s, so nothing was passed on", why).With("reason", reason)
	}
	switch {
	case given != nil && given.AuthorID == a.By:
		return refuse(reasonAnswered, "you have answered this question before").With("by", a.By)
	case given != nil:
		return refuse(reasonAnswered, given.AuthorID+" has answered this question already").With("by", given.AuthorID)
	case agent == nil || agent.Status != nestor.SubAgentWaiting:
		return refuse(reasonNotAsked, fmt.Sprintf("the agent does not wait for an answer: its task is %s", t.Status))
	}
	return refuse(reasonOther, "the agent asks something else by now").With("questionId", agent.QuestionCallID)
}

// findAnswer is what a person answered to a question of a task's agent, nil if nobody did.
func findAnswer(r store.Reader, chat nestor.Path, t *nestor.Task, question string) (*nestor.Message, error) {
	q := chatdoc.MessagesOf(chat)
	q.Where = store.Where("taskId", store.Eq, t.ID)
	said, err := chatdoc.All[nestor.Message](r, q)
	for i := range said {
		if m := &said[i]; m.Role == nestor.RoleUser && m.QuestionID == question {
			return m, nil
		}
	}
	return nil, err
}
