package version

import (
	"strings"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/records/record"
	"github.com/nestorhq/nestor/internal/store"
)

// Summary is a version without its content.
type Summary struct {
	ID      string `json:"id"`
	FirstID string `json:"firstId"`
	Title   string `json:"title"`
	Number  int64  `json:"number"`
	// Characters is how long the content is, and Excerpt how it begins.
	Characters int            `json:"characters"`
	Excerpt    string         `json:"excerpt"`
	WrittenBy  *record.Author `json:"writtenBy,omitempty"`
	CreatedAt  int64          `json:"createdAt"`
	UpdatedAt  int64          `json:"updatedAt"`
}

// excerptLength is how many characters of a content a summary has.
const excerptLength = 160

// Summarise leaves the content out.
func Summarise(d *nestor.Document) (Summary, error) {
	v, err := nestor.As[record.TextDocument](d)
	begin := strings.ToValidUTF8(v.Content[:min(len(v.Content), 8*excerptLength)], "")
	excerpt := []rune(strings.Join(strings.Fields(begin), " "))
	return Summary{
		ID: v.ID, FirstID: v.FirstID, Title: v.Title, Number: v.Number, Characters: utf8.RuneCountInString(v.Content),
		Excerpt: string(excerpt[:min(len(excerpt), excerptLength)]), WrittenBy: v.WrittenBy, CreatedAt: v.CreatedAt, UpdatedAt: v.UpdatedAt,
	}, err
}

// searched is how many documents one search looks at. Contents are large, so they are
// read in small parts.
const (
	searched   = 2000
	searchPage = 100
)

// Search looks through the last versions in a collection, newest first, for those that
// have every word of a text in their title or content, in any case. It returns at most
// limit, and where to go on: there may be more although fewer are returned.
func Search(r store.Reader, collection, text string, limit int, cursor string) (found []Summary, next string, err error) {
	words := strings.Fields(strings.ToLower(text))
	q := store.Query{
		Collection: collection, Where: store.Where("nextId", store.Eq, nil), Cursor: cursor,
		OrderBy: []store.Order{{Field: "updatedAt", Desc: true}},
	}
	found = []Summary{}
	for looked := 0; ; {
		q.Limit = min(limit-len(found), searchPage)
		page, err := r.Query(q)
		if err != nil {
			return nil, "", err
		}
		for _, d := range page.Items {
			v, err := nestor.As[record.TextDocument](d)
			if err != nil {
				return nil, "", err
			}
			if !hasAll(v.Title+"\n"+v.Content, words) {
				continue
			}
			s, err := Summarise(d)
			if err != nil {
				return nil, "", err
			}
			found = append(found, s)
		}
		// It goes on while at least half a page is missing, so that parts are never tiny.
		if looked += q.Limit; page.Next == "" || 2*len(found) > limit || looked >= searched {
			return found, page.Next, nil
		}
		q.Cursor = page.Next
	}
}

func hasAll(text string, words []string) bool {
	if len(words) == 0 {
		return true
	}
	text = strings.ToLower(text)
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// Latest is the last version of the document that an id names: that of any version, or
// the first one, even if that was deleted. Nil if there is none.
func Latest(r store.Reader, p nestor.Path) (*nestor.Document, error) {
	first := p.ID()
	v, err := store.Find[record.TextDocument](r, p)
	if err != nil {
		return nil, err
	}
	if v != nil {
		first = v.FirstID
	}
	q := History(p.Collection(), first)
	q.OrderBy[0].Desc, q.Limit = true, 1
	page, err := r.Query(q)
	if err != nil || len(page.Items) == 0 {
		return nil, err
	}
	return page.Items[0], nil
}
