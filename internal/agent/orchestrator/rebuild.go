package orchestrator

import (
	"slices"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/chatdoc"
	"github.com/nestorhq/nestor/internal/agent/condense"
	"github.com/nestorhq/nestor/internal/agent/controltool"
	"github.com/nestorhq/nestor/internal/agent/conversation"
	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/store"
)

// Rebuild is what a model was asked for the message at a path, made again from the
// documents that were there then. It is not stored: it would be most of the chat, once
// more for each message. Instructions and results that were changed since are as they are
// now, what a long conversation was shortened to is told in full, and the rounds in which
// the model corrected itself are not told.
func (o *Orchestrator) Rebuild(r store.Reader, at nestor.Path) (*llm.Request, error) {
	m, err := chatdoc.Get[nestor.Message](r, at)
	if err != nil {
		return nil, err
	}
	if m.Metadata == nil || m.Type == nestor.MessageSummary || m.SubAgentID != "" {
		return nil, nestor.Errorf(nestor.CodeNotFound, "no model was asked for the message %s", at.ID())
	}
	path := chatdoc.ChatOf(at)
	chat, err := chatdoc.Get[nestor.Chat](r, path)
	if err != nil {
		return nil, err
	}
	t := &turn{path: path, chat: chat, job: &nestor.Job{Change: nestor.Change{Path: at}}}
	past := chatdoc.Past(r, m.Meta, m.Metadata)
	if t.dialogue, err = conversation.ReadDialogue(past, path); err != nil {
		return nil, err
	}
	if t.tasks, err = readState(past, path); err != nil {
		return nil, err
	}
	// Tasks that the model ordered were created along with its message.
	t.tasks = slices.DeleteFunc(t.tasks, func(k known) bool { return k.CreatedAt >= m.CreatedAt })
	t.now = time.UnixMilli(m.CreatedAt - m.Metadata.DurationMS)
	for i := range t.tasks {
		stood(&t.tasks[i].Task, t.now.UnixMilli())
	}
	if kind, _ := nestor.ParseParticipant(chat.Participant); kind == nestor.KindModel {
		return request(chat.SystemPrompt, append(t.dialogue.Turns(), t.dialogue.Asked("")...), nil), nil
	}
	q := inquiry{turn: *t}
	if q.task.Question, err = o.questionOf(r, t, &m, &q.task); err != nil {
		return nil, err
	}
	if q.task.Question != "" {
		p := o.prompt(t)
		return request(p.System, append(p.Turns, q.turnAbout()), []llm.Tool{controltool.AutoReply()}), nil
	}
	if len(t.dialogue.Open) == 0 {
		t.event = allEnded
	}
	p := o.prompt(t)
	return request(p.System, p.Turns, controltool.OfOrchestrator(o.Roles, hasAgents(t.tasks))), nil
}

// questionOf reads the task that a message is about, and is the question of its agent that
// the message deals with, "" if it deals with none.
func (o *Orchestrator) questionOf(r store.Reader, t *turn, m *nestor.Message, task *nestor.Task) (string, error) {
	if m.TaskID == "" {
		return "", nil
	}
	found, err := store.Find[nestor.Task](r, chatdoc.TaskPath(t.path, m.TaskID))
	if err != nil || found == nil || found.SubAgentID == "" {
		return "", err
	}
	*task = *found
	said, err := chatdoc.All[nestor.SubAgentMessage](r, chatdoc.MessagesOf(chatdoc.AgentPath(t.path, task.SubAgentID)))
	if err != nil {
		return "", err
	}
	for i := range said {
		for _, c := range said[i].ToolCalls {
			if c.Function.Name == controltool.AskUser && nestor.DeriveID("question", task.SubAgentID, c.ID) == m.ID {
				in, err := controltool.Decode(c.Function.Arguments, "question")
				return in["question"], err
			}
		}
	}
	return "", nil
}

// stood has a task say how it stood at a time, as far as its own times tell.
func stood(t *nestor.Task, at int64) {
	if t.EndedAt != 0 && t.EndedAt <= at {
		return
	}
	t.Result, t.Error, t.Question, t.Status = "", "", "", nestor.TaskPending
	if t.StartedAt != 0 && t.StartedAt <= at {
		t.Status = nestor.TaskRunning
	}
}

func request(system string, turns []condense.Turn, tools []llm.Tool) *llm.Request {
	req := &llm.Request{System: system, Tools: slices.Clone(tools)}
	for _, t := range turns {
		req.Messages = append(req.Messages, t.Message)
	}
	return req
}
