package nestor_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor"
)

func TestNewIDsSortByTheTimeTheyWereMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ids []string
		for range 500 {
			ids = append(ids, nestor.NewID())
			time.Sleep(time.Millisecond) // the bubble's clock
		}
		for _, gap := range []time.Duration{time.Second, time.Hour, 24 * time.Hour, 50 * 365 * 24 * time.Hour} {
			time.Sleep(gap)
			ids = append(ids, nestor.NewID())
		}
		for i, id := range ids {
			if i > 0 && ids[i-1] >= id {
				t.Fatalf("%s was made before %s", ids[i-1], id)
			}
			if err := nestor.CheckID(id); err != nil || len(id) != 20 {
				t.Fatalf("id %q has %d characters, %v", id, len(id), err)
			}
		}
	})
}

func TestNewIDsOfOneMomentDiffer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := map[string]bool{}
		for range 10_000 { // the bubble's clock stands still
			seen[nestor.NewID()] = true
		}
		if len(seen) != 10_000 {
			t.Errorf("10000 ids, %d of them different", len(seen))
		}
	})
}

func TestDerivedIDsAreEqualWhenAllPartsAre(t *testing.T) {
	// So few letters that different parts often make the same text.
	parts := rapid.SliceOfN(rapid.StringOfN(rapid.SampledFrom([]rune("ab\x00\x01")), 0, 3, -1), 0, 4)
	rapid.Check(t, func(t *rapid.T) {
		a, b := parts.Draw(t, "a"), parts.Draw(t, "b")
		if got := nestor.DeriveID(a...) == nestor.DeriveID(b...); got != slices.Equal(a, b) {
			t.Fatalf("%q and %q have equal ids: %v", a, b, got)
		}
		if id := nestor.DeriveID(a...); len(id) != 20 || nestor.CheckID(id) != nil {
			t.Fatalf("%q gives the id %q", a, id)
		}
	})
}

func TestDerivedIDsKeepPartsApart(t *testing.T) {
	seen := map[string][]string{}
	for _, parts := range [][]string{
		{"ab", "c"},
		{"a", "bc"},
		{"abc"},
		{"abc", ""},
		{"", "abc"},
		{"a", "b", "c"},
		{},
		{""},
		{"", ""},
		{"a\x00\x00\x00\x01b"}, // what ("a", "b") looks like with its lengths written out
	} {
		id := nestor.DeriveID(parts...)
		if other, ok := seen[id]; ok {
			t.Errorf("%q and %q give the same id", parts, other)
		}
		seen[id] = parts
	}
}

func TestAJobIsNamedByItsTriggerAndChange(t *testing.T) {
	c := nestor.Change{Seq: 7, Type: nestor.Update, Path: "users/u1/notes/n1", Version: 3, At: 1}
	id := nestor.JobID("on-note", &c)
	for _, tt := range []struct {
		name    string
		trigger string
		change  func(*nestor.Change)
		same    bool
	}{
		{"the same change is the same work", "on-note", func(*nestor.Change) {}, true},
		{"where it stands in the log does not count", "on-note", func(c *nestor.Change) { c.Seq, c.At = 8, 2 }, true},
		{"another trigger is other work", "on-note-2", func(*nestor.Change) {}, false},
		{"another document is other work", "on-note", func(c *nestor.Change) { c.Path = "users/u1/notes/n2" }, false},
		{"another version is other work", "on-note", func(c *nestor.Change) { c.Version = 4 }, false},
		{"another type of change is other work", "on-note", func(c *nestor.Change) { c.Type = nestor.Delete }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			other := c
			tt.change(&other)
			if got := nestor.JobID(tt.trigger, &other) == id; got != tt.same {
				t.Errorf("same id: %v", got)
			}
		})
	}
}

func TestARerunOfAJobDerivesTheSameIDs(t *testing.T) {
	first, again, other := nestor.Job{ID: "j1", Attempt: 1}, nestor.Job{ID: "j1", Attempt: 2}, nestor.Job{ID: "j2"}
	if first.DeriveID("answer", "1") != again.DeriveID("answer", "1") {
		t.Error("the second attempt derives another id")
	}
	if first.DeriveID("answer", "1") == first.DeriveID("answer", "2") || first.DeriveID("answer") == other.DeriveID("answer") {
		t.Error("different purposes or jobs derive the same id")
	}
}

func ExampleDeriveID() {
	first := nestor.DeriveID("answer", "task-1")
	rerun := nestor.DeriveID("answer", "task-1")
	fmt.Println(len(first), first == rerun)
	fmt.Println(nestor.DeriveID("ab", "c") == nestor.DeriveID("a", "bc"))
	// Output:
	// 20 true
	// false
}
