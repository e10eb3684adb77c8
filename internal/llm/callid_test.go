package llm

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestAnIdGoesBackAsItCameWhereItIsTaken(t *testing.T) {
	long := strings.Repeat("a", 41)
	for _, tt := range []struct {
		form               IDForm
		id, provider, want string
	}{
		{AnyID, "ours", "functions.search:0", "functions.search:0"},
		{AnyID, "ours", "", "ours"},
		{AnyID, "ours", "a b\n", "ours"},
		{ID40, "ours", "call_abc", "call_abc"},
		{ID40, "ours", long, "ours"},
		{PlainID, "ours", "toolu_01-x", "toolu_01-x"},
		{PlainID, "ours", "functions.search:0", "ours"},
		{ID9, "ours", "aB3dE5gH7", "aB3dE5gH7"},
		{ID9, "ours", "toolu_01x", shortID("ours")},
	} {
		if got := tt.form.WireID(tt.id, tt.provider); got != tt.want {
			t.Errorf("form %d of %q and %q is %q, want %q", tt.form, tt.id, tt.provider, got, tt.want)
		}
	}
}

func TestWhateverTheIdItHasTheFormAndStaysTheSame(t *testing.T) {
	forms := map[IDForm]*regexp.Regexp{
		AnyID: regexp.MustCompile(`^[!-~]{1,256}$`), ID40: regexp.MustCompile(`^[!-~]{1,40}$`),
		PlainID: regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`), ID9: regexp.MustCompile(`^[a-zA-Z0-9]{9}$`),
	}
	rapid.Check(t, func(t *rapid.T) {
		id, provider := rapid.String().Draw(t, "id"), rapid.String().Draw(t, "provider")
		for form, want := range forms {
			got := form.WireID(id, provider)
			if !want.MatchString(got) || got != form.WireID(id, provider) {
				t.Errorf("form %d of %q and %q is %q", form, id, provider, got)
			}
		}
	})
}
