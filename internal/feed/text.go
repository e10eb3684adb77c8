package feed

import (
	"sort"
	"unicode/utf8"
)

// text is what a draft says. It only grows, and is told in pieces, so that a
// subscriber needs memory for one piece and not for all of it.
type text struct {
	said  []byte
	runes int32
	cuts  []point // where one piece ends and the next begins
}

// point is a place in a text, in bytes and in characters.
type point struct{ bytes, runes int32 }

// pieceSize is how many bytes one delta has at most.
const pieceSize = 8 << 10

func (t *text) end() point { return point{int32(len(t.said)), t.runes} }

func (t *text) add(s string) {
	for s != "" {
		begin := 0
		if n := len(t.cuts); n > 0 {
			begin = int(t.cuts[n-1].bytes)
		}
		n := min(len(s), pieceSize-(len(t.said)-begin))
		for n > 0 && n < len(s) && !utf8.RuneStart(s[n]) {
			n--
		}
		t.said = append(t.said, s[:n]...)
		t.runes += int32(utf8.RuneCountInString(s[:n]))
		if s = s[n:]; s != "" {
			t.cuts = append(t.cuts, t.end())
		}
	}
}

// pieces gives what lies between two points, each piece with its number, which
// is always the same, and where it begins, until yield wants no more.
func (t *text) pieces(from, to point, yield func(piece int, begin point, s []byte) bool) bool {
	piece := sort.Search(len(t.cuts), func(i int) bool { return t.cuts[i].bytes > from.bytes })
	for ; from.bytes < to.bytes; piece++ {
		end := to
		if piece < len(t.cuts) && t.cuts[piece].bytes < to.bytes {
			end = t.cuts[piece]
		}
		if !yield(piece, from, t.said[from.bytes:end.bytes]) {
			return false
		}
		from = end
	}
	return true
}
