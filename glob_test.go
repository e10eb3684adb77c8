package nestor_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor"
)

func TestParseGlob(t *testing.T) {
	checkParse(t, nestor.ParseGlob, []parsing{
		{"a literal", "users", ""},
		{"a literal path", "users/u1/orch-chats", ""},
		{"stars", "users/*/orch-chats/*/messages", ""},
		{"only stars", "*/*/*", ""},
		{"a tail", "users/u1/**", ""},
		{"everything", "**", ""},
		{"1024 characters", strings.Repeat("*/", 511) + "**", ""},

		{"nothing", "", "must not be empty"},
		{"a tail that is not last", "users/**/notes", "column 7: ** may only be the last segment"},
		{"a tail in front", "**/notes", "column 1: ** may only be the last segment"},
		{"a star inside a segment", "users/u*/notes", "column 7: * stands for a whole segment"},
		{"three stars", "users/***", "column 7: * stands for a whole segment"},
		{"an empty segment", "users//notes", "column 7"},
		{"a slash in front", "/users", "column 1"},
		{"a slash at the end", "users/", "column 7"},
		{"two dots", "users/../notes", "column 7"},
		{"a character that no path has", "users/u1/no tes", "column 10"},
		{"a segment too long", "users/" + strings.Repeat("x", 65), "column 7"},
		{"1025 characters", strings.Repeat("*/", 512) + "*", "at most 1024"},
	})
}

func TestGlobMatch(t *testing.T) {
	for _, tt := range []struct {
		name  string
		glob  nestor.Glob
		path  string
		match bool
	}{
		{"a literal matches itself", "users/u1/notes", "users/u1/notes", true},
		{"a literal does not match another", "users/u1/notes", "users/u1/tasks", false},
		{"a literal does not match a longer segment", "users/u1/notes", "users/u1/notes2", false},
		{"a literal does not match what lies below", "users/u1", "users/u1/notes", false},
		{"a literal does not match what lies above", "users/u1/notes", "users/u1", false},
		{"case counts", "users/u1/notes", "users/U1/notes", false},
		{"a star matches one segment", "users/*/notes", "users/u1/notes", true},
		{"a star does not match two segments", "users/*/notes", "users/u1/x/notes", false},
		{"a star does not match no segment", "users/*", "users", false},
		{"a star at the end matches one segment", "users/*", "users/u1", true},
		{"a star at the end does not match two", "users/*", "users/u1/notes", false},
		{"a tail matches what lies below", "users/u1/**", "users/u1/notes", true},
		{"a tail matches what lies far below", "users/u1/**", "users/u1/notes/n1/parts/p1", true},
		{"a tail matches no segment at all", "users/u1/**", "users/u1", true},
		{"a tail does not match a neighbour", "users/u1/**", "users/u10", false},
		{"a tail does not match what lies above", "users/u1/**", "users", false},
		{"a tail after a star needs the star's segment", "users/*/**", "users", false},
		{"a tail alone matches everything", "**", "users/u1/notes", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.glob.Match(tt.path); got != tt.match {
				t.Errorf("%s matches %s: %v", tt.glob, tt.path, got)
			}
			if got := len(indexed(tt.path, tt.glob)) == 1; got != tt.match {
				t.Errorf("%s in an index matches %s: %v", tt.glob, tt.path, got)
			}
		})
	}
}

// indexed is what an index of the globs finds for path: their positions.
func indexed(path string, globs ...nestor.Glob) []int {
	var x nestor.GlobIndex[int]
	for i, g := range globs {
		x.Add(g, i)
	}
	return found(&x, path)
}

func found(x *nestor.GlobIndex[int], path string) []int {
	got := []int{}
	x.Match(path, func(v int) { got = append(got, v) })
	slices.Sort(got)
	return got
}

// fewNames makes globs and paths that meet often.
var fewNames = []string{"a", "b", "c"}

func glob() *rapid.Generator[nestor.Glob] {
	return rapid.Custom(func(t *rapid.T) nestor.Glob {
		segs := rapid.SliceOfN(rapid.SampledFrom(append([]string{"*"}, fewNames...)), 0, 4).Draw(t, "segments")
		if len(segs) == 0 || rapid.Bool().Draw(t, "tail") {
			segs = append(segs, "**")
		}
		return nestor.Glob(strings.Join(segs, "/"))
	})
}

func shortPath() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(fewNames), 1, 5).Draw(t, "path"), "/")
	})
}

// Two patterns meet where one path matches both: the one that has the literals of
// either, and as many segments as the longer one, is such a path if any is.
func TestGlobsMeetWhereAPathMatchesBoth(t *testing.T) {
	for _, tt := range []struct {
		a, b nestor.Glob
		meet bool
	}{
		{"users/u1/notes/*", "users/*/notes/n1", true},
		{"users/u1/notes/*", "users/u2/notes/*", false},
		{"users/u1/notes/*", "users/u1/notes/*/comments/*", false},
		{"users/u1/**", "users/u1", true},
		{"users/u1/**", "users", false},
		{"users/u1/notes/**", "users/*/keys/**", false},
		{"users/*/**", "users", false},
		{"users/**", "accounts/**", false},
		{"**", "accounts/a", true},
	} {
		if tt.a.Meets(tt.b) != tt.meet || tt.b.Meets(tt.a) != tt.meet {
			t.Errorf("%s and %s: %v, %v", tt.a, tt.b, tt.a.Meets(tt.b), tt.b.Meets(tt.a))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b, path := glob().Draw(t, "a"), glob().Draw(t, "b"), shortPath().Draw(t, "path")
		if a.Match(path) && b.Match(path) && !(a.Meets(b) && b.Meets(a)) {
			t.Fatalf("%s matches %s and %s, which do not meet", path, a, b)
		}
		x, y := strings.Split(string(a), "/"), strings.Split(string(b), "/")
		if len(x) < len(y) {
			x, y = y, x
		}
		for i, segment := range x {
			if i < len(y) && y[i] != "**" && (segment == "*" || segment == "**") {
				x[i] = y[i]
			}
			if x[i] == "*" {
				x[i] = "a"
			}
		}
		if x[len(x)-1] == "**" {
			x = x[:len(x)-1]
		}
		if witness := strings.Join(x, "/"); a.Meets(b) && witness != "" && !(a.Match(witness) && b.Match(witness)) {
			t.Fatalf("%s and %s meet, and not at %s", a, b, witness)
		}
	})
}

func TestAnIndexFindsWhatMatchesOneByOne(t *testing.T) {
	type entry struct {
		glob  nestor.Glob
		value int
	}
	rapid.Check(t, func(t *rapid.T) {
		var x nestor.GlobIndex[int]
		var entries []entry
		for range rapid.IntRange(0, 20).Draw(t, "steps") {
			e := entry{glob().Draw(t, "glob"), rapid.IntRange(1, 4).Draw(t, "value")}
			if rapid.Bool().Draw(t, "remove") {
				x.Remove(e.glob, e.value)
				if i := slices.Index(entries, e); i >= 0 {
					entries = slices.Delete(entries, i, i+1)
				}
			} else {
				x.Add(e.glob, e.value)
				entries = append(entries, e)
			}
			path := shortPath().Draw(t, "path")
			want := []int{}
			for _, e := range entries {
				if e.glob.Match(path) {
					want = append(want, e.value)
				}
			}
			slices.Sort(want)
			if got := found(&x, path); !slices.Equal(got, want) {
				t.Fatalf("%s in %v: found %v, want %v", path, entries, got, want)
			}
		}
		for _, e := range entries {
			x.Remove(e.glob, e.value)
		}
		// Printed, because an index that was used may keep an empty map.
		if got, want := fmt.Sprintf("%+v", x), fmt.Sprintf("%+v", nestor.GlobIndex[int]{}); got != want {
			t.Fatalf("after everything was removed the index is %s, want %s", got, want)
		}
	})
}

// asRegexp says in another language what a glob matches among valid paths.
func asRegexp(g string) *regexp.Regexp {
	if g == "**" {
		return regexp.MustCompile(`^`)
	}
	head, tail := strings.CutSuffix(g, "/**")
	expr := strings.ReplaceAll(regexp.QuoteMeta(head), `\*`, `[^/]+`)
	if tail {
		return regexp.MustCompile(`^` + expr + `(/|$)`)
	}
	return regexp.MustCompile(`^` + expr + `$`)
}

// isPattern is the rule for globs.
func isPattern(s string) bool {
	segs := strings.Split(strings.TrimSuffix("/"+s, "/**"), "/")[1:]
	for i, seg := range segs {
		if seg == "*" {
			segs[i] = "x"
		}
	}
	return len(s) <= 1024 && (s == "**" || obeysTheRules(strings.Join(segs, "/")))
}

func FuzzParseGlob(f *testing.F) {
	for _, s := range [][2]string{
		{"", ""},
		{"**", "users"},
		{"users/*/notes", "users/u1/notes"},
		{"users/u1/**", "users/u1"},
		{"users/**", "users/u1/x"},
		{"users/**/x", "users/x"},
		{"u*", "u1"},
		{"a.b/*", "axb/c"},
		{"*", "users"},
		{"*/**", "a"},
		{"a//b", "a//b"},
		{"a", "a/"},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, s, path string) {
		nestor.Glob(s).Match(path) // whatever it says, it must return
		g, err := nestor.ParseGlob(s)
		if (err == nil) != isPattern(s) {
			t.Fatalf("ParseGlob(%q): %v", s, err)
		}
		if err != nil {
			wantCode(t, err, nestor.CodeInvalid)
			return
		}
		if string(g) != s {
			t.Fatalf("%q became %q", s, g)
		}
		if head, ok := strings.CutSuffix(s, "/**"); ok && obeysTheRules(head) && !(g.Match(head) && g.Match(head+"/x/y")) {
			t.Fatalf("%s misses %s or what lies below it", g, head)
		}
		if !obeysTheRules(path) {
			return
		}
		want := asRegexp(s).MatchString(path)
		if got := g.Match(path); got != want {
			t.Fatalf("%s matches %s: %v", g, path, got)
		}
		if got := len(indexed(path, g)) == 1; got != want {
			t.Fatalf("%s in an index matches %s: %v", g, path, got)
		}
	})
}

func ExampleGlob_Match() {
	tasks := nestor.Glob("users/*/orch-chats/*/tasks")
	fmt.Println(tasks.Match("users/u1/orch-chats/c1/tasks"))
	fmt.Println(tasks.Match("users/u1/orch-chats/c1/messages"))

	mine := nestor.Glob("users/u1/**")
	fmt.Println(mine.Match("users/u1"), mine.Match("users/u1/notes/n1"), mine.Match("users/u10"))
	// Output:
	// true
	// false
	// true true false
}

func ExampleGlobIndex() {
	var listeners nestor.GlobIndex[string]
	listeners.Add("users/*/orch-chats", "sidebar of the admin")
	listeners.Add("users/u1/**", "backup of u1")
	listeners.Add("users/u2/**", "backup of u2")

	listeners.Match("users/u1/orch-chats", func(name string) { fmt.Println(name) })
	// Unordered output:
	// sidebar of the admin
	// backup of u1
}
