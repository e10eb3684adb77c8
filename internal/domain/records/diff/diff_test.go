package diff_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor/internal/domain/records/diff"
)

func TestUnified(t *testing.T) {
	for name, c := range map[string]struct{ from, to, want string }{
		"the same":                {"a\nb\n", "a\nb\n", ""},
		"both empty":              {"", "", ""},
		"all new":                 {"", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		"all gone":                {"a\n", "", "@@ -1 +0,0 @@\n-a\n"},
		"a line changed":          {"a\nb\nc\n", "a\nB\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"},
		"no line feed at the end": {"a\nb", "a\nc", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n"},
		"two places far apart": {
			"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n", "one\n2\n3\n4\n5\n6\n7\n8\n9\nten\n",
			"@@ -1,4 +1,4 @@\n-1\n+one\n 2\n 3\n 4\n@@ -7,4 +7,4 @@\n 7\n 8\n 9\n-10\n+ten\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := diff.Unified(c.from, c.to); got != c.want {
				t.Errorf("%q", got)
			}
		})
	}
}

// What a difference says makes the second text of the first one, with as few lines as
// there can be, whatever they are.
func TestADifferenceMakesTheSecondTextOfTheFirst(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "", "d e"}), 0, 40).Draw(t, "lines")
		return strings.Join(lines, "\n") + rapid.SampledFrom([]string{"", "\n"}).Draw(t, "end")
	})
	rapid.Check(t, func(t *rapid.T) {
		from, to := text.Draw(t, "from"), text.Draw(t, "to")
		unified := diff.Unified(from, to)
		got, changed := apply(t, from, unified)
		if got != to {
			t.Fatalf("%q became %q, not %q, by\n%s", from, got, to, unified)
		}
		if want := fewest(split(from), split(to)); changed != want {
			t.Fatalf("%d lines changed where %d do:\n%s", changed, want, unified)
		}
	})
}

var header = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@\n$`)

// apply does what a difference says, and counts the lines that it adds or removes.
func apply(t *rapid.T, from, unified string) (to string, changed int) {
	old, at := split(from), 0
	last := byte(0)
	var out []string
	for _, line := range split(unified) {
		if m := header.FindStringSubmatch(line); m != nil {
			start, err := strconv.Atoi(m[1])
			if err != nil {
				t.Fatal(err)
			}
			if m[2] != "0" {
				start--
			}
			out, at = append(out, old[at:start]...), start
			continue
		}
		switch text := line[1:]; line[0] {
		case '\\':
			if last == '+' { // what is removed or stays is compared without line feeds
				out[len(out)-1] = strings.TrimSuffix(out[len(out)-1], "\n")
			}
		case '+':
			out, changed = append(out, text), changed+1
		case '-', ' ':
			if strings.TrimSuffix(old[at], "\n") != strings.TrimSuffix(text, "\n") {
				t.Fatalf("line %d is %q, not %q", at, old[at], text)
			}
			if line[0] == ' ' {
				out = append(out, old[at])
			} else {
				changed++
			}
			at++
		}
		last = line[0]
	}
	return strings.Join(append(out, old[at:]...), ""), changed
}

func split(text string) []string {
	return slices.DeleteFunc(strings.SplitAfter(text, "\n"), func(line string) bool { return line == "" })
}

// fewest is how many lines have to change, found by trying all.
func fewest(a, b []string) int {
	best := make([][]int, len(a)+1)
	for i := range best {
		best[i] = make([]int, len(b)+1)
	}
	for i := len(a); i >= 0; i-- {
		for j := len(b); j >= 0; j-- {
			switch {
			case i == len(a):
				best[i][j] = len(b) - j
			case j == len(b):
				best[i][j] = len(a) - i
			case a[i] == b[j]:
				best[i][j] = best[i+1][j+1]
			default:
				best[i][j] = 1 + min(best[i+1][j], best[i][j+1])
			}
		}
	}
	return best[0][0]
}

func TestTextsWithNothingInCommonAreToldInBoundedTime(t *testing.T) {
	from, to := strings.Repeat("a\n", 300_000), strings.Repeat("b\n", 300_000)
	got := diff.Unified("same\n"+from, "same\n"+to)
	if !strings.HasPrefix(got, "@@ -1,300001 +1,300001 @@\n same\n-a\n") || strings.Count(got, "\n") != 600_002 {
		t.Errorf("%.80q…", got)
	}
}
