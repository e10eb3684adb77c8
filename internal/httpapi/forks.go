package httpapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/chatfork"
	"github.com/nestorhq/nestor/internal/httpapi/web"
	"github.com/nestorhq/nestor/internal/store"
)

// newFork says where a chat is forked.
type newFork struct {
	ID string `json:"id,omitempty"`
	// At is the last message that is shared. Defaults to the last one of the chat.
	At string `json:"at,omitempty"`
	// Before is the first message that is not shared: the fork is to say something in its
	// place. It excludes At.
	Before string `json:"before,omitempty"`
	Title  string `json:"title,omitempty"`
}

// point is where the fork begins.
func (f *newFork) point(r store.Reader, chat *nestor.Chat) (nestor.ForkPoint, error) {
	if f.Before != "" {
		return chatfork.PointBefore(r, chat, f.Before)
	}
	return chatfork.PointIn(r, chat, f.At)
}

// forkChat makes a chat of the caller's that goes on from another one. It copies no
// message: the fork says which it shares, and the other chat has a note about it.
//
// The fork belongs to the account and project of the other chat, so that nobody reads
// what both share who could not read it there. Who may only read there is refused. A fork of
// one's own chat in an account that one has left, where nothing can be done any more, is in
// one's personal account.
func (s *server) forkChat(r *http.Request) (response, error) {
	p, err := chatPath(r)
	if err != nil {
		return response{}, err
	}
	var req newFork
	if err := web.ReadOptional(r, &req); err != nil {
		return response{}, err
	}
	if req.At != "" && req.Before != "" {
		return response{}, nestor.Errorf(nestor.CodeInvalid, "at is the last message that is shared and before the first one that is not: say one of them").With("field", "before")
	}
	at := "users/" + callerOf(r).UserID + "/orch-chats"
	id, _, err := newID(r, at+"/"+string(p), req.ID)
	if err != nil {
		return response{}, err
	}
	fork, err := nestor.ParsePath(at + "/" + id)
	if err != nil {
		return response{}, err
	}
	d, status, err := s.fork(r, p, fork, req)
	if errors.Is(err, nestor.ErrNotFound) {
		// A chat that this one shares messages with may have been deleted meanwhile. Then
		// this one keeps them, and the second time finds them here.
		d, status, err = s.fork(r, p, fork, req)
	}
	if err != nil {
		return response{}, err
	}
	res := document(d)
	res.status = status
	return res, nil
}

// ForkChat makes a chat of the caller's that goes on from a message of another one, as
// POST /chats/{chat}/fork does. A fork with this id that goes on from there is returned
// as it is.
func (r *Request) ForkChat(chat nestor.Path, id, at string) (nestor.Path, error) {
	fork, err := nestor.ParsePath("users/" + r.UserID() + "/orch-chats/" + id)
	if err != nil {
		return "", err
	}
	_, _, err = r.server.fork(r.Request, chat, fork, newFork{ID: id, At: at})
	return fork, err
}

// ForkBefore makes a chat of the caller's in which something is said in the place of a
// message of another chat. A fork with this id that begins there is returned as it is.
func (r *Request) ForkBefore(chat nestor.Path, id, before string) (nestor.Path, error) {
	fork, err := nestor.ParsePath("users/" + r.UserID() + "/orch-chats/" + id)
	if err != nil {
		return "", err
	}
	_, _, err = r.server.fork(r.Request, chat, fork, newFork{ID: id, Before: before})
	return fork, err
}

func (s *server) fork(r *http.Request, p, fork nestor.Path, req newFork) (d *nestor.Document, status int, err error) {
	err = s.Store.Update(asked(r), func(tx store.Tx) error {
		guarded := s.Rules.Guard(tx, callerOf(r))
		forked, err := guarded.Get(p)
		if err != nil {
			return err
		}
		chat, err := nestor.As[nestor.Chat](forked)
		if err != nil {
			return err
		}
		d, err = guarded.Get(fork)
		if err == nil {
			status = http.StatusOK
			return req.made(tx, &chat, d)
		}
		if !errors.Is(err, nestor.ErrNotFound) {
			return err
		}
		status = http.StatusCreated
		from, err := req.point(tx, &chat)
		if err != nil {
			return err
		}
		if err := chatfork.Room(tx, from.Chat()); err != nil {
			return err
		}
		from.Title = chat.Title
		body, err := s.forkBody(tx, r, forked, fork, &chat)
		if err != nil {
			return err
		}
		body["forkedFrom"] = from
		switch {
		case req.Title != "":
			body["title"] = req.Title
		case chat.Title != "" && from.MessageID != "": // a conversation that begins anew gets a title of its own
			body["title"] = chat.Title + " (fork)"
		}
		if d, err = tx.Create(fork, body); err != nil {
			return err
		}
		_, err = tx.Create(chatfork.NotePath(from.Chat(), fork), nestor.ChatFork{ForkUserID: fork.UserID(), ForkChatID: fork.ID()})
		return err
	})
	return d, status, err
}

// made fails unless the chat d was made by an equal request.
func (f *newFork) made(r store.Reader, forked *nestor.Chat, d *nestor.Document) error {
	c, err := nestor.As[nestor.Chat](d)
	if err != nil {
		return err
	}
	same := c.ForkedFrom != nil && (f.At == "" || c.ForkedFrom.MessageID == f.At) && (f.Title == "" || c.Title == f.Title)
	if same && f.Before != "" {
		from, err := f.point(r, forked)
		if err != nil {
			return err
		}
		same = c.ForkedFrom.MessageID == from.MessageID && c.ForkedFrom.InsteadOf == from.InsteadOf
	}
	if !same {
		return nestor.Errorf(nestor.CodeExists, "there is a chat %s already, and it is another one", c.ID)
	}
	return nil
}

// ofOneChat are the fields of a chat that a fork does not take over: what happened in
// the chat, and what is its own.
var ofOneChat = []string{"userId", "title", "titleGenerated", "usage", "costMicros", "unsaidUsage", "unsaidCostMicros", "forkedFrom"}

// forkBody is what a fork takes over from a chat: all that people decided about it. The
// model connection of another user is theirs.
func (s *server) forkBody(tx store.Tx, r *http.Request, forked *nestor.Document, fork nestor.Path, chat *nestor.Chat) (map[string]any, error) {
	var body map[string]any
	if err := json.Unmarshal(forked.Data, &body); err != nil {
		return nil, err
	}
	maps.DeleteFunc(body, func(field string, _ any) bool { return slices.Contains(ofOneChat, field) })
	if forked.Path.UserID() != fork.UserID() {
		delete(body, "modelConnectionId")
	}
	place := s.Place != nil && chat.ProjectID != ""
	if err := account.Pays(tx, chat.AccountID, fork.UserID()); nestor.CodeOf(err) == nestor.CodeForbidden && forked.Path.UserID() == fork.UserID() && s.Place != nil {
		chat.AccountID, chat.ProjectID, place = "", "", true
	}
	asked, err := json.Marshal(nestor.Chat{AccountID: chat.AccountID, ProjectID: chat.ProjectID})
	if err != nil {
		return nil, err
	}
	judge := s.Rules.On(tx, callerOf(r))
	if err := judge.May(rules.Create, fork, nil, &nestor.Document{Path: fork, Data: asked}); err != nil {
		return nil, err
	}
	if place {
		body["accountId"], body["projectId"], err = s.Place.Of(tx, judge, fork, chat.ProjectID)
	}
	return body, err
}

// listMessages lists what was said in a chat, oldest first: what it shares with the
// chat it was forked from, then its own. Who may read the fork may read both.
func (s *server) listMessages(r *http.Request) (response, error) {
	p, err := chatPath(r)
	if err != nil {
		return response{}, err
	}
	values := r.URL.Query()
	q := store.Query{Cursor: values.Get("cursor"), MaxBytes: store.MaxPageBytes}
	if q.Limit, err = limitOf(values.Get("limit")); err != nil {
		return response{}, err
	}
	part := cmp.Or(values.Get("part"), "all")
	if !slices.Contains(messageParts, part) {
		return response{}, nestor.Errorf(nestor.CodeInvalid, "part is one of %s, not %q", strings.Join(messageParts, ", "), part)
	}
	page := store.Page{Items: []*nestor.Document{}}
	err = s.Store.View(r.Context(), func(all store.Reader) error {
		d, err := s.Rules.Reader(all, callerOf(r)).Get(p)
		if err != nil {
			return err
		}
		chat, err := nestor.As[nestor.Chat](d)
		if err != nil {
			return err
		}
		var sources []source
		if part != "own" {
			if sources, err = sharedSources(all, &chat); err != nil {
				return err
			}
		}
		if part != "shared" {
			sources = append(sources, source{"own", func(q store.Query) (store.Page, error) {
				q.Collection = string(p) + "/messages"
				return s.Rules.Reader(all, callerOf(r)).Query(q)
			}})
		}
		page, err = readSources(sources, q)
		return err
	})
	return response{body: page}, err
}

// messageParts are the parts of a chat's messages that can be listed.
var messageParts = []string{"all", "own", "shared"}

// source is where a part of a list is read from.
type source struct {
	name string
	read func(store.Query) (store.Page, error)
}

// sharedSources are the messages that a chat shares, oldest first.
func sharedSources(all store.Reader, chat *nestor.Chat) (list []source, err error) {
	stretches, err := chatfork.Shared(all, chat)
	for _, s := range slices.Backward(stretches) {
		list = append(list, source{s.Collection, func(q store.Query) (store.Page, error) { return s.Read(all, q) }})
	}
	return list, err
}

// readSources reads a page of a list that comes from several sources, one after the
// other. A cursor names the source that the list goes on in.
func readSources(sources []source, q store.Query) (store.Page, error) {
	list := store.Page{Items: []*nestor.Document{}}
	if q.Limit == 0 {
		q.Limit = 100
	}
	if q.Cursor != "" {
		name, cursor, _ := strings.Cut(q.Cursor, ":")
		from := slices.IndexFunc(sources, func(s source) bool { return s.name == name })
		if from < 0 {
			return list, nestor.Errorf(nestor.CodeInvalid, "the cursor is of another list, or what the chat shares is kept elsewhere by now: begin anew")
		}
		sources, q.Cursor = sources[from:], cursor
	}
	most, bytes := q.Limit, q.MaxBytes
	for _, s := range sources {
		if q.Limit = most - len(list.Items); q.Limit == 0 || q.MaxBytes <= 0 && bytes > 0 {
			list.Next = s.name + ":"
			return list, nil
		}
		page, err := s.read(q)
		if err != nil {
			return list, err
		}
		list.Items = append(list.Items, page.Items...)
		for _, d := range page.Items {
			q.MaxBytes -= len(d.Data)
		}
		if page.Next != "" {
			list.Next = s.name + ":" + page.Next
			return list, nil
		}
		q.Cursor = ""
	}
	return list, nil
}
