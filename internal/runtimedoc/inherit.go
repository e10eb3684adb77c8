package runtimedoc

import (
	"encoding/json"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Inherit returns tx as a transaction in which new agents and calls have from what they
// belong to what nobody says about them: an agent from its task, a call from its agent.
func Inherit(tx store.Tx) store.Tx { return inheriting{tx} }

type inheriting struct{ store.Tx }

// Create implements [store.Tx].
func (i inheriting) Create(p nestor.Path, body any) (*nestor.Document, error) {
	body, err := i.inherit(p, body)
	if err != nil {
		return nil, err
	}
	return i.Tx.Create(p, body)
}

// Put implements [store.Tx].
func (i inheriting) Put(p nestor.Path, body any, version int64) (*nestor.Document, error) {
	if !store.SubAgents.Has(p) && !store.SubAgentToolCalls.Has(p) {
		return i.Tx.Put(p, body, version)
	}
	before, err := store.FindDocument(i.Tx, p)
	if err == nil && before == nil {
		body, err = i.inherit(p, body)
	}
	if err != nil {
		return nil, err
	}
	return i.Tx.Put(p, body, version)
}

// fromTask are the fields of a new agent by those of its task, fromAgent those of a new
// call by its agent's, and fromChat those of a new agent by the chat's.
var (
	fromTask  = map[string]string{"askedBy": "askedBy", "parentId": "parentAgentId", "depth": "depth"}
	fromAgent = map[string]string{"askedBy": "askedBy"}
	fromChat  = map[string]string{"modelConnectionId": "modelConnectionId", "clientTools": "clientTools"}
)

func (i inheriting) inherit(p nestor.Path, body any) (any, error) {
	agent := store.SubAgents.Has(p)
	if !agent && !store.SubAgentToolCalls.Has(p) {
		return body, nil
	}
	fields, err := fieldsOf(body)
	if err != nil {
		return body, nil // the store says what is wrong
	}
	if !agent {
		return fields, i.copy(fields, p.Parent(), fromAgent)
	}
	var task string
	if json.Unmarshal(fields["taskId"], &task) != nil || nestor.CheckID(task) != nil {
		return body, nil // the door refuses it
	}
	if err := i.copy(fields, p.Parent().Child("tasks", task), fromTask); err != nil {
		return nil, err
	}
	return fields, i.copy(fields, p.Parent(), fromChat)
}

// copy sets fields to those of the document at from.
func (i inheriting) copy(fields map[string]json.RawMessage, from nestor.Path, names map[string]string) error {
	d, err := store.FindDocument(i.Tx, from)
	if err != nil || d == nil {
		return err
	}
	has, err := fieldsOf(d.Data)
	if err != nil {
		return err
	}
	for name, of := range names {
		if value, ok := has[of]; ok {
			fields[name] = value
		}
	}
	return nil
}

// fieldsOf are the fields of a body, each as it was written.
func fieldsOf(body any) (fields map[string]json.RawMessage, err error) {
	text, ok := body.(json.RawMessage)
	if !ok {
		if text, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	if err = json.Unmarshal(text, &fields); err == nil && fields == nil {
		err = nestor.Errorf(nestor.CodeInvalid, "the body is null")
	}
	return fields, err
}
