package llm

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestAMemoCountsForWhatItWasMadeOf(t *testing.T) {
	parts := []Part{Text{Text: "a"}, Text{Text: "b"}}
	m := Message{Role: RoleUser, Parts: parts, Memo: &Memo{}}
	u := Tool{Name: "t", Description: "d", Parameters: json.RawMessage(`{}`), Memo: &Memo{}}
	made := 0
	encode := func() ([]byte, error) { made++; return []byte{byte(made)}, nil }

	cut, other, forgetful := m, m, m
	cut.Parts, other.Parts, forgetful.Memo = parts[:1], slices.Clone(parts), nil
	renamed, described, changed := u, u, u
	renamed.Name, described.Description, changed.Parameters = "u", "e", json.RawMessage(`{}`)
	for _, tt := range []struct {
		name string
		wire func(by any) ([]byte, error)
	}{
		{"a message", func(by any) ([]byte, error) { return m.Wire(by, encode) }},
		{"a message that was cut", func(by any) ([]byte, error) { return cut.Wire(by, encode) }},
		{"a message with other parts", func(by any) ([]byte, error) { return other.Wire(by, encode) }},
		{"a tool", func(by any) ([]byte, error) { return u.Wire(by, encode) }},
		{"a tool of another name", func(by any) ([]byte, error) { return renamed.Wire(by, encode) }},
		{"a tool that does something else", func(by any) ([]byte, error) { return described.Wire(by, encode) }},
		{"a tool with other parameters", func(by any) ([]byte, error) { return changed.Wire(by, encode) }},
	} {
		for i, by := range []string{"one", "one", "two"} {
			before := made
			text, err := tt.wire(by)
			if err != nil || int(text[0]) != made || made-before != (i+1)%2 {
				t.Errorf("%s, %s: made %d times, %v", tt.name, by, made-before, err)
			}
		}
	}
	for range 2 {
		before := made
		if _, err := forgetful.Wire("one", encode); err != nil || made != before+1 {
			t.Errorf("without a memo: made %d times, %v", made-before, err)
		}
	}
}
