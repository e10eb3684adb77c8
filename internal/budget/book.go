package budget

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Book is a part of what a user used on a day, at
// users/{userId}/usage/{yyyy-mm-dd}.{share}. What was used is spread over shares,
// because work that goes on at once would wait for a single document.
//
// A book also tells for whom and where, an entry for each role, model and chat. Once it
// has as many as [maxEntries], it is put away as it is, at …/{yyyy-mm-dd}.{share}.{n},
// and a new one is begun in its place. So a write never grows with what was used before,
// nothing is left out, and the sum of all books is what was used.
type Book struct {
	Day
	// Entries add up to the totals. Books of before there were entries, and days of
	// before there were shares, have more in their totals than in their entries.
	Entries []Entry `json:"entries,omitempty"`
	// Before counts the full books of the share that were put away.
	Before int `json:"before,omitempty"`
}

// Entry is what calls of one model used for one role in one chat.
type Entry struct {
	Model string `json:"model"`
	Role  string `json:"role,omitempty"`
	// Chat is the id of the user's chat, or the path of another user's.
	Chat string `json:"chat,omitempty"`
	Totals
}

const (
	// usageShares is over how many shares the usage of a user's day is spread.
	usageShares = 128
	// maxEntries is how many entries a book has: it is written whole with every charge.
	maxEntries = 8
)

// Record adds what a user used to the day of at, in one write. Work that gives the
// same key adds to the same share of the day, and waits for its other work: give a
// chat's path for what is done in the chat.
func Record(tx store.Tx, at time.Time, userID, key string, used ...Used) error {
	if len(used) == 0 {
		return nil
	}
	p := nestor.Path(fmt.Sprintf("%s/%s.%02d", usageOf(userID), at.UTC().Format(time.DateOnly), shareOf(key, usageShares)))
	book, err := hold[Book](tx, p)
	if err != nil {
		return err
	}
	if len(book.Entries)+len(used) > maxEntries && len(book.Entries) > 0 {
		// Nobody else puts this one away: the share is held.
		if _, err := tx.Create(fullBook(p, book.Before), book); err != nil {
			return err
		}
		book = Book{Before: book.Before + 1}
	}
	for _, u := range used {
		book.enter(userID, u)
	}
	_, err = tx.Put(p, book, store.AnyVersion)
	return err
}

// fullBook is where the nth full book of a share is put away.
func fullBook(share nestor.Path, n int) nestor.Path {
	return nestor.Path(fmt.Sprintf("%s.%d", share, n))
}

// IsShare reports whether a document is the book of a share to which is added, in contrast
// to a full one.
func IsShare(p nestor.Path) bool {
	return p.UserID() != "" && p.Collection() == usageOf(p.UserID()) && strings.Count(p.ID(), ".") < 2
}

// enter adds what was used to the totals and to its entry.
func (b *Book) enter(userID string, u Used) {
	t := Totals{Usage: u.Usage, CostMicros: u.CostMicros, Calls: u.Calls}
	b.add(u.Model, t)
	of := Entry{Model: u.Model, Role: u.Role, Chat: string(u.Chat)}
	if u.Chat != "" && u.Chat.UserID() == userID {
		of.Chat = u.Chat.ID()
	}
	// In a fixed order, so that the same use makes the same book, whoever used it first.
	i, found := slices.BinarySearchFunc(b.Entries, of, Entry.compare)
	if !found {
		b.Entries = slices.Insert(b.Entries, i, of)
	}
	b.Entries[i].Totals = b.Entries[i].plus(t)
}

func (e Entry) compare(o Entry) int {
	return cmp.Or(cmp.Compare(e.Model, o.Model), cmp.Compare(e.Role, o.Role), cmp.Compare(e.Chat, o.Chat))
}

// day is the day that the book is of.
func (b *Book) day() string { return b.ID[:len(time.DateOnly)] }

// eachBook calls fn with the books of a user from one day to another, both included, in
// the order of days. Days are written yyyy-mm-dd.
func eachBook(r store.Reader, userID, from, to string, fn func(*Book)) error {
	for _, day := range []string{from, to} {
		if _, err := time.Parse(time.DateOnly, day); err != nil {
			return nestor.Errorf(nestor.CodeInvalid, "%q is not a day such as 2006-01-02", day)
		}
	}
	q := store.Query{
		Collection: usageOf(userID),
		Where:      &store.Filter{And: []store.Filter{*store.Where("id", store.Ge, from), *store.Where("id", store.Lt, to+"/")}},
		OrderBy:    []store.Order{{Field: "id"}},
		Limit:      store.MaxLimit,
	}
	for {
		page, err := r.Query(q)
		if err != nil {
			return err
		}
		for _, d := range page.Items {
			book, err := nestor.As[Book](d)
			if err != nil {
				return err
			}
			fn(&book)
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return nil
		}
	}
}

func usageOf(userID string) string { return "users/" + userID + "/usage" }
