package view

import (
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	graphs "github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/store"
)

// Asked says which part of a tree is asked for. Its zero value is the first page.
type Asked struct {
	// Cursor is the Next of the page before.
	Cursor string
	// Since leaves out what has not changed after this position of the log.
	Since int64
}

const (
	// chunk is how many agents are looked at together. A query names no more than 200.
	chunk = 200
	// enough is how many rows a page has before it ends. The steps of an agent are on one
	// page.
	enough = 2000
	// slack is by how much the clocks of nodes may differ: documents of the run are looked
	// for from so long before its begin to so long after its end.
	slack = 5 * 60 * 1000
)

// tree puts the rows of a run together.
type tree struct {
	docs store.Reader
	run  *nestor.Run
	Asked
	rows []RunRow
	next string
	// whole: everything is on one page.
	whole bool
	met   map[nestor.Path]bool // executions
	// seq is the newest of what was read.
	seq int64
}

// Read reads a page of a run.
func Read(docs store.Reader, run *nestor.Run, asked Asked) (RunTree, error) {
	docs = shown{docs}
	t := &tree{docs: docs, run: run, Asked: asked, met: map[nestor.Path]bool{}, seq: max(run.Seq, asked.Since)}
	var err error
	switch run.Kind {
	case nestor.RunOfGraph:
		err = t.execution(run.Of(run.Root), "", 0)
	case nestor.RunOfPrioritisation:
		err = t.session()
	default:
		err = t.chat()
	}
	if t.rows == nil {
		t.rows = []RunRow{}
	}
	return RunTree{Run: *run, Rows: t.rows, Next: t.next, Seq: t.seq, Now: nestor.Millis(time.Now())}, err
}

// add adds a row that documents of a position tell of, unless nothing of it is new.
func (t *tree) add(seq int64, row RunRow) {
	t.seq = max(t.seq, seq)
	if seq > t.Since {
		t.rows = append(t.rows, row)
	}
}

// first reports whether this is the first page.
func (t *tree) first() bool { return t.Cursor == "" }

// chat reads what the run did in its chat.
func (t *tree) chat() error {
	chat := t.run.Of(nestor.Path("orch-chats/" + t.run.ChatID))
	if t.first() {
		said, err := t.messages(chat)
		if err != nil {
			return err
		}
		if err := t.said(said); err != nil {
			return err
		}
	}
	return t.agents(chat, orchestratorID)
}

// orchestratorID is the row of who answers in the chat. No document tells of it.
const orchestratorID = "orchestrator"

// messages are those of the chat that are part of the run, oldest first.
func (t *tree) messages(chat nestor.Path) (said []nestor.Message, err error) {
	q := store.Query{Collection: string(chat) + "/messages", Where: &store.Filter{And: append(t.span("createdAt"), *store.Where(store.RunField, store.Eq, t.run.ID))}}
	err = store.Each(t.docs, q, func(_ nestor.Path, m *nestor.Message) {
		said = append(said, *m)
	})
	return said, err
}

// span is when documents of the run were created, or changed.
func (t *tree) span(field string) []store.Filter {
	all := []store.Filter{*store.Where(field, store.Ge, t.run.BeganAt-slack)}
	if t.run.Status.Ended() && t.run.EndedAt > 0 && field == "createdAt" {
		all = append(all, *store.Where(field, store.Le, t.run.EndedAt+slack))
	}
	return all
}

// said adds the row at the top, who answers in the chat, and what was said there.
func (t *tree) said(all []nestor.Message) error {
	run := t.run
	top := RunRow{
		ID: string(run.Root), Kind: Message, Status: string(run.Status), QueuedAt: run.BeganAt, BeganAt: run.BeganAt, EndedAt: run.EndedAt,
		Usage: run.UnsaidUsage, CostMicros: run.UnsaidCostMicros, Order: run.CreatedSeq,
	}
	if run.Kind != nestor.RunOfMessage { // a task: its agent is below
		top.ID, top.Kind = orchestratorID, Orchestrator
		t.add(run.Seq, top)
		t.turns(all)
		return nil
	}
	handed := ""
	for i := range all {
		m := &all[i]
		if m.ID != run.Root.ID() {
			continue
		}
		top.Label, handed = label(m.Content), m.HandedTo
		top.QueuedAt, top.BeganAt = m.CreatedAt, m.CreatedAt // the record of the run was made a moment later
		if m.ExecutionID != "" {
			if err := t.execution(graphs.ExecutionAt(run.UserID, m.ExecutionID), top.ID, 0); err != nil {
				return err
			}
		}
	}
	t.add(run.Seq, top)
	over := top
	over.ID, over.Parent, over.Kind, over.Name, over.Label = orchestratorID, top.ID, Orchestrator, run.Participant, ""
	over.Usage, over.CostMicros = nil, 0
	if handed == "" {
		t.add(run.Seq, over)
	}
	t.turns(all)
	return nil
}

// turns adds the turns of the orchestrator.
func (t *tree) turns(said []nestor.Message) {
	at := map[string]int64{}
	for i := range said {
		m := &said[i]
		at[m.ID] = m.CreatedAt
		if row, ok := t.turn(m, at); ok {
			t.add(m.Seq, row)
		}
	}
}

// turn is the row of a message that the orchestrator wrote, or that tells why it did not.
// At has when messages were written.
func (t *tree) turn(m *nestor.Message, at map[string]int64) (RunRow, bool) {
	if m.Role == nestor.RoleUser || m.SubAgentID != "" || m.ExecutionID != "" || m.Metadata == nil && (m.Type != nestor.MessageError || m.TaskID != "") {
		return RunRow{}, false // no model was asked for it
	}
	row := RunRow{
		ID: "orch-chats/" + t.run.ChatID + "/messages/" + m.ID, Parent: orchestratorID, Kind: Model, For: "answer", Label: label(m.Content), TaskID: m.TaskID,
		Status: string(nestor.TaskSuccess), QueuedAt: at[m.RepliesTo], BeganAt: m.CreatedAt, EndedAt: m.CreatedAt, Order: m.CreatedSeq,
	}
	switch {
	case m.Type == nestor.MessageSummary:
		row.For = "summary"
	case m.TaskID != "":
		row.For = "question"
	case m.RepliesTo == "" && m.Type != nestor.MessageError:
		row.For = "conclusion"
	}
	if m.Metadata != nil {
		row.said(m.Metadata, m.CreatedAt)
	}
	if m.Type == nestor.MessageError {
		row.Status, row.Error = string(nestor.TaskFailed), m.Content
	}
	return row, true
}

// shown is a reader in whose view what the caller may not list is empty.
type shown struct{ store.Reader }

func (s shown) Query(q store.Query) (store.Page, error) {
	page, err := s.Reader.Query(q)
	if nestor.CodeOf(err) == nestor.CodeForbidden {
		return store.Page{}, nil
	}
	return page, err
}

// below is a path below the user.
func below(p nestor.Path) string { return strings.TrimPrefix(string(p), p.Tenant()+"/") }
