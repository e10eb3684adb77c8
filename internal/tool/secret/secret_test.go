package secret

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
)

func env(values map[string]string) Env {
	return func(name string) (string, bool) {
		v, ok := values[name]
		return v, ok
	}
}

func TestExpandFillsVariablesIn(t *testing.T) {
	e := Expander{Env: env(map[string]string{"KEY": " s3cret-value\n", "USER_1": "ada"})}
	tests := []struct{ in, want string }{
		{"Bearer ${KEY}", "Bearer s3cret-value"},
		{"${USER_1}:${KEY}", "ada:s3cret-value"},
		{"no reference, $KEY and {KEY} neither", "no reference, $KEY and {KEY} neither"},
		{"${1KEY} ${}", "${1KEY} ${}"},
	}
	for _, tt := range tests {
		if got := e.Expand(tt.in); got != tt.want {
			t.Errorf("Expand(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
	if err := e.Err(); err != nil {
		t.Error(err)
	}
	e = Expander{Env: env(map[string]string{"KEY": "a&b=c", "BASE": "https://a.example/x"})}
	if got, want := e.ExpandURL("${BASE}/y?k=${KEY}&l=1"), "https://a.example/x/y?k=a%26b%3Dc&l=1"; got != want {
		t.Errorf("ExpandURL gave %q, want %q", got, want)
	}
}

func TestMissingVariablesAreNamed(t *testing.T) {
	e := Expander{Env: env(map[string]string{"EMPTY": " "})}
	e.Expand("${GONE} ${EMPTY} ${GONE}")
	err := e.Err()
	if !errors.Is(err, nestor.ErrUnavailable) || err.Error() != "set the environment variables GONE, EMPTY" {
		t.Errorf("got %v", err)
	}
}

func TestMaskHidesEverySpelling(t *testing.T) {
	m := NewMask(map[string]string{"KEY": `p/s "x" ü`, "TINY": "eu", "LONG": "abcdef", "PART": "abcd"})
	tests := []struct{ name, in, want string }{
		{"plain", `key=p/s "x" ü!`, "key=${KEY}!"},
		{"in a query", "?k=p%2Fs+%22x%22+%C3%BC&", "?k=${KEY}&"},
		{"in a path", "/p%2Fs%20%22x%22%20%C3%BC/", "/${KEY}/"},
		{"in JSON", `{"k":"p/s \"x\" ü"}`, `{"k":"${KEY}"}`},
		{"the longer of two that overlap", "abcdef abcd", "${LONG} ${PART}"},
		{"values too short to be secrets stay", "neutral", "neutral"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := m.Hide(tt.in); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestHidePartNeverShowsTheBeginningOfASecret(t *testing.T) {
	const value = "0123456789abcdef"
	m := NewMask(map[string]string{"KEY": value})
	text := "head " + value + " middle " + value
	for end := range len(text) + 1 {
		if got := m.HidePart(text[:end]); strings.Contains(got, "0123") {
			t.Errorf("cut at %d: %q", end, got)
		}
	}
}

func TestHideErrorKeepsTheCodeAndDropsTheCause(t *testing.T) {
	m := NewMask(map[string]string{"KEY": "hunter22"})
	cause := fmt.Errorf("dial hunter22")
	err := m.HideError(nestor.Errorf(nestor.CodeTimeout, "calling: %w", cause))
	if err.Error() != "calling: dial ${KEY}" || !errors.Is(err, nestor.ErrTimeout) || errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
	if m.HideError(nil) != nil {
		t.Error("nil became an error")
	}
}

func TestANilMaskHidesNothing(t *testing.T) {
	m := NewMask(nil)
	if m.Hide("x") != "x" || m.HidePart("x") != "x" {
		t.Error("the text changed")
	}
}
