package orchestrator

import (
	"slices"

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
	t.tasks = slices.DeleteFunc(t.tasks, func(task nestor.Task) bool { return task.CreatedAt >= m.CreatedAt })
	for i := range t.tasks {
		stood(&t.tasks[i], m.CreatedAt-m.Metadata.DurationMS)
	}
	if m.TaskID != "" {
		return o.rebuildAbout(r, t, &m)
	}
	p := o.orchestratorPrompt(t)
	if kind, _ := nestor.ParseParticipant(chat.Participant); kind == nestor.KindModel {
		p.System, p.Turns = chat.SystemPrompt, append(p.Turns, t.dialogue.Asked("")...)
		return request(p.System, p.Turns, nil), nil
	}
	p.Turns = append(p.Turns, t.dialogue.Asked(stateBlock(t.tasks, chat.ForkedFrom != nil)+"\n# Message\n")...)
	return request(p.System, p.Turns, controltool.OfOrchestrator(o.Roles)), nil
}

// rebuildAbout is the same for a message about a task: a question of its agent that was
// passed on or answered, or else the report of its result.
func (o *Orchestrator) rebuildAbout(r store.Reader, t *turn, m *nestor.Message) (*llm.Request, error) {
	task, err := chatdoc.Get[nestor.Task](r, chatdoc.TaskPath(t.path, m.TaskID))
	if err != nil {
		return nil, err
	}
	question, err := questionOf(r, t.path, &task, m.ID)
	if err != nil {
		return nil, err
	}
	if question != "" {
		task.Status, task.Question = nestor.TaskWaiting, question
		turns := append(t.dialogue.Turns(), t.dialogue.Asked("")...)
		turns = append(turns, condense.Turn{ID: "question", Message: conversation.UserTurn("# Question\n" + taskLine(task, len(question)))})
		return request(questionPrompt, turns, []llm.Tool{controltool.AutoReply()}), nil
	}
	task.Status = nestor.TaskSuccess
	rep := &report{turn: *t, task: task}
	if task.TriggerMessageID != "" {
		said, err := store.Find[nestor.Message](r, t.path.Child("messages", task.TriggerMessageID))
		if err != nil {
			return nil, err
		}
		if said != nil {
			rep.request = said.Content
		}
		if err := rep.readSiblings(r); err != nil {
			return nil, err
		}
	}
	return request(reportPrompt, []condense.Turn{{ID: "report", Message: conversation.UserTurn(rep.ask())}}, nil), nil
}

// questionOf is the question that a message deals with, "" if it deals with none.
func questionOf(r store.Reader, chat nestor.Path, task *nestor.Task, message string) (string, error) {
	if task.SubAgentID == "" {
		return "", nil
	}
	said, err := chatdoc.All[nestor.SubAgentMessage](r, chatdoc.MessagesOf(chatdoc.AgentPath(chat, task.SubAgentID)))
	if err != nil {
		return "", err
	}
	for i := range said {
		for _, c := range said[i].ToolCalls {
			if c.Function.Name == controltool.AskUser && nestor.DeriveID("question", task.SubAgentID, c.ID) == message {
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
