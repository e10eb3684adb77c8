package view

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// work is what an agent did for the run.
type work struct {
	agent nestor.SubAgent
	task  nestor.Task
	said  []nestor.SubAgentMessage
	calls []nestor.ToolCall
}

// agents adds those of the run that work in a chat, with their steps: as many as a page
// takes. Top is the row of whom the first of them work for.
func (t *tree) agents(chat nestor.Path, top string) error {
	if t.first() {
		if err := t.unstarted(chat, top); err != nil {
			return err
		}
	}
	q := store.Query{Collection: string(chat) + "/sub-agents", Where: &store.Filter{And: t.span("updatedAt")}, Limit: chunk, Cursor: t.Cursor}
	for {
		page, err := t.docs.Query(q)
		if err != nil {
			return err
		}
		found := map[string]*work{}
		for _, d := range page.Items {
			a, err := nestor.As[nestor.SubAgent](d)
			if err != nil {
				return err
			}
			found[a.ID] = &work{agent: a}
		}
		if err := t.steps(chat, found); err != nil {
			return err
		}
		for _, d := range page.Items { // in their order
			if w := found[d.Path.ID()]; w != nil {
				t.agent(chat, top, w)
			}
		}
		q.Cursor = page.Next
		if q.Cursor == "" || len(t.rows) >= enough && !t.whole {
			t.next = q.Cursor
			return nil
		}
	}
}

// unstarted adds the tasks of the run that have no agent yet, or never got one.
func (t *tree) unstarted(chat nestor.Path, top string) error {
	where := append(t.span("updatedAt"), *store.Where(store.RunField, store.Eq, t.run.ID), *store.Where("subAgentId", store.Eq, nil))
	return store.Each(t.docs, store.Query{Collection: string(chat) + "/tasks", Where: &store.Filter{And: where}}, func(_ nestor.Path, task *nestor.Task) {
		row := taskRow(chat, top, task)
		row.ID = below(chat.Child("tasks", task.ID))
		t.add(task.Seq, row)
	})
}

// steps reads what agents did for the run, and leaves those that did nothing for it or of
// which nothing is new.
func (t *tree) steps(chat nestor.Path, found map[string]*work) error {
	if len(found) == 0 {
		return nil
	}
	if t.Since > 0 {
		if err := t.changed(chat, found); err != nil || len(found) == 0 {
			return err
		}
	}
	var tasks []string
	for _, w := range found {
		tasks = append(tasks, w.agent.TaskID)
	}
	byTask := map[string]nestor.Task{}
	if err := store.Each(t.docs, store.Query{Collection: string(chat) + "/tasks", Where: store.Where("id", store.In, tasks)}, func(_ nestor.Path, task *nestor.Task) {
		byTask[task.ID] = *task
	}); err != nil {
		return err
	}
	if err := store.Each(t.docs, t.below(store.SubAgentMessages, chat, found), func(_ nestor.Path, m *nestor.SubAgentMessage) {
		if w := found[m.SubAgentID]; w != nil {
			w.said = append(w.said, *m)
		}
	}); err != nil {
		return err
	}
	if err := store.Each(t.docs, t.below(store.SubAgentToolCalls, chat, found), func(_ nestor.Path, c *nestor.ToolCall) {
		if w := found[c.SubAgentID]; w != nil {
			w.calls = append(w.calls, *c)
		}
	}); err != nil {
		return err
	}
	for id, w := range found {
		w.task = byTask[w.agent.TaskID]
		if w.agent.RunID != t.run.ID && len(w.said) == 0 && len(w.calls) == 0 {
			delete(found, id)
		}
	}
	return nil
}

// changed leaves the agents of which something is new.
func (t *tree) changed(chat nestor.Path, found map[string]*work) error {
	fresh := map[string]bool{}
	for _, c := range []*store.Collection{store.SubAgentMessages, store.SubAgentToolCalls} {
		q := t.below(c, chat, found)
		q.Where.And = append(q.Where.And, *store.Where("seq", store.Gt, t.Since))
		if err := store.Each(t.docs, q, func(_ nestor.Path, d *struct {
			SubAgentID string `json:"subAgentId"`
		},
		) {
			fresh[d.SubAgentID] = true
		}); err != nil {
			return err
		}
	}
	for id, w := range found {
		if !fresh[id] && w.agent.Seq <= t.Since {
			delete(found, id)
		}
	}
	return nil
}

// below asks for the documents of the run, of a kind, below agents of a chat.
func (t *tree) below(c *store.Collection, chat nestor.Path, found map[string]*work) store.Query {
	agents := make([]string, 0, len(found))
	for id := range found {
		agents = append(agents, id)
	}
	slices.Sort(agents)
	return store.Query{Flat: c.Name, Where: &store.Filter{And: []store.Filter{
		*store.Where("userId", store.Eq, chat.UserID()), *store.Where("chatId", store.Eq, chat.ID()), *store.Where("subAgentId", store.In, agents),
		*store.Where(store.RunField, store.Eq, t.run.ID),
	}}}
}

// taskRow is the row of a task, whether or not it has an agent.
func taskRow(chat nestor.Path, top string, task *nestor.Task) RunRow {
	_, name, _ := cutName(task.Name)
	row := RunRow{
		Parent: top, Kind: Agent, Label: label(cmp.Or(task.Title, task.Instruction)), Name: name, TaskID: task.ID, Status: string(task.Status),
		QueuedAt: task.CreatedAt, BeganAt: task.StartedAt, EndedAt: task.EndedAt, Error: task.Error, Order: task.CreatedSeq,
	}
	if row.Label == "" {
		row.Label = label(string(task.Args))
	}
	if task.Status == nestor.TaskFailed && task.Outcome == nestor.TaskCouldNot {
		row.Status = string(task.Outcome) // nothing broke
	}
	if task.ParentAgentID != "" {
		row.Parent = below(chat.Child("sub-agents", task.ParentAgentID))
	}
	return row
}

// agent adds an agent and what it did.
func (t *tree) agent(chat nestor.Path, top string, w *work) {
	at := chat.Child("sub-agents", w.agent.ID)
	row := taskRow(chat, top, &w.task)
	row.ID, row.Name = below(at), cmp.Or(w.agent.Tool, w.agent.Role)
	if w.agent.Status == nestor.SubAgentWaiting {
		row.Status = string(nestor.TaskWaiting)
	}
	seq := max(w.agent.Seq, w.task.Seq)
	steps, newest := t.rowsOf(at, w)
	if w.agent.Standing || w.agent.RunID != t.run.ID { // it works for other runs, too: its own times are of all
		within(&row, steps)
		if w.agent.RunID != t.run.ID {
			row.Status, row.Error = string(nestor.TaskSuccess), ""
		}
	}
	row.waits(ForQueue, row.QueuedAt, row.BeganAt)
	t.add(max(seq, newest), row)
	for _, s := range steps {
		t.add(max(seq, newest), s) // together, since they are told by each other
	}
}

// within gives a row the times of those below it.
func within(row *RunRow, steps []RunRow) {
	row.QueuedAt, row.BeganAt, row.EndedAt = 0, 0, 0
	for _, s := range steps {
		if row.BeganAt == 0 || s.BeganAt < row.BeganAt {
			row.QueuedAt, row.BeganAt = s.QueuedAt, s.BeganAt
		}
		row.EndedAt = max(row.EndedAt, s.EndedAt)
	}
}

// askUser is the call by which an agent asks somebody. Its answer is the next thing that is
// said to the agent.
const askUser = "ask_user"

// rowsOf are the steps of an agent.
func (t *tree) rowsOf(at nestor.Path, w *work) (rows []RunRow, newest int64) {
	written := map[string]int64{}
	for i := range w.said {
		m := &w.said[i]
		written[m.ID], newest = m.CreatedAt, max(newest, m.Seq)
		row, ok := stepRow(at, m, written)
		if !ok {
			continue
		}
		rows = append(rows, row)
		for _, c := range m.ToolCalls {
			if c.Function.Name == askUser {
				rows = append(rows, questionRow(row.ID, row.Parent, c.Function.Arguments, m, w))
			}
		}
	}
	for i := range w.calls {
		c := &w.calls[i]
		newest = max(newest, c.Seq)
		if c.TaskID == "" { // else the agent that it created is a row
			rows = append(rows, callRow(at, c))
		}
	}
	return rows, newest
}

// stepRow is the row of what a model said, or of why it did not.
func stepRow(at nestor.Path, m *nestor.SubAgentMessage, written map[string]int64) (RunRow, bool) {
	failed := m.Type == nestor.MessageError
	if m.Metadata == nil && !failed {
		return RunRow{}, false
	}
	row := RunRow{
		ID: below(at.Child("messages", m.ID)), Parent: below(at), Kind: Model, Label: label(m.Content), Status: string(nestor.TaskSuccess),
		QueuedAt: written[m.RepliesTo], BeganAt: m.CreatedAt, EndedAt: m.CreatedAt, Order: m.CreatedSeq,
	}
	if row.Label == "" && len(m.ToolCalls) > 0 {
		row.Label = m.ToolCalls[0].Function.Name
	}
	if m.Type == nestor.MessageSummary {
		row.For = "summary"
	}
	if m.Metadata != nil {
		row.said(m.Metadata, m.CreatedAt)
	}
	if failed {
		row.Status, row.Error = string(nestor.TaskFailed), m.Content
	}
	return row, true
}

// questionMark follows the id of a message in that of the question which it asks.
const questionMark = "#question"

func questionRow(id, parent, arguments string, m *nestor.SubAgentMessage, w *work) RunRow {
	var in struct {
		Question string `json:"question"`
	}
	_ = json.Unmarshal([]byte(arguments), &in) // what makes no sense was answered as such
	row := RunRow{
		ID: id + questionMark, Parent: parent, Kind: Question, Label: label(in.Question), Status: string(nestor.TaskWaiting),
		QueuedAt: m.CreatedAt, BeganAt: m.CreatedAt, Order: m.CreatedSeq,
	}
	for i := range w.said {
		if a := &w.said[i]; a.Role == nestor.RoleUser && a.CreatedSeq > m.CreatedSeq {
			row.EndedAt, row.Status = a.CreatedAt, string(nestor.TaskSuccess)
			break
		}
	}
	if row.EndedAt == 0 && w.agent.Status != nestor.SubAgentWaiting {
		row.EndedAt, row.Status = cmp.Or(w.task.EndedAt, w.agent.UpdatedAt), string(nestor.TaskCancelled)
	}
	row.waits(ForPerson, row.BeganAt, row.EndedAt)
	return row
}

// callStatus is the status of a call's row.
var callStatus = map[nestor.ToolCallStatus]string{
	nestor.ToolCallAwaitingApproval: "waiting", nestor.ToolCallUnknown: "waiting",
}

func callRow(at nestor.Path, c *nestor.ToolCall) RunRow {
	row := RunRow{
		ID: below(at.Child("tool-calls", c.ID)), Parent: below(at), Kind: Tool, Name: c.ToolName, Label: label(string(c.Args)), Error: c.Error,
		Status: cmp.Or(callStatus[c.Status], string(c.Status)), QueuedAt: c.CreatedAt, BeganAt: c.StartedAt, Order: c.CreatedSeq,
	}
	if c.StartedAt > 0 && c.StartedAt < c.CreatedAt { // it ran along with the step that asked for it
		row.QueuedAt = c.StartedAt
	}
	if c.Status.Ended() {
		row.EndedAt = c.UpdatedAt
		if c.StartedAt > 0 {
			row.EndedAt = c.StartedAt + c.DurationMS
		}
	}
	since := row.QueuedAt
	for _, d := range c.Decisions {
		if c.Client { // the client ran it, and decides what came of it
			break
		}
		if d.At > since && (row.BeganAt == 0 || d.At <= row.BeganAt) {
			row.waits(ForPerson, since, d.At)
			since = d.At
		}
		if d.Action == nestor.RetryCall {
			row.Retries++
		}
	}
	switch {
	case row.Status == "waiting":
		row.waits(ForPerson, max(since, row.BeganAt), 0)
	case row.BeganAt == 0:
		row.waits(ForQueue, since, row.EndedAt)
	default:
		row.waits(ForQueue, since, row.BeganAt)
		what := ForTool
		if c.Client {
			what = ForPerson
		}
		row.waits(what, row.BeganAt, row.EndedAt)
	}
	return row
}
