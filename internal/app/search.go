package app

import (
	"cmp"
	"context"
	"strings"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/tool/builtin"
)

// searcher is what search_documents searches: the titles of a user's chats, the
// texts of their messages and the results of their tasks, newest first. It
// looks for documents that hold every word of the query, in any case, and reads
// no more than searchDepth documents of a kind, so that the cost of a search
// does not grow with the store.
type searcher struct{ documents store.Documents }

const (
	searchDepth = 2 * store.MaxLimit
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
func (s searcher) Search(ctx context.Context, userID, query string, limit int) ([]builtin.Hit, error) {
	words := strings.Fields(strings.ToLower(query))
	var hits []builtin.Hit
	err := s.documents.View(ctx, func(r store.Reader) error {
		hits = nil
		for _, kind := range searched {
			q := store.Query{
				Flat: kind.flat, Where: store.Where("userId", store.Eq, userID),
				OrderBy: []store.Order{{Field: "createdAt", Desc: true}}, Limit: store.MaxLimit,
			}
			for read := 0; read < searchDepth; read += store.MaxLimit {
				page, err := r.Query(q)
				if err != nil {
					return err
				}
				for _, d := range page.Items {
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
