package runs

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/nestorhq/nestor"
	graphs "github.com/nestorhq/nestor/internal/domain/graphs/record"
	priority "github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/store"
)

// tree is what is found of a run in the documents that it caused.
type tree struct {
	run  *nestor.Run
	docs store.Reader

	// open are the tasks and executions that have not ended.
	open []nestor.Path
	// with are the runs that this one may end with, the most likely first, and answered
	// says that the first of them has answered the message that began this one.
	with     []string
	answered bool

	stopped     bool // somebody stopped the answer
	gone        bool // the chat is
	tasks       []nestor.Task
	rootStatus  nestor.RunStatus // of what is no message
	lastFailed  bool             // the last answer tells of a failure
	participant string

	met                  map[nestor.Path]bool // executions
	models, roles, tools map[string]bool
	usage                *nestor.Usage
	costMicros           int64
	calls, agentCount    int
	errors, answers      []string
}

// slack is by how much the clocks of nodes may differ. Documents that carry the id of
// the run are looked for from so long before its begin.
const slack = 5 * 60 * 1000

func readTree(docs store.Reader, run *nestor.Run) (*tree, error) {
	t := &tree{run: run, docs: docs, met: map[nestor.Path]bool{}, models: map[string]bool{}, roles: map[string]bool{}, tools: map[string]bool{}}
	t.count(&nestor.MessageMetadata{Usage: run.UnsaidUsage, CostMicros: run.UnsaidCostMicros})
	for _, model := range run.UnsaidModels {
		t.models[model] = true
	}
	t.calls = 0
	switch run.Kind {
	case nestor.RunOfGraph:
		return t, t.execution(run.Of(run.Root), 0)
	case nestor.RunOfPrioritisation:
		return t, t.session()
	}
	return t, t.chat()
}

// tell writes what was found into a run.
func (t *tree) tell(run *nestor.Run) {
	run.Models, run.Roles, run.Tools = sorted(t.models), sorted(t.roles), sorted(t.tools)
	run.Usage, run.CostMicros, run.Calls, run.Agents = t.usage, t.costMicros, t.calls, t.agentCount
	run.Errors, run.Answers = t.errors, t.answers
	if t.participant != "" {
		run.Participant = t.participant
	}
}

func sorted(set map[string]bool) []string {
	if len(set) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(set))
}

// status is how a run of which nothing is left ended.
func (t *tree) status(run *nestor.Run) nestor.RunStatus {
	switch {
	case run.CancelledBy != "" || t.stopped || t.gone:
		return nestor.RunCancelled
	case t.rootStatus != "":
		return t.rootStatus
	case t.lastFailed || t.undone():
		return nestor.RunFailed
	case len(t.tasks) > 0 && !slices.ContainsFunc(t.tasks, func(task nestor.Task) bool { return task.Depth == 0 && task.Status != nestor.TaskCancelled }):
		return nestor.RunCancelled
	}
	return nestor.RunSuccess
}

// undone reports whether an agent said that it could not do its task, and no other did
// what was asked for.
func (t *tree) undone() bool {
	could := func(task nestor.Task) bool { return task.Depth == 0 && task.Status == nestor.TaskSuccess }
	not := func(task nestor.Task) bool { return task.Depth == 0 && task.Outcome == nestor.TaskCouldNot }
	return slices.ContainsFunc(t.tasks, not) && !slices.ContainsFunc(t.tasks, could)
}

// count adds what a reply used.
func (t *tree) count(m *nestor.MessageMetadata) {
	if m == nil {
		return
	}
	if m.Model != "" {
		t.models[m.Model] = true
	}
	if m.Usage != nil {
		t.usage, t.calls = t.usage.Add(m.Usage), t.calls+1
	}
	t.costMicros += m.CostMicros
}

// chat reads what the run did in its chat.
func (t *tree) chat() error {
	at := nestor.Path("users/"+t.run.UserID).Child("orch-chats", t.run.ChatID)
	from, docs := t.run.BeganAt-slack, []nestor.Path{at}
	if t.run.Kind == nestor.RunOfMessage {
		docs = append(docs, t.run.Of(t.run.Root))
	}
	if err := store.ExpectQueries(t.docs, docs, messagesSince(at, from), tasksSince(at, from), agentsSince(at, from)); err != nil {
		return err
	}
	chat, err := store.Find[nestor.Chat](t.docs, at)
	if err != nil {
		return err
	}
	if chat == nil {
		t.gone, t.errors = true, append(t.errors, chatGone)
		return nil
	}
	t.participant = chat.Participant
	if t.participant == "" {
		t.participant = nestor.KindOrchestrator
	}
	if err := t.messages(at); err != nil {
		return err
	}
	if err := t.agents(at); err != nil {
		return err
	}
	if t.run.Kind == nestor.RunOfTask {
		t.rootStatus = nestor.RunCancelled // somebody deleted it
		if i := slices.IndexFunc(t.tasks, func(task nestor.Task) bool { return task.ID == t.run.Root.ID() }); i >= 0 {
			t.rootStatus = nestor.RunStatus(t.tasks[i].Status)
		}
	}
	return nil
}

// messages reads what was said in the chat since the run began.
func (t *tree) messages(chat nestor.Path) error {
	var root *nestor.Message
	if t.run.Kind == nestor.RunOfMessage {
		var err error
		if root, err = store.Find[nestor.Message](t.docs, t.run.Of(t.run.Root)); err != nil {
			return err
		}
	}
	var answeredBy string
	var later []string
	err := store.Each(t.docs, messagesSince(chat, t.run.BeganAt-slack), func(_ nestor.Path, m *nestor.Message) {
		if m.RunID == t.run.ID {
			t.said(m)
		}
		switch {
		case root == nil:
		case m.Role == nestor.RoleUser:
			if m.RunID != "" && m.QuestionID == "" && m.CreatedSeq > root.CreatedSeq { // an answer is part of the run of who asked
				later = append(later, m.RunID)
			}
		case m.RepliesTo == root.ID || slices.Contains(m.Answers, root.ID):
			if m.Type == nestor.MessageStatus && m.ExecutionID == "" {
				t.stopped = true
			} else if m.Type != nestor.MessageSummary && m.Type != nestor.MessageError && (m.Metadata == nil || m.Metadata.FinishReason != nestor.FinishInterrupted) {
				answeredBy = m.RunID
			}
		}
	})
	if err != nil || root == nil || t.stopped {
		return err
	}
	if root.ExecutionID != "" {
		return t.execution(graphs.ExecutionAt(t.run.UserID, root.ExecutionID), 0)
	}
	switch {
	case answeredBy != "":
		t.answered, t.with = true, []string{answeredBy}
	case len(t.answers) == 0 || !t.lastFailed:
		given, err := t.givenTo(chat, root)
		if err != nil {
			return err
		}
		t.with = append(given, later...)
	}
	return nil
}

// said counts a message of the chat that is part of the run.
func (t *tree) said(m *nestor.Message) {
	t.count(m.Metadata)
	if m.Role == nestor.RoleUser || m.Type != "" && m.Type != nestor.MessageText && m.Type != nestor.MessageError {
		return
	}
	t.answers = append(t.answers, m.ID)
	if t.lastFailed = m.Type == nestor.MessageError; t.lastFailed {
		t.errors = append(t.errors, m.Content)
	}
}

// givenTo are the runs of agents that were given the message which began this one, and
// work.
func (t *tree) givenTo(chat nestor.Path, root *nestor.Message) (runs []string, err error) {
	if root.HandedTo == "" {
		return nil, nil
	}
	var atWork []nestor.SubAgent
	q := store.Query{Collection: string(chat) + "/sub-agents", Where: store.Where("status", store.In, []nestor.SubAgentStatus{nestor.SubAgentActive, nestor.SubAgentWaiting})}
	if err := store.Each(t.docs, q, func(_ nestor.Path, a *nestor.SubAgent) { atWork = append(atWork, *a) }); err != nil {
		return nil, err
	}
	for _, a := range atWork {
		given, err := store.FindDocument(t.docs, chat.Child("sub-agents", a.ID).Child("messages", root.ID))
		if err != nil {
			return nil, err
		}
		if given != nil && a.RunID != "" {
			runs = append(runs, a.RunID)
		}
	}
	return runs, nil
}

// agents reads what the tasks and agents of the run did in a chat.
func (t *tree) agents(chat nestor.Path) error {
	from := t.run.BeganAt - slack
	if err := store.Each(t.docs, tasksSince(chat, from), func(_ nestor.Path, task *nestor.Task) {
		if task.RunID != t.run.ID {
			return
		}
		t.tasks = append(t.tasks, *task)
		if task.Depth == 0 && task.Outcome == nestor.TaskCouldNot {
			t.errors = append(t.errors, task.Error)
		}
		if !task.Status.Ended() {
			t.open = append(t.open, below(chat.Child("tasks", task.ID)))
		}
	}); err != nil {
		return err
	}
	var agents []nestor.SubAgent
	var unclear []string // those of which only messages and calls tell what they did for which run
	if err := store.Each(t.docs, agentsSince(chat, from), func(_ nestor.Path, a *nestor.SubAgent) {
		agents = append(agents, *a)
		switch {
		case a.Work == nil:
			unclear = append(unclear, a.ID)
		case a.RunID == t.run.ID:
			t.did(a)
		}
	}); err != nil {
		return err
	}
	spoke := map[string]bool{}
	for some := range slices.Chunk(unclear, agentsAtOnce) {
		if err := t.steps(chat, some, spoke); err != nil {
			return err
		}
	}
	for _, a := range agents {
		if (spoke[a.ID] || a.RunID == t.run.ID) && a.Tool == "" {
			t.roles[a.Role] = true
			t.agentCount++
		}
	}
	return nil
}

// did counts what an agent did that worked for this run alone.
func (t *tree) did(a *nestor.SubAgent) {
	t.usage, t.costMicros, t.calls = t.usage.Add(a.Usage), t.costMicros+a.CostMicros, t.calls+a.Work.Replies
	for _, model := range a.Work.Models {
		t.models[model] = true
	}
	for _, tool := range a.Work.Tools {
		t.tools[tool] = true
	}
}

// agentsAtOnce is of how many agents the steps are read together.
const agentsAtOnce = 100

// steps counts what some agents of a chat did for the run, and notes which of them were
// told or said something for it. What tools returned, which is most of what there is, is
// not read.
func (t *tree) steps(chat nestor.Path, agents []string, spoke map[string]bool) error {
	of := []store.Filter{
		*store.Where("userId", store.Eq, chat.UserID()), *store.Where("chatId", store.Eq, chat.ID()), *store.Where("subAgentId", store.In, agents),
		*store.Where("createdAt", store.Ge, t.run.BeganAt-slack),
	}
	said := store.Query{Flat: store.SubAgentMessages.Name, Where: &store.Filter{And: append(slices.Clip(of),
		*store.Where("role", store.In, []nestor.Role{nestor.RoleSystem, nestor.RoleUser, nestor.RoleAssistant}))}}
	type message struct {
		SubAgentID string                  `json:"subAgentId"`
		RunID      string                  `json:"runId"`
		Metadata   *nestor.MessageMetadata `json:"metadata"`
	}
	if err := store.Each(t.docs, said, func(_ nestor.Path, m *message) {
		if m.RunID == t.run.ID {
			spoke[m.SubAgentID] = true
			t.count(m.Metadata)
		}
	}); err != nil {
		return err
	}
	calls := store.Query{Flat: store.SubAgentToolCalls.Name, Where: &store.Filter{And: append(slices.Clip(of), *store.Where(store.RunField, store.Eq, t.run.ID))}}
	tools, err := store.Texts(t.docs, calls, "toolName")
	for _, name := range tools {
		t.tools[name] = true
	}
	return err
}

// maxDepth bounds how deep executions are looked for below others. Each is looked at once.
const maxDepth = 20

// execution reads an execution of a graph, and what agents and other executions did
// for it.
func (t *tree) execution(at nestor.Path, depth int) error {
	x, err := store.Find[graphs.AgentGraphExecution](t.docs, at)
	if err != nil || depth > maxDepth || t.met[at] {
		return err
	}
	t.met[at] = true
	if depth == 0 {
		t.rootStatus = nestor.RunCancelled
		if x != nil {
			t.rootStatus = executionStatus[x.Status]
		}
	}
	if x == nil {
		return nil
	}
	if !x.Status.Ended() {
		t.open = append(t.open, below(at))
	}
	if x.Error != nil {
		t.errors = append(t.errors, x.Error.Message)
	}
	var chats, begun []string
	if err := store.Each(t.docs, store.Query{Collection: string(at) + "/resolutions"}, func(_ nestor.Path, r *graphs.Resolution) {
		if r.ChatID != "" {
			chats = append(chats, r.ChatID)
		}
	}); err != nil {
		return err
	}
	for _, id := range chats {
		if err := t.agents(graphs.Of(t.run.UserID).Child("orch-chats", id)); err != nil {
			return err
		}
	}
	q := store.Query{Collection: string(graphs.Of(t.run.UserID)) + "/agent-graph-executions", Where: store.Where("parentExecutionId", store.Eq, at.ID())}
	if err := store.Each(t.docs, q, func(_ nestor.Path, x *graphs.AgentGraphExecution) { begun = append(begun, x.ID) }); err != nil {
		return err
	}
	for _, id := range begun {
		if err := t.execution(graphs.ExecutionAt(t.run.UserID, id), depth+1); err != nil {
			return err
		}
	}
	return nil
}

var executionStatus = map[graphs.ExecutionStatus]nestor.RunStatus{
	graphs.ExecutionCompleted: nestor.RunSuccess, graphs.ExecutionFailed: nestor.RunFailed, graphs.ExecutionCancelled: nestor.RunCancelled,
}

// session reads a prioritisation.
func (t *tree) session() error {
	s, err := store.Find[priority.AgentSession](t.docs, t.run.Of(t.run.Root))
	t.rootStatus = nestor.RunCancelled // somebody deleted it
	if err != nil || s == nil {
		return err
	}
	for name := range s.ExecutionMetadata.ToolCallCount {
		t.tools[name] = true
	}
	switch s.Status {
	case priority.SessionCompleted:
		t.rootStatus = nestor.RunSuccess
	case priority.SessionFailed:
		t.rootStatus, t.errors = nestor.RunFailed, append(t.errors, s.Error)
	default:
		t.open = append(t.open, t.run.Root)
	}
	return nil
}

func messagesSince(chat nestor.Path, at int64) store.Query {
	return since(string(chat)+"/messages", "createdAt", at)
}

func tasksSince(chat nestor.Path, at int64) store.Query {
	return since(string(chat)+"/tasks", "updatedAt", at)
}

func agentsSince(chat nestor.Path, at int64) store.Query {
	return since(string(chat)+"/sub-agents", "updatedAt", at)
}

func since(collection, field string, at int64) store.Query {
	return store.Query{Collection: collection, Where: store.Where(field, store.Ge, at)}
}

// equal reports whether two runs say the same.
func equal(a, b *nestor.Run) (bool, error) {
	first, err := json.Marshal(a)
	if err != nil {
		return false, err
	}
	second, err := json.Marshal(b)
	return bytes.Equal(first, second), err
}
