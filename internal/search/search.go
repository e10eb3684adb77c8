package search

import (
	"context"
	"strings"

	"github.com/nestorhq/nestor/internal/chatfork"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool"
	"github.com/nestorhq/nestor/internal/tool/builtin"
)

// searchDepth is how many documents of a kind are read.
const searchDepth = 2 * store.MaxLimit

// searched says where each kind of document keeps its title and its text.
var searched = []struct {
	flat, title string
	text        []string
}{
	{store.Chats.Name, "title", []string{"title"}},
	{store.Messages.Name, "", []string{"content"}},
	{chatfork.KeptMessages.Name, "", []string{"content"}},
	{store.Tasks.Name, "name", []string{"instruction", "result"}},
}

// Search looks through the titles of chats, the texts of their messages and the
// results of their tasks, newest first, for documents that hold every word of
// the query, in any case. It reads no more than searchDepth documents of a
// kind, so that the cost of a search does not grow with the store.
//
// Where it looks depends on who will read what it finds. In a shared chat that
// is everybody in its account: so it looks at the chats of that account,
// whoever's they are, and nowhere else. In any other chat it looks at the chats
// of the chat's own user. There it finds what all askers may read by the rules.
//
// Search implements [builtin.Searcher].
func (s *Reader) Search(ctx context.Context, scope tool.Scope, query string, limit int) ([]builtin.Hit, error) {
	words := strings.Fields(strings.ToLower(query))
	var hits []builtin.Hit
	err := s.documents.View(ctx, func(all store.Reader) error {
		hits = nil
		r, err := askingFor(s.rules, all, scope)
		if err != nil {
			return err
		}
		where, err := placeOf(all, r, scope.UserID)
		if err != nil {
			return err
		}
		for _, kind := range searched {
			if _, ok := s.documents.Catalogue().Flat(kind.flat); !ok {
				continue
			}
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
