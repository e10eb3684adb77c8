package bench

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/search"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// BenchmarkSearch looks for words in 100,000 messages of 500 characters, in 1,000 chats of one user. A request looks
// at 20,000 of them at most: requests/op is how many it took until 20 were found, or until there were no more.
func BenchmarkSearch(b *testing.B) {
	for name, open := range map[string]engines.Database{"sqlite": engines.SQLite(b), "postgres": engines.Postgres(b)} {
		b.Run(name, func(b *testing.B) {
			s := open(b, store.Options{})
			saidMuch(b, s)
			for _, c := range []struct{ name, words string }{
				{"in all", "lorem"},
				{"in one of the newest", "number99990"},
				{"in one of the oldest", "number7x"},
				{"nowhere", "nowhere"},
				{"nowhere, in another script", "нигде"},
				{"three words, nowhere", "lorem ipsum nowhere"},
			} {
				b.Run(c.name, func(b *testing.B) {
					words, err := store.Words(c.words)
					if err != nil {
						b.Fatal(err)
					}
					requests, n := 0, 0
					for b.Loop() {
						n++
						ask := search.Ask{Words: words, Me: "ada", Limit: 20}
						for found := 0; found < ask.Limit; {
							var finds search.Finds
							err := s.View(b.Context(), func(r store.Reader) (err error) {
								finds, err = search.Look(s.Catalogue(), r, ask)
								return err
							})
							if err != nil {
								b.Fatal(err)
							}
							requests++
							found += len(finds.Items)
							if ask.Before = finds.Reached; ask.Before == nil {
								break
							}
						}
					}
					b.ReportMetric(float64(requests)/float64(n), "requests/op")
				})
			}
		})
	}
}

// saidMuch fills a database. The messages of the chats are interleaved, as they are when people come back to chats.
func saidMuch(b *testing.B, s store.Store) {
	b.Helper()
	const chats, messages, together = 1_000, 100_000, 500
	text := strings.Repeat("Lorem ipsum dolor sit amet, Größe und Maß. ", 11)
	chat := func(i int) nestor.Path {
		return nestor.Path("users/ada").Child("orch-chats", "c"+strconv.Itoa(i%chats))
	}
	for from := -chats; from < messages; from += together {
		err := s.Update(b.Context(), func(tx store.Tx) error {
			for i := from; i < from+together; i++ {
				p, body := chat(i+chats), any(nestor.Chat{Title: "A chat"})
				if i >= 0 {
					p = chat(i).Child("messages", "m"+strconv.Itoa(i))
					body = nestor.Message{Role: nestor.RoleUser, Type: nestor.MessageText, Content: fmt.Sprintf("%s number%dx", text, i)}
				}
				if _, err := tx.Create(p, body); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
