package tool

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

func named(t rapid.TB, names ...string) []*Tool {
	var tools []*Tool
	for _, n := range names {
		made, err := New(Spec{Name: n}, Text(echo))
		if err != nil {
			t.Fatal(err)
		}
		tools = append(tools, made)
	}
	return tools
}

func offered(r *Registry) []string {
	var names []string
	for _, o := range r.Offer() {
		names = append(names, o.Name)
	}
	return names
}

func TestOfferedNames(t *testing.T) {
	long := strings.Repeat("x", 70)
	tests := []struct {
		name     string
		in, want []string
	}{
		{"valid names stay", []string{"web_fetch", "Get-2"}, []string{"web_fetch", "Get-2"}},
		{"outer space goes, inner space becomes an underscore", []string{"  get the\tweather "}, []string{"get_the_weather"}},
		{"other characters are dropped", []string{"aéb天c "}, []string{"abc"}},
		{"punctuation keeps words apart", []string{"files/read.text!", "GET /pets/{id}", "a-/b", "v2::+x"}, []string{"files_read_text", "GET_pets_id", "a-b", "v2_x"}},
		{"a long name is cut at 64", []string{long}, []string{strings.Repeat("x", 64)}},
		{"collisions are numbered in order", []string{"a b", "a_b!", "a b"}, []string{"a_b", "a_b_2", "a_b_3"}},
		{"a numbered name stays within 64", []string{long, long}, []string{strings.Repeat("x", 64), strings.Repeat("x", 62) + "_2"}},
		{"a valid name is never taken by another", []string{"a b", "a.b", "a_b_2", "a_b"}, []string{"a_b_3", "a_b_4", "a_b_2", "a_b"}},
		{"an empty name is generated from the position", []string{"", "x", "天気"}, []string{"tool_1", "x", "tool_3"}},
		{"a generated name gives way", []string{"", "tool_1"}, []string{"tool_1_2", "tool_1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := offered(NewRegistry(named(t, tt.in...), Options{})); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAnyNamesAreOfferedValidUniqueAndFoundAgain(t *testing.T) {
	valid := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.OneOf(
			rapid.StringMatching(`[ab_ .]{0,4}(_2)?`),
			rapid.StringMatching(`[ab]{62,66}`),
			rapid.String(),
		), 0, 12).Draw(t, "names")
		tools := named(t, names...)
		r := NewRegistry(tools, Options{})
		seen := map[string]bool{}
		for i, name := range offered(r) {
			if !valid.MatchString(name) || seen[name] {
				t.Fatalf("%q is offered as %q", names, offered(r))
			}
			seen[name] = true
			if found, ok := r.Lookup(name); !ok || found != tools[i] {
				t.Fatalf("%q does not lead back to %q", name, names[i])
			}
		}
		if again := offered(NewRegistry(tools, Options{})); !slices.Equal(again, offered(r)) {
			t.Fatalf("%q is offered differently the second time", names)
		}
	})
}

func TestRegistryExecutesByOfferedName(t *testing.T) {
	r := NewRegistry(named(t, "get weather", "other"), Options{})
	if got := r.Execute(t.Context(), Call{Name: "get_weather", Arguments: `{"a":1}`}); got.Output != `{"a":1}` {
		t.Errorf("got %+v", got)
	}
	got := r.Execute(t.Context(), Call{Name: "get weather"})
	if got.Status != nestor.ToolCallFailed || got.Code != nestor.CodeNotFound ||
		got.Error != "there is no tool get weather. The tools are: get_weather, other." {
		t.Errorf("got %+v", got)
	}
	for name, want := range map[string]string{
		"":                        "the call does not name its tool. There are no tools.",
		"x":                       "there is no tool x. There are no tools.",
		"multi_tool_use.parallel": "there is no tool multi_tool_use.parallel. Make the calls side by side in one reply, each as a call of its own. There are no tools.",
	} {
		if err := NewRegistry(nil, Options{}).Check(name, "{}"); err.Error() != want {
			t.Errorf("of %q the model is told %q", name, err)
		}
	}
}

func TestSelectTakesNamesAndGlobsInTheToolsOrder(t *testing.T) {
	tools := named(t, "web_fetch", "mcp_files_read", "mcp_files_write", "get weather", "mcp_a/b")
	tools = append(tools, named(t, "pets.list.all")[0].As("pets_list_all_2", "GET /pets/{id}/all"))
	tests := []struct {
		name           string
		patterns, want []string
	}{
		{"by name", []string{"web_fetch"}, []string{"web_fetch"}},
		{"by a name with a space, either way", []string{"get weather", "get_weather"}, []string{"get weather"}},
		{"by a glob", []string{"mcp_files_*"}, []string{"mcp_files_read", "mcp_files_write"}},
		{"a star crosses characters that are not offered", []string{"mcp_*"}, []string{"mcp_files_read", "mcp_files_write", "mcp_a/b"}},
		{"everything", []string{"*"}, []string{"web_fetch", "mcp_files_read", "mcp_files_write", "get weather", "mcp_a/b", "pets_list_all_2"}},
		{"by the name before it was cleaned", []string{"pets.list.*"}, []string{"pets_list_all_2"}},
		{"by the name before it was numbered", []string{"pets_list_all"}, []string{"pets_list_all_2"}},
		{"by an alias", []string{"GET /pets/{id}/all"}, []string{"pets_list_all_2"}},
		{"a star crosses slashes where the glob has one", []string{"GET /*", "mcp_*/b"}, []string{"mcp_a/b", "pets_list_all_2"}},
		{"a glob without a slash finds no path", []string{"GET*", "*}*"}, nil},
		{"in the tools' order, once each", []string{"mcp_*_read", "web_fetch", "mcp_*d"}, []string{"web_fetch", "mcp_files_read"}},
		{"nothing", nil, nil},
		{"a pattern is not a prefix", []string{"web"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, s := range Select(tools, tt.patterns) {
				got = append(got, s.Name)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestAUnionHasWhatAnyOfItsRegistriesHas(t *testing.T) {
	one, two := NewRegistry(named(t, "a", "b"), Options{}), NewRegistry(named(t, "b", "c"), Options{})
	all := Union(one, two)
	if got := offered(all); !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("%v", got)
	}
	for name, from := range map[string]*Registry{"a": one, "b": one, "c": two} {
		want, _ := from.Lookup(name)
		if got, ok := all.Lookup(name); !ok || got != want {
			t.Errorf("%s is another tool", name)
		}
	}
	if err := Union().Check("a", ""); nestor.CodeOf(err) != nestor.CodeNotFound {
		t.Errorf("in none: %v", err)
	}
}

func TestAnOfferIsMadeOnce(t *testing.T) {
	r := NewRegistry(named(t, "one", "two"), Options{})
	more := []llm.Tool{{Name: "three"}}
	all := r.OfferWith(more)
	if again := r.OfferWith(more); &again[0] != &all[0] || len(again) != 3 {
		t.Errorf("%d tools, as before: %v", len(again), &again[0] == &all[0])
	}
	if other := r.OfferWith([]llm.Tool{{Name: "four"}}); other[2].Name != "four" || all[2].Name != "three" {
		t.Errorf("with another tool there is %s, and before there was %s", other[2].Name, all[2].Name)
	}
	if len(r.OfferWith(nil)) != 2 || len(r.Offer()) != 2 {
		t.Error("more is offered than there is")
	}
}
