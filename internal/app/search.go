package app

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access/rules"
	"github.com/nestorhq/nestor/internal/account"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/tool/builtin"
)

// searcher is what search_documents searches: the titles of chats, the texts of
// their messages and the results of their tasks, newest first. It looks for
// documents that hold every word of the query, in any case, and reads no more
// than searchDepth documents of a kind, so that the cost of a search does not
// grow with the store.
//
// Where it looks depends on who reads what it finds. In a chat that is shared
// that is everybody in its account: so it looks at the chats of that account,
// whoever's they are, and nowhere else. In all others it looks at the chats of
// the chat's own user. Of these it finds what all of those may read by the rules
// on whose behalf it searches.
type searcher struct {
	documents store.Documents
	rules     *rules.Engine
}

const (
	searchDepth = 2 * store.MaxLimit
	// searchedChats is how many chats of an account are searched, those that
	// changed last. A query can name no more, besides what rules add to it.
	searchedChats = 150
	// around is how much of a text a hit shows before and after the match.
	around = 120
)

// searched says where each kind of document keeps its title and its text.
var searched = []struct {
	flat, title string
	text        []string
}{
	{store.Chats.Name, "title", []string{"title"}},
	{store.Messages.Name, "", []string{"content"}},
	{store.Tasks.Name, "name", []string{"instruction", "result"}},
}

// Search implements [builtin.Searcher].
func (s searcher) Search(ctx context.Context, scope tool.Scope, query string, limit int) ([]builtin.Hit, error) {
	words := strings.Fields(strings.ToLower(query))
	var hits []builtin.Hit
	err := s.documents.View(ctx, func(all store.Reader) error {
		hits = nil
		r, err := askingFor(s.rules, all, scope)
		if err != nil {
			return err
		}
		where, err := placeOf(all, r, scope)
		if err != nil {
			return err
		}
		for _, kind := range searched {
			q := store.Query{
				Flat: kind.flat, Where: where.filter(kind.flat),
				OrderBy: []store.Order{{Field: "createdAt", Desc: true}}, Limit: store.MaxLimit,
			}
			for read := 0; read < searchDepth && !where.isNowhere(); read += store.MaxLimit {
				page, err := r.Query(q)
				if err != nil {
					return err
				}
				for _, d := range page.Items {
					if !where.holds(d.Path) {
						continue
					}
					if hit, ok := match(d, kind.title, kind.text, words); ok {
						if hits = append(hits, hit); len(hits) == limit {
							return nil
						}
					}
				}
				if q.Cursor = page.Next; q.Cursor == "" {
					break
				}
			}
		}
		return nil
	})
	return hits, err
}

// place is where a search looks: at the chats of a user, or at some chats.
type place struct {
	userID string
	chats  map[nestor.Path]bool
}

// placeOf finds out where a search of a scope looks. all reads everything, r what
// the search may.
func placeOf(all, r store.Reader, scope tool.Scope) (place, error) {
	if scope.ChatID == "" {
		return place{userID: scope.UserID}, nil
	}
	chat, err := store.Find[nestor.Chat](all, nestor.Path("users/"+scope.UserID).Child("orch-chats", scope.ChatID))
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
		return place{userID: scope.UserID}, nil
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

// filter has the database leave out most of what lies elsewhere. Chats of two
// users can have the same id: holds tells them apart.
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

// match looks for every word in the text of a document.
func match(d *nestor.Document, title string, fields, words []string) (builtin.Hit, bool) {
	body, err := nestor.As[map[string]any](d)
	if err != nil {
		return builtin.Hit{}, false
	}
	var parts []string
	for _, f := range fields {
		if text, _ := body[f].(string); text != "" {
			parts = append(parts, text)
		}
	}
	text := strings.Join(parts, "\n")
	lower := strings.ToLower(text)
	for _, w := range words {
		if !strings.Contains(lower, w) {
			return builtin.Hit{}, false
		}
	}
	name, _ := body[title].(string)
	role, _ := body["role"].(string)
	hit := builtin.Hit{Path: string(d.Path), Title: cmp.Or(name, role, "untitled")}
	hit.Snippet = passage(text, strings.Index(lower, words[0]))
	return hit, true
}

// passage is the text around an offset. Lower case may have moved the offset a
// little, which only shifts the passage.
func passage(text string, at int) string {
	from, to := max(0, at-around), min(len(text), at+around)
	from = min(from, to)
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	return text[from:to]
}
