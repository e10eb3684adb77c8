package app

import "testing"

// DoorPatterns are the patterns of all doors, as the server routes them.
func DoorPatterns(t *testing.T) (patterns []string) {
	t.Helper()
	s, err := Open(t.Context(), Config{Data: t.TempDir(), Env: func(string) string { return "" }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, m := range s.modules {
		for _, d := range m.Doors {
			patterns = append(patterns, d.Pattern)
		}
	}
	return patterns
}
