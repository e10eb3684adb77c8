package thread_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/records/record"
	"github.com/nestorhq/nestor/internal/domain/records/thread"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }

func options() store.Options {
	catalogue, err := store.NewCatalogue(record.Collections...)
	if err != nil {
		panic(err)
	}
	return store.Options{
		Rules: store.Rules{Catalogue: catalogue}, Modules: []store.Schema{{Module: "records", Collections: record.Collections}},
	}
}

func at(user, id string) nestor.Path { return record.Of(user).Child("message-threads", id) }

func say(text string) record.MessagePartial {
	return record.MessagePartial{Type: record.TextPartial, Payload: record.PartialPayload{Content: &text}}
}

// naive is a thread as a slice of turns, each a sender and what they said.
type naive [][]string

func (n naive) add(sender, text string) naive {
	n = slices.Clone(n)
	if last := len(n) - 1; last >= 0 && n[last][0] == sender {
		n[last] = append(slices.Clone(n[last]), text)
		return n
	}
	return append(n, []string{sender, text})
}

func read(t interface{ Fatal(...any) }, shape thread.Shape, r store.Reader, p nestor.Path, last int64) naive {
	turns, err := shape.Read(r, p, last)
	if err != nil {
		t.Fatal(err)
	}
	n := naive{}
	for _, turn := range turns {
		line := []string{turn.SenderID}
		for _, piece := range turn.Partials {
			line = append(line, *piece.Payload.Content)
		}
		n = append(n, line)
	}
	return n
}

// No server writes such threads; a database may hold them all the same.
func TestAThreadThatSaysNonsenseOfItselfEnds(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := open(t, options())
		parts := func(first string) []record.LinePart {
			return []record.LinePart{{Line: first, From: -1 << 62, To: 1<<62 - 1}, {Line: "huge", From: 1 << 40, To: 1 << 62}}
		}
		for id, doc := range map[string]record.MessageThread{
			"huge":  {Place: "huge/000000001", ParentID: new("gone"), Above: parts("gone")},
			"self":  {Place: "self/000000001", ParentID: new("self"), Above: parts("self")},
			"again": {Place: "again/000000001", ParentID: new("again"), Above: []record.LinePart{{Line: "again", From: 1, To: 1}}},
			"empty": {Place: "empty/000000001", ParentID: new("gone"), Above: []record.LinePart{{Line: "gone", From: 1, To: 0}}},
			"last":  {Place: "last/4611686018427387904"},
		} {
			err := s.Update(t.Context(), func(tx store.Tx) error {
				doc.UserID, doc.Added, doc.TurnCount = "u", []record.MessageTurn{{SenderID: "a"}}, 1
				_, err := tx.Create(at("u", id), doc)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			err = s.View(t.Context(), func(r store.Reader) error {
				_, err := thread.Standard.Read(r, at("u", id), 0)
				return err
			})
			if !errors.Is(err, nestor.ErrNotFound) {
				t.Errorf("%s: %v", id, err)
			}
		}
	})
}

// Whatever is added and forked, every thread that was ever made reads as a naive
// copy of it, for any size of blocks.
func TestThreadsAreWhatNaiveCopiesAre(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := open(t, options())
		users := 0
		rapid.Check(t, func(t *rapid.T) {
			users++
			user := "u" + strconv.Itoa(users)
			shape := thread.Shape{Block: rapid.IntRange(1, 7).Draw(t, "block"), Above: rapid.IntRange(1, 3).Draw(t, "above"), Bytes: 1 << 20}
			model := []naive{{}}
			err := s.Update(t.Context(), func(tx store.Tx) error {
				_, err := thread.Begin(tx, at(user, "t0"), nil)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			for i := 1; i <= rapid.IntRange(1, 40).Draw(t, "steps"); i++ {
				// Mostly the newest thread is gone on from.
				from := max(rapid.IntRange(-len(model), len(model)-1).Draw(t, "from"), 0)
				if rapid.IntRange(0, 2).Draw(t, "go on") > 0 {
					from = len(model) - 1
				}
				sender, copies := rapid.SampledFrom([]string{"ada", "model"}).Draw(t, "sender"), rapid.IntRange(0, 4).Draw(t, "copy") == 0
				parent, p := at(user, "t"+strconv.Itoa(from)), at(user, "t"+strconv.Itoa(i))
				err := s.Update(t.Context(), func(tx store.Tx) (err error) {
					if copies {
						_, err = shape.Fork(tx, parent, p)
					} else {
						_, err = shape.Add(tx, parent, p, sender, say(strconv.Itoa(i)))
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				if copies {
					model = append(model, model[from])
				} else {
					model = append(model, model[from].add(sender, strconv.Itoa(i)))
				}
			}
			err = s.View(t.Context(), func(r store.Reader) error {
				for i, want := range model {
					if got := read(t, shape, r, at(user, "t"+strconv.Itoa(i)), 0); fmt.Sprint(got) != fmt.Sprint(want) {
						t.Fatalf("thread %d is %v, not %v", i, got, want)
					}
					last := rapid.IntRange(1, len(want)+2).Draw(t, "last")
					want = want[max(0, len(want)-last):]
					if got := read(t, shape, r, at(user, "t"+strconv.Itoa(i)), int64(last)); fmt.Sprint(got) != fmt.Sprint(want) {
						t.Fatalf("the last %d turns of thread %d are %v, not %v", last, i, got, want)
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	})
}

// counting counts the reads of a reader.
type counting struct {
	store.Reader
	reads int
}

func (c *counting) Get(p nestor.Path) (*nestor.Document, error) {
	c.reads++
	return c.Reader.Get(p)
}

func (c *counting) Query(q store.Query) (store.Page, error) {
	c.reads++
	return c.Reader.Query(q)
}

func TestALongThreadIsReadWithFewQueries(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		s := open(t, options())
		const turns, forks = 3000, 20
		tip := at("ada", "t0")
		write := func(fn func(tx store.Tx) error) {
			t.Helper()
			if err := s.Update(t.Context(), fn); err != nil {
				t.Fatal(err)
			}
		}
		write(func(tx store.Tx) error {
			_, err := thread.Begin(tx, tip, nil)
			return err
		})
		var want naive
		for i := 0; i < turns; i += 100 {
			write(func(tx store.Tx) error {
				for j := i; j < i+100; j++ {
					next := at("ada", "t"+strconv.Itoa(j+1))
					parent := at("ada", "t"+strconv.Itoa(j))
					if _, err := thread.Standard.Add(tx, parent, next, []string{"ada", "model"}[j%2], say(strconv.Itoa(j))); err != nil {
						return err
					}
				}
				return nil
			})
		}
		for i := range turns {
			want = want.add([]string{"ada", "model"}[i%2], strconv.Itoa(i))
		}
		tip = at("ada", "t"+strconv.Itoa(turns))
		// Forks of forks, each at the end of the one before.
		for i := range forks {
			next := at("ada", "f"+strconv.Itoa(i))
			write(func(tx store.Tx) error {
				_, err := thread.Standard.Fork(tx, tip, next)
				return err
			})
			tip = next
		}
		err := s.View(t.Context(), func(r store.Reader) error {
			c := &counting{Reader: r}
			if got := read(t, thread.Standard, c, tip, 0); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("it has %d turns, not %d", len(got), len(want))
			}
			if most := 2 + turns/thread.Standard.Block + 1 + forks/thread.Standard.Above + 1; c.reads > most {
				t.Errorf("it was read with %d queries; %d do", c.reads, most)
			}
			c.reads = 0
			if got := read(t, thread.Standard, c, at("ada", "t"+strconv.Itoa(turns)), 5); fmt.Sprint(got) != fmt.Sprint(want[turns-5:]) || c.reads > 3 {
				t.Errorf("the last turns are %v, read with %d queries", got, c.reads)
			}
			small := thread.Standard
			small.Bytes = 1000
			if _, err := small.Read(r, tip, 0); !errors.Is(err, nestor.ErrTooLarge) {
				t.Errorf("more than was allowed was read: %v", err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
