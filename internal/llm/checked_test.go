package llm

import (
	"fmt"
	"strings"
	"testing"
)

func TestWhatWasFoundToBeAnObjectIsRememberedByItsContent(t *testing.T) {
	var c checked
	text := []byte(`{"type":"object"}`)
	for range 2 {
		if !c.isObject(text) {
			t.Error("an object is not taken for one")
		}
	}
	text[0] = '[' // the same array, and another text
	for range 2 {
		if c.isObject(text) || c.isObject([]byte(`{"type"`)) {
			t.Error("what is no object is taken for one")
		}
	}
	for i := range 40 {
		if !c.isObject(fmt.Appendf(nil, `{"text":"%d%s"}`, i, strings.Repeat("x", 100_000))) {
			t.Error("a large object is not taken for one")
		}
		if c.size > maxChecked {
			t.Fatalf("%d bytes are remembered, want at most %d", c.size, maxChecked)
		}
	}
}
