package search

import (
	"maps"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/store"
)

// searchedChats is how many chats of an account are searched: those that
// changed last. A query cannot name more, besides what rules add to it.
const searchedChats = 150

// place is where a search looks: at the chats of a user, or at some chats.
type place struct {
	userID string
	chats  map[nestor.Path]bool
}

// placeOf finds out where a search of a user looks. all reads everything, r what the
// search may read.
func placeOf(all store.Reader, r *asking, userID string) (place, error) {
	if r.chat == "" {
		return place{userID: userID}, nil
	}
	chat, err := store.Find[nestor.Chat](all, r.chat)
	if err != nil {
		return place{}, err
	}
	if chat == nil {
		return place{}, nil // it was deleted: nobody is told anything any more
	}
	personal, err := account.IsPersonal(all, chat.AccountID)
	if err != nil {
		return place{}, err
	}
	if personal {
		return place{userID: userID}, nil
	}
	page, err := r.Query(store.Query{
		Flat: store.Chats.Name, Where: store.Where("accountId", store.Eq, chat.AccountID),
		OrderBy: []store.Order{{Field: "updatedAt", Desc: true}}, Limit: searchedChats,
	})
	if err != nil {
		return place{}, err
	}
	p := place{chats: map[nestor.Path]bool{}}
	for _, d := range page.Items {
		p.chats[d.Path] = true
	}
	return p, nil
}

func (p place) isNowhere() bool { return p.userID == "" && len(p.chats) == 0 }

// filter has the database leave out most of what lies elsewhere. It may find
// chats of other users with the same id: holds tells them apart.
func (p place) filter(flat string) *store.Filter {
	if p.userID != "" {
		return store.Where("userId", store.Eq, p.userID)
	}
	field := "chatId"
	if flat == store.Chats.Name {
		field = "id"
	}
	ids := map[string]bool{}
	for chat := range p.chats {
		ids[chat.ID()] = true
	}
	return store.Where(field, store.In, slices.Sorted(maps.Keys(ids)))
}

// holds reports whether a chat, or the chat that a document lies in, is searched.
func (p place) holds(d nestor.Path) bool {
	if p.userID != "" {
		return d.UserID() == p.userID
	}
	return p.chats[d] || p.chats[d.Parent()]
}
