package store

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor"
)

func TestWhatIsPackedComesBack(t *testing.T) {
	piece := rapid.OneOf(
		rapid.SampledFrom(words), rapid.SampledFrom([]string{`"`, "/", ":", "{", nestor.NewID(), nestor.DeriveID("a"), strings.Repeat("v", 20), strings.Repeat("0", 20)}),
		rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }))
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(piece).Draw(t, "pieces"), "")
		packed := pack(nil, text)
		got, err := unpack(packed)
		if err != nil || string(got) != text {
			t.Fatalf("%q was packed as %q and comes back as %q, %v", text, packed, got, err)
		}
	})
}

func TestPathsAndBodiesOfAgentsArePackedWell(t *testing.T) {
	id := nestor.DeriveID("x")
	for text, most := range map[string]int{
		"users/local/orch-chats/" + id + "/sub-agents/" + id + "/messages/" + id: 48,
		"users/local/orch-chats/" + id:                                           20,
		`{"askedBy":["local"],"iterationCount":25,"iterationLimit":1000,"model":"gemini-instant","modelMs":389,"role":"bench","status":"active",` +
			`"runId":"` + id + `","taskId":"` + id + `","usage":{"inputTokens":172151,"outputTokens":1500},` +
			`"work":{"models":["gemini-instant"],"replies":25,"tools":["calculator"]}}`: 171,
	} {
		if n := len(pack(nil, text)); n > most {
			t.Errorf("%s has %d bytes when packed, more than %d", text, n, most)
		}
	}
}

// Databases have the places of the words in them. Whoever adds one says so here.
func TestTheWordsOfPackedTextsStayWhereTheyAre(t *testing.T) {
	const known, sum = 78, "c0d07c6058893db4"
	if got := fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(words[:known], " "))))[:16]; got != sum || len(words) != known {
		t.Errorf("there are %d words, and the first %d have the sum %s, not %s", len(words), known, got, sum)
	}
	if len(words) > firstWords+256 {
		t.Error("there are more words than numbers")
	}
}
