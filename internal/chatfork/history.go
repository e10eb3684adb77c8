package chatfork

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

var (
	// ChatForks are notes below a chat about the chats that share its messages.
	ChatForks = store.NewCollection[nestor.ChatFork]("chat_forks", store.Chats, "users/{userId}/orch-chats/{chatId}/forks/{id}")
	// KeptMessages are what a fork shared with a chat that is gone.
	KeptMessages = store.NewCollection[nestor.KeptMessage]("kept_messages", store.Chats, "users/{userId}/orch-chats/{chatId}/kept-messages/{id}")
)

// keptOverhead is how much larger than its message a kept message may be.
const keptOverhead = 1 << 10

// Collections are both, which the server alone writes.
var Collections = func() []*store.Collection {
	ChatForks.ServerWrites, ChatForks.ServerDeletes, ChatForks.BeforeDelete = true, true, keepForForks
	KeptMessages.ServerWrites, KeptMessages.ServerDeletes = true, true
	KeptMessages.Overhead = keptOverhead
	return []*store.Collection{ChatForks, KeptMessages}
}()

// Stretch is a part of the messages that a fork shares: those of one chat up to one
// of them.
type Stretch struct {
	// Collection is the collection path of the messages.
	Collection string
	// Kept: they are [KeptMessages].
	Kept bool

	at, seq int64 // the last one was created at
}

// MaxAbove is how many chats a fork goes on from, one from the other.
const MaxAbove = 1000

// Shared are the messages that a chat shares with those it comes from, newest stretch
// first. A chat that comes from itself, which no server writes, shares nothing beyond the
// circle.
func Shared(r store.Reader, chat *nestor.Chat) ([]Stretch, error) {
	var all []Stretch
	at := nestor.Path("users/"+chat.UserID).Child("orch-chats", chat.ID)
	met := map[nestor.Path]bool{at: true}
	for from := chat.ForkedFrom; from != nil; {
		switch {
		case from.MessageID == "": // from before the first message, also of what that chat shares
			return all, nil
		case met[from.Chat()] && !from.Kept:
			return all, nil
		case len(all) == MaxAbove:
			return nil, nestor.Errorf(nestor.CodeTooLarge, "the chat %s goes on from more than %d others: copy what it shares into a new chat", chat.ID, MaxAbove)
		}
		met[from.Chat()] = true
		if from.Kept && from.KeptIn == "" {
			return append(all, Stretch{keptIn(at), true, math.MaxInt64, math.MaxInt64}), nil
		}
		if from.Kept {
			s, err := through(r, Stretch{Collection: keptIn(from.Source(at.UserID())), Kept: true, at: from.SaidAt}, from.KeptID)
			return append(all, s), err
		}
		above, err := store.Find[nestor.Chat](r, from.Chat())
		if err != nil || above == nil {
			return all, err
		}
		at = from.Chat()
		if from.KeptID != "" {
			s, err := through(r, Stretch{Collection: keptIn(at), Kept: true, at: from.SaidAt}, from.KeptID)
			return append(all, s), err
		}
		s, err := through(r, Stretch{Collection: string(at) + "/messages", at: from.SaidAt}, from.MessageID)
		if err != nil {
			return nil, err
		}
		all, from = append(all, s), above.ForkedFrom
	}
	return all, nil
}

func keptIn(chat nestor.Path) string { return string(chat) + "/kept-messages" }

// through ends a stretch at a document. If that is gone, the time ends it.
func through(r store.Reader, s Stretch, id string) (Stretch, error) {
	s.seq = math.MaxInt64
	last, err := store.FindDocument(r, nestor.Path(s.Collection+"/"+id))
	if last != nil {
		s.at, s.seq = last.CreatedAt, last.CreatedSeq
	}
	return s, err
}

// Chat is the chat that the messages lie in.
func (s Stretch) Chat() nestor.Path {
	return nestor.Path(s.Collection[:strings.LastIndexByte(s.Collection, '/')])
}

// Has reports whether a document of the collection, or one that was created along
// with one, is in the stretch.
func (s Stretch) Has(d *nestor.Document) bool {
	return d.CreatedAt < s.at || d.CreatedAt == s.at && d.CreatedSeq <= s.seq
}

// Read reads a page of a stretch, with the limit, cursor and order of q. It may be
// short and still have a next one.
func (s Stretch) Read(r store.Reader, q store.Query) (store.Page, error) {
	q.Collection = s.Collection
	if s.at < math.MaxInt64 {
		q.Where = store.Where("createdAt", store.Le, s.at)
	}
	page, err := r.Query(q)
	if err != nil {
		return store.Page{}, err
	}
	page.Items = slices.DeleteFunc(page.Items, func(d *nestor.Document) bool { return !s.Has(d) })
	for i, d := range page.Items {
		if s.Kept {
			if page.Items[i], err = asSaid(d); err != nil {
				return store.Page{}, err
			}
		}
	}
	return page, nil
}

// asSaid is a kept message as it was where it was said.
func asSaid(d *nestor.Document) (*nestor.Document, error) {
	k, err := nestor.As[nestor.KeptMessage](d)
	if err != nil {
		return nil, err
	}
	body, err := store.Object(d.Data)
	if err != nil {
		return nil, err
	}
	for _, f := range keptFields {
		delete(body, f)
	}
	row, err := store.Encode(body)
	if err != nil {
		return nil, err
	}
	return &nestor.Document{
		Path: k.From(), Version: d.Version, Seq: d.Seq, CreatedSeq: k.SaidSeq, CreatedAt: k.SaidAt, UpdatedAt: k.SaidAt,
		Data: store.Messages.Data(k.From(), row),
	}, nil
}

// keptFields are what a kept message has beside those of the message.
var keptFields = []string{"userId", "chatId", "fromUserId", "fromChatId", "messageId", "saidAt", "saidSeq"}

// EachShared calls fn with the messages that a chat shares, oldest first.
func EachShared(r store.Reader, chat *nestor.Chat, fn func(*nestor.Document) error) error {
	stretches, err := Shared(r, chat)
	if err != nil {
		return err
	}
	for _, s := range slices.Backward(stretches) {
		for q := (store.Query{Limit: store.MaxLimit, MaxBytes: store.MaxPageBytes}); ; {
			page, err := s.Read(r, q)
			if err != nil {
				return err
			}
			for _, d := range page.Items {
				if err := fn(d); err != nil {
					return err
				}
			}
			if q.Cursor = page.Next; q.Cursor == "" {
				break
			}
		}
	}
	return nil
}

// PointIn finds a message among those of a chat, its own first, and says where a fork
// at it begins. Without an id that is the last message. If there is no such message
// the error is of [nestor.CodeNotFound].
func PointIn(r store.Reader, chat *nestor.Chat, messageID string) (nestor.ForkPoint, error) {
	stretches, err := said(r, chat)
	if err != nil {
		return nestor.ForkPoint{}, err
	}
	i, stored, err := find(r, stretches, messageID)
	if err != nil {
		return nestor.ForkPoint{}, err
	}
	return pointAt(stretches[i], stored)
}

// Find is a message among those of a chat, its own and those that it shares; nil if there
// is none of this id.
func Find(r store.Reader, chat *nestor.Chat, messageID string) (*nestor.Document, error) {
	stretches, err := said(r, chat)
	if err != nil {
		return nil, err
	}
	i, stored, err := find(r, stretches, messageID)
	switch {
	case errors.Is(err, nestor.ErrNotFound):
		return nil, nil
	case err == nil && stretches[i].Kept:
		return asSaid(stored)
	}
	return stored, err
}

// PointBefore says where a fork begins that says something in the place of a message of
// a chat: after the one before it, or, if it is the first, with nothing.
func PointBefore(r store.Reader, chat *nestor.Chat, messageID string) (nestor.ForkPoint, error) {
	stretches, err := said(r, chat)
	if err != nil {
		return nestor.ForkPoint{}, err
	}
	i, stored, err := find(r, stretches, messageID)
	if err != nil {
		return nestor.ForkPoint{}, err
	}
	replaced := stored
	if stretches[i].Kept {
		if replaced, err = asSaid(stored); err != nil {
			return nestor.ForkPoint{}, err
		}
	}
	before := stretches[i:]
	before[0].at, before[0].seq = stored.CreatedAt, stored.CreatedSeq-1
	p := nestor.ForkPoint{UserID: chat.UserID, ChatID: chat.ID}
	j, last, err := find(r, before, "")
	switch {
	case err == nil:
		p, err = pointAt(before[j], last)
	case errors.Is(err, nestor.ErrNotFound):
		err = nil
	}
	p.InsteadIn, p.InsteadOf = replaced.Path.Parent().ID(), replaced.Path.ID()
	// A fork that says something in the place of a message begins with that. What is
	// said in the place of it is one more way to say the first one.
	if from := chat.ForkedFrom; i == 0 && (last == nil || j > 0) && from != nil && from.InsteadOf != "" {
		p.InsteadIn, p.InsteadOf = from.InsteadIn, from.InsteadOf
	}
	return p, err
}

// said are the messages of a chat, newest stretch first: its own, and what it shares.
func said(r store.Reader, chat *nestor.Chat) ([]Stretch, error) {
	shared, err := Shared(r, chat)
	own := nestor.Path("users/"+chat.UserID).Child("orch-chats", chat.ID)
	return slices.Insert(shared, 0, Stretch{string(own) + "/messages", false, math.MaxInt64, math.MaxInt64}), err
}

// find looks for a message, or the last one, in stretches, and says in which one it is.
func find(r store.Reader, stretches []Stretch, messageID string) (int, *nestor.Document, error) {
	for i, s := range stretches {
		if stored, err := s.find(r, messageID); err != nil || stored != nil {
			return i, stored, err
		}
	}
	if messageID == "" {
		return 0, nil, nestor.Errorf(nestor.CodeNotFound, "nothing was said in the chat yet")
	}
	return 0, nil, nestor.Errorf(nestor.CodeNotFound, "there is no message %s in the chat", messageID)
}

// pointAt is where a fork begins whose last shared message is this document of a stretch.
func pointAt(s Stretch, stored *nestor.Document) (nestor.ForkPoint, error) {
	in := stored.Path.Parent()
	p := nestor.ForkPoint{UserID: in.UserID(), ChatID: in.ID(), MessageID: stored.Path.ID(), SaidAt: stored.CreatedAt}
	if !s.Kept {
		return p, nil
	}
	k, err := nestor.As[nestor.KeptMessage](stored)
	p.KeptID, p.MessageID, p.SaidAt = stored.Path.ID(), k.MessageID, k.SaidAt
	return p, err
}

// lastOnes is how many documents are read at a time to find the last one of a stretch,
// which is mostly the first of them.
const lastOnes = 5

// find is the stored document of a message, or of the last one; nil if the stretch
// does not have it.
func (s Stretch) find(r store.Reader, messageID string) (*nestor.Document, error) {
	if messageID != "" && !s.Kept {
		if err := nestor.CheckID(messageID); err != nil {
			return nil, err
		}
		d, err := store.FindDocument(r, nestor.Path(s.Collection+"/"+messageID))
		if d != nil && !s.Has(d) {
			d = nil
		}
		return d, err
	}
	q := store.Query{
		Collection: s.Collection, OrderBy: []store.Order{{Field: "createdAt", Desc: true}}, Where: store.Where("createdAt", store.Le, s.at), MaxBytes: store.MaxPageBytes,
	}
	if messageID == "" {
		q.Limit = lastOnes
	}
	if messageID != "" {
		q.Where = &store.Filter{And: []store.Filter{*q.Where, *store.Where("messageId", store.Eq, messageID)}}
	}
	for {
		page, err := r.Query(q)
		if err != nil {
			return nil, err
		}
		for _, d := range page.Items {
			if s.Has(d) {
				return d, nil
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return nil, nil
		}
	}
}

// NotePath is where a chat has the note about a fork.
func NotePath(chat, fork nestor.Path) nestor.Path {
	return chat.Child("forks", nestor.DeriveID("fork", string(fork)))
}
