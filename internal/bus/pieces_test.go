package bus_test

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor/internal/bus"
)

// Whatever order pieces come in, doubled or not at all: a message is put together
// as it was, or not.
func TestPiecesAreAMessageOrNone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(17, 60).Draw(t, "limit")
		messages := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 200), 1, 5).Draw(t, "messages")
		var pieces [][]byte
		for _, m := range messages {
			pieces = append(pieces, bus.Splitter{Limit: limit}.Split(m)...)
		}
		var j bus.Joiner
		for i, p := range pieces {
			if len(p) > limit {
				t.Fatalf("a piece has %d bytes", len(p))
			}
			if got := j.Add(p); got != nil && !slices.ContainsFunc(messages, func(m []byte) bool { return bytes.Equal(m, got) }) {
				t.Fatalf("piece %d completes %q", i, got)
			}
		}
		mixed := bus.Joiner{}
		for range 3 * len(pieces) {
			got := mixed.Add(pieces[rapid.IntRange(0, len(pieces)-1).Draw(t, "piece")])
			if got != nil && !slices.ContainsFunc(messages, func(m []byte) bool { return bytes.Equal(m, got) }) {
				t.Fatalf("it made up %q", got)
			}
		}
	})
}

func TestMessagesWhosePiecesStayAwayAreForgotten(t *testing.T) {
	var j bus.Joiner
	first := bus.Splitter{Limit: 1 << 20}.Split(make([]byte, 3<<20))
	j.Add(first[0])
	for range 20 { // more than is kept
		j.Add(bus.Splitter{Limit: 1 << 20}.Split(make([]byte, 3<<20))[0])
	}
	for _, p := range first[1:] {
		if j.Add(p) != nil {
			t.Error("the first message was kept all the time")
		}
	}
	whole := bus.Splitter{Limit: 100}.Split([]byte("it still works"))
	if got := j.Add(whole[0]); string(got) != "it still works" {
		t.Errorf("got %q", got)
	}
}

func TestGarbageIsNoPiece(t *testing.T) {
	var j bus.Joiner
	for _, text := range []string{"", "short", "0123456789abcdef", "0123456789abcdef and more"} {
		if got := j.Add([]byte(text)); got != nil {
			t.Errorf("%q is taken for %q", text, got)
		}
	}
}
