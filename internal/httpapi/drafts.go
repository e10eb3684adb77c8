package httpapi

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/account/sharing"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/httpapi/web"
	"github.com/nestorhq/nestor/internal/store"
)

const draftsPath = "/api/v1/drafts/"

// postDraft shows those who follow a chat what a program is saying in it, before
// the program writes the message.
func (s *server) postDraft(r *http.Request) (response, error) {
	if s.drafts == nil {
		return response{}, nestor.Errorf(nestor.CodeUnavailable, "this server has no events")
	}
	p, err := documentPath(r)
	if err != nil {
		return response{}, err
	}
	if !store.Messages.Has(p) && !store.SubAgentMessages.Has(p) {
		return response{}, nestor.Errorf(nestor.CodeInvalid, "a draft is of a message in a chat or of an agent, not of %s", p)
	}
	var said feed.Words
	if err := web.Read(r, &said); err != nil {
		return response{}, err
	}
	d, err := s.draftOf(r, p)
	if err != nil {
		return response{}, err
	}
	began, err := s.drafts.Say(d, callerOf(r).UserID, said)
	if err != nil || !began {
		return response{}, err
	}
	// The feed ends a draft when its document is written after the draft has
	// begun. This document may have been written just before.
	if _, err := s.draftOf(r, p); err != nil {
		s.drafts.Drop(p)
		return response{}, err
	}
	return response{}, nil
}

// draftOf describes a draft of the message at p, if the caller may write the
// message and nobody has. Its text is not known yet: rules decide about an
// empty answer.
func (s *server) draftOf(r *http.Request, p nestor.Path) (d feed.Draft, err error) {
	err = s.Store.View(r.Context(), func(all store.Reader) error {
		d = feed.Draft{Path: p}
		readable := s.Rules.Reader(all, callerOf(r))
		parent, err := readable.Get(p.Parent())
		if err != nil {
			return err
		}
		if store.SubAgentMessages.Has(p) {
			agent, err := nestor.As[nestor.SubAgent](parent)
			if err != nil {
				return err
			}
			d.SubAgentID, d.TaskID = agent.ID, agent.TaskID
		}
		answer := &nestor.Document{Path: p, Data: json.RawMessage(`{"role":"assistant","content":""}`)}
		if err := s.Rules.On(all, callerOf(r)).May(rules.Create, p, nil, answer); err != nil {
			return err
		}
		if err := sharing.MayCreate(all, s.Rules, callerOf(r), answer); err != nil {
			return err
		}
		_, err = readable.Get(p)
		if err == nil {
			return nestor.Errorf(nestor.CodeExists, "the message %s is written already", p)
		}
		if errors.Is(err, nestor.ErrNotFound) {
			return nil
		}
		return err
	})
	return d, err
}
