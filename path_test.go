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

// parsing is a text to parse, and part of the error; "" when the text is fine.
type parsing struct{ name, text, error string }

func checkParse[T ~string](t *testing.T, parse func(string) (T, error), cases []parsing) {
	t.Helper()
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parse(tt.text)
			if tt.error == "" {
				wantCode(t, err, "")
				if string(got) != tt.text {
					t.Errorf("%q became %q", tt.text, got)
				}
				return
			}
			wantCode(t, err, nestor.CodeInvalid)
			if got != "" || !strings.Contains(err.Error(), tt.error) {
				t.Errorf("got %q and the error %q, want one with %q", got, err, tt.error)
			}
		})
	}
}

func TestParsePath(t *testing.T) {
	id64 := strings.Repeat("a", 64)
	// 15 slashes, 15 ids of 64 and one of 49: 1024 characters.
	longest := strings.Repeat(id64+"/", 15) + id64[:49]
	checkParse(t, nestor.ParsePath, []parsing{
		{"a document at the top", "users/u1", ""},
		{"a document below another", "users/u1/orch-chats/c1/messages/m1", ""},
		{"every allowed character", "AZaz09_-./x", ""},
		{"ids that only begin with dots", "users/.../notes/.hidden", ""},
		{"an id of 64 characters", "users/" + id64, ""},
		{"a path of 1024 characters", longest, ""},

		{"nothing", "", "must not be empty"},
		{"a collection", "users/u1/notes", "names a collection"},
		{"one segment", "users", "names a collection"},
		{"a slash in front", "/users/u1", "segment 1"},
		{"a slash at the end", "users/u1/", "segment 3"},
		{"an empty segment", "users//notes/n1", "segment 2: an id must not be empty"},
		{"a single dot", "users/./notes/n1", `id "." is not allowed`},
		{"two dots", "users/../notes/n1", `id ".." is not allowed`},
		{"an id of 65 characters", "users/" + id64 + "a", "at most 64"},
		{"a path of 1025 characters", longest + "a", "at most 1024"},
		{"a letter beyond ASCII", "users/ü", "position 1"},
		{"a space", "users/a b", "position 2"},
		{"a percent escape", "users/a%2Fb", "position 2"},
		{"a star", "users/*", "position 1"},
		{"a NUL", "users/a\x00", "position 2"},
		{"a line break at the end", "users/u1\n", "position 3"},
	})
}

func TestParseCollectionPath(t *testing.T) {
	checkParse(t, nestor.ParseCollectionPath, []parsing{
		{"a collection at the top", "users", ""},
		{"a collection below a document", "users/u1/orch-chats", ""},
		{"a document", "users/u1", "names a document"},
		{"nothing", "", "must not be empty"},
		{"an empty segment", "users//notes", "segment 2"},
		{"two dots", "users/../notes", "not allowed"},
	})
}

func TestThePartsOfAPath(t *testing.T) {
	for _, tt := range []struct {
		path           nestor.Path
		id, collection string
		parent         nestor.Path
		user           string
	}{
		{"users/u1", "u1", "users", "", "u1"},
		{"users/u1/orch-chats/c1", "c1", "users/u1/orch-chats", "users/u1", "u1"},
		{"users/u1/orch-chats/c1/messages/m1", "m1", "users/u1/orch-chats/c1/messages", "users/u1/orch-chats/c1", "u1"},
		{"projects/p1/users/u1", "u1", "projects/p1/users", "projects/p1", ""},
		{"usersx/u1", "u1", "usersx", "", ""},
	} {
		t.Run(string(tt.path), func(t *testing.T) {
			p := tt.path
			if p.ID() != tt.id || p.Collection() != tt.collection || p.Parent() != tt.parent || p.UserID() != tt.user {
				t.Errorf("id %q, collection %q, parent %q, user %q", p.ID(), p.Collection(), p.Parent(), p.UserID())
			}
		})
	}
}

func TestContains(t *testing.T) {
	for _, tt := range []struct {
		name string
		p, q nestor.Path
		want bool
	}{
		{"a path contains itself", "users/u1", "users/u1", true},
		{"a path contains what lies below it", "users/u1", "users/u1/notes/n1", true},
		{"a path contains what lies far below it", "users/u1", "users/u1/notes/n1/parts/p1", true},
		{"a path does not contain what it lies below", "users/u1/notes/n1", "users/u1", false},
		{"a neighbour with the same beginning is not contained", "users/u1", "users/u10", false},
		{"what lies below such a neighbour is not contained", "users/u1", "users/u10/notes/n1", false},
		{"another document is not contained", "users/u1", "users/u2", false},
		{"case counts", "users/u1", "users/U1/notes/n1", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.p.Contains(tt.q); got != tt.want {
				t.Errorf("%s contains %s: %v", tt.p, tt.q, got)
			}
		})
	}
}

// segments draws the segments of a path, short ones mostly so that they repeat.
func segments(least, most int) *rapid.Generator[[]string] {
	segment := rapid.OneOf(
		rapid.SampledFrom([]string{"users", "u1", "a", "b", "A", "a.b", "..."}),
		rapid.StringMatching(`[A-Za-z0-9_.-]{1,64}`).Filter(func(s string) bool { return s != "." && s != ".." }),
	)
	return rapid.SliceOfN(segment, least, most)
}

// documentPath draws the path of a document.
func documentPath() *rapid.Generator[nestor.Path] {
	return rapid.Custom(func(t *rapid.T) nestor.Path {
		s := segments(2, 12).Draw(t, "segments")
		return nestor.Path(strings.Join(s[:len(s)/2*2], "/"))
	})
}

func TestPathsComeApartAndTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := documentPath().Draw(t, "path")
		if parsed, err := nestor.ParsePath(string(p)); err != nil || parsed != p {
			t.Fatalf("ParsePath gave %q, %v", parsed, err)
		}
		checkParts(t, p)

		s := segments(2, 2).Draw(t, "below")
		child := p.Child(s[0], s[1])
		if child.Parent() != p || child.ID() != s[1] || child.Collection() != string(p)+"/"+s[0] {
			t.Fatalf("child %s has parent %s, id %s, collection %s", child, child.Parent(), child.ID(), child.Collection())
		}
		if child.UserID() != p.UserID() || !p.Contains(child) || child.Contains(p) {
			t.Fatalf("child %s has user %q; contained %v, contains %v", child, child.UserID(), p.Contains(child), child.Contains(p))
		}
	})
}

func TestContainsComparesWholeSegments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, q := documentPath().Draw(t, "p"), documentPath().Draw(t, "q")
		if rapid.Bool().Draw(t, "related") {
			q = p + q // runs the last segment of p on
			if rapid.Bool().Draw(t, "below") {
				q = p + "/" + q[len(p):]
			}
		}
		ps, qs := strings.Split(string(p), "/"), strings.Split(string(q), "/")
		want := len(qs) >= len(ps) && slices.Equal(ps, qs[:len(ps)])
		if got := p.Contains(q); got != want {
			t.Fatalf("%s contains %s: %v", p, q, got)
		}
	})
}

// checkParts holds for every valid path.
func checkParts(t rapid.TB, p nestor.Path) {
	t.Helper()
	if got := p.Collection() + "/" + p.ID(); got != string(p) {
		t.Fatalf("%s comes apart into %s", p, got)
	}
	if c, err := nestor.ParseCollectionPath(p.Collection()); err != nil || c != p.Collection() {
		t.Fatalf("the collection of %s is %q, %v", p, c, err)
	}
	if err := nestor.CheckID(p.ID()); err != nil {
		t.Fatalf("the id of %s: %v", p, err)
	}
	if !p.Contains(p) {
		t.Fatalf("%s does not contain itself", p)
	}
	parent := p.Parent()
	if strings.Count(string(p), "/") == 1 {
		if parent != "" {
			t.Fatalf("%s lies at the top and has the parent %s", p, parent)
		}
		return
	}
	if _, err := nestor.ParsePath(string(parent)); err != nil {
		t.Fatalf("the parent of %s: %v", p, err)
	}
	if name := strings.TrimPrefix(p.Collection(), string(parent)+"/"); parent.Child(name, p.ID()) != p {
		t.Fatalf("%s is not the child of its parent %s in %s", p, parent, name)
	}
	if !parent.Contains(p) || parent.UserID() != p.UserID() {
		t.Fatalf("%s and its parent %s disagree", p, parent)
	}
}

// wellFormed is the rule for paths of either kind, except for the dots.
var wellFormed = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,64}(/[A-Za-z0-9_.-]{1,64})*$`)

func obeysTheRules(s string) bool {
	segs := strings.Split(s, "/")
	return len(s) <= 1024 && wellFormed.MatchString(s) && !slices.Contains(segs, ".") && !slices.Contains(segs, "..")
}

func FuzzParsePath(f *testing.F) {
	for _, s := range []string{
		"", "/", "users", "users/u1", "users/u1/notes", "users/u1/notes/n1", "a//b", "./a", "a/..", "users/ü", "a/b\n",
		"users/" + strings.Repeat("x", 65), strings.Repeat("a/", 511) + "bb", strings.Repeat("a/", 512) + "b",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		even := strings.Count(s, "/")%2 == 1
		p, err := nestor.ParsePath(s)
		if (err == nil) != (obeysTheRules(s) && even) {
			t.Fatalf("ParsePath(%q): %v", s, err)
		}
		if err == nil {
			if string(p) != s {
				t.Fatalf("%q became %q", s, p)
			}
			checkParts(t, p)
		} else {
			wantCode(t, err, nestor.CodeInvalid)
		}
		if _, err := nestor.ParseCollectionPath(s); (err == nil) != (obeysTheRules(s) && !even) {
			t.Fatalf("ParseCollectionPath(%q): %v", s, err)
		}
	})
}

func ExamplePath() {
	p, err := nestor.ParsePath("users/u1/orch-chats/c1")
	if err != nil {
		panic(err)
	}
	m := p.Child("messages", "m1")

	fmt.Println(m)
	fmt.Println(m.ID(), m.UserID(), m.Collection())
	fmt.Println(m.Parent() == p, p.Contains(m))
	// Output:
	// users/u1/orch-chats/c1/messages/m1
	// m1 u1 users/u1/orch-chats/c1/messages
	// true true
}
