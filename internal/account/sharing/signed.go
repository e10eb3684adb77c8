package sharing

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/store"
)

// Signed returns tx as a transaction in which everything that is said or asked
// for carries who did it: authorId in what people say, askedBy in tasks, agents
// and tool calls. Whatever a client sends in these fields is replaced, so that
// nobody speaks or has work done in another's name. Rules judge the write
// before it comes here.
//
// A person signs with their own id. The receiver of a webhook carries out what
// others asked for: it signs with their ids, which came with its token.
func Signed(tx store.Tx, c access.Caller) store.Tx { return signing{tx, c} }

type signing struct {
	store.Tx
	caller access.Caller
}

// Create implements [store.Tx].
func (s signing) Create(p nestor.Path, body any) (*nestor.Document, error) {
	return s.write(p, body, nil, func(body any) (*nestor.Document, error) { return s.Tx.Create(p, body) })
}

// Put implements [store.Tx].
func (s signing) Put(p nestor.Path, body any, version int64) (*nestor.Document, error) {
	before, err := store.FindDocument(s.Tx, p)
	if err != nil {
		return nil, err
	}
	return s.write(p, body, before, func(body any) (*nestor.Document, error) { return s.Tx.Put(p, body, version) })
}

// Patch implements [store.Tx].
func (s signing) Patch(p nestor.Path, patch any, version int64) (*nestor.Document, error) {
	if !signable(p) {
		return s.Tx.Patch(p, patch, version)
	}
	before, err := s.Tx.Get(p)
	if err != nil {
		return nil, err
	}
	old, err := fieldsOf(before.Data)
	if err != nil {
		return nil, err
	}
	change, err := fieldsOf(patch)
	if err != nil {
		return s.Tx.Patch(p, patch, version) // the store says what is wrong
	}
	merged := maps.Clone(old)
	maps.Copy(merged, change)
	return s.sign(p, merged, before, func() (*nestor.Document, error) {
		for _, name := range []string{"authorId", "askedBy"} {
			delete(change, name)
			if text, ok := merged[name]; ok {
				change[name] = text
			} else if _, ok := old[name]; ok {
				change[name] = json.RawMessage("null")
			}
		}
		return s.Tx.Patch(p, change, version)
	})
}

// signable reports whether a document says who wrote it or asked for it.
func signable(p nestor.Path) bool { return saysAuthor(p) || saysAskers(p) }

func saysAuthor(p nestor.Path) bool {
	return store.Messages.Has(p) || store.SubAgentMessages.Has(p)
}

func saysAskers(p nestor.Path) bool {
	return store.Tasks.Has(p) || store.SubAgents.Has(p) || store.SubAgentToolCalls.Has(p)
}

// write signs a whole document.
func (s signing) write(p nestor.Path, body any, before *nestor.Document, write func(any) (*nestor.Document, error)) (*nestor.Document, error) {
	if !signable(p) {
		return write(body)
	}
	fields, err := fieldsOf(body)
	if err != nil {
		return write(body) // the store says what is wrong
	}
	return s.sign(p, fields, before, func() (*nestor.Document, error) { return write(fields) })
}

// sign sets the fields of a document that say who, and has it written.
func (s signing) sign(p nestor.Path, fields map[string]json.RawMessage, before *nestor.Document, write func() (*nestor.Document, error)) (*nestor.Document, error) {
	delete(fields, "authorId")
	delete(fields, "askedBy")
	if before == nil {
		if err := s.paid(p); err != nil {
			return nil, err
		}
	}
	if saysAskers(p) {
		if err := s.signWork(fields, before); err != nil {
			return nil, err
		}
		return write()
	}
	spoken, err := s.signWords(fields, before)
	if err != nil {
		return nil, err
	}
	d, err := write()
	if err == nil && spoken && store.SubAgentMessages.Has(p) {
		err = s.askOf(p.Parent())
	}
	return d, err
}

// paid reports why the caller may not have work done in the chat that p lies in. What a
// webhook's receiver writes others asked for, which was judged when it got its token.
func (s signing) paid(p nestor.Path) error {
	if s.caller.Kind == access.AsWebhook {
		return nil
	}
	return account.PaysIn(s.Tx, p, s.caller.UserID)
}

// askers are the people whose wish a write is.
func (s signing) askers() nestor.Askers {
	if s.caller.Kind == access.AsWebhook && len(s.caller.Grant.Asked) > 0 {
		return s.caller.Grant.Asked
	}
	return nestor.Askers{s.caller.UserID}
}

// signWords signs a message of a person, and reports whether it says something
// new. A message whose words stay keeps its author.
func (s signing) signWords(fields map[string]json.RawMessage, before *nestor.Document) (bool, error) {
	role, content := text(fields["role"]), text(fields["content"])
	if role != string(nestor.RoleUser) {
		return false, nil
	}
	author := s.askers().Payer()
	if before != nil {
		old, err := fieldsOf(before.Data)
		if err != nil {
			return false, err
		}
		if text(old["role"]) == role && text(old["content"]) == content {
			if kept := text(old["authorId"]); kept != "" {
				set(fields, "authorId", kept)
			}
			return false, nil
		}
	}
	set(fields, "authorId", author)
	return true, nil
}

// signWork signs a task, an agent or a tool call. Its askers are those that it
// had before, and whoever writes it.
func (s signing) signWork(fields map[string]json.RawMessage, before *nestor.Document) error {
	var old struct {
		AskedBy nestor.Askers `json:"askedBy"`
	}
	askers := s.askers()
	if before != nil {
		if err := json.Unmarshal(before.Data, &old); err != nil {
			return err
		}
		askers = old.AskedBy.Or(before.Path.UserID()) // who writes carries out what others asked for
	}
	set(fields, "askedBy", askers)
	return nil
}

// askOf adds a person who spoke to an agent to the askers of its work.
func (s signing) askOf(agent nestor.Path) error {
	d, err := store.FindDocument(s.Tx, agent)
	if err != nil || d == nil {
		return err
	}
	a, err := nestor.As[nestor.SubAgent](d)
	if err != nil {
		return err
	}
	askers := a.AskedBy.Or(agent.UserID())
	if now := askers.With(s.askers()...); !slices.Equal(askers, now) {
		_, err = s.Tx.Patch(agent, map[string]any{"askedBy": now}, store.AnyVersion)
	}
	return err
}

func set(fields map[string]json.RawMessage, name string, value any) {
	fields[name], _ = json.Marshal(value) // ids always encode
}

// text is a JSON text, "" for anything else: the store says what is wrong.
func text(raw json.RawMessage) (s string) {
	_ = json.Unmarshal(raw, &s)
	return s
}

// fieldsOf are the fields of a body, each as it was written.
func fieldsOf(body any) (map[string]json.RawMessage, error) {
	raw, ok := body.(json.RawMessage)
	if !ok {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	var fields map[string]json.RawMessage
	err := json.Unmarshal(raw, &fields)
	if err == nil && fields == nil {
		err = errors.New("the body is null")
	}
	return fields, err
}
