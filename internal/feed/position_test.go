package feed_test

import (
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/feed"
)

func TestPositionsReadAsTheyAreWritten(t *testing.T) {
	for _, s := range []string{"0", "1042", "1042.k3j2h1.77", "1042.k3j2h1.60.77.1034", "9223372036854775807"} {
		if p, err := feed.ParsePosition(s); err != nil || p.String() != s {
			t.Errorf("%s became %s, %v", s, p, err)
		}
	}
}

func TestWhatIsNoPositionIsRefused(t *testing.T) {
	for _, s := range []string{
		"", "-1", "+1", "x", "1.", "1.e", "1.e.", "1..2", "1.e.2.3", "1.e.2.3.", "1.e.3.3.4", "1.e.3.2.4", "1.e.2.3.4.5",
		" 1", "9223372036854775808", "1.e.2.-3.4", "1.e.0.0.0", "1.this-name-of-a-process-is-too-long.1",
	} {
		if p, err := feed.ParsePosition(s); nestor.CodeOf(err) != nestor.CodeInvalid {
			t.Errorf("%q became %v, %v", s, p, err)
		}
	}
}

func FuzzParsePosition(f *testing.F) {
	f.Add("1042.k3j2h1.60.77.1034")
	f.Fuzz(func(t *testing.T, s string) {
		p, err := feed.ParsePosition(s)
		if err != nil {
			return
		}
		if again, err := feed.ParsePosition(p.String()); err != nil || again != p {
			t.Errorf("%q is %v, then %v, %v", s, p, again, err)
		}
	})
}
