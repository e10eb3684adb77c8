package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzEncode compares the text of any object with that of encoding/json.
func FuzzEncode(f *testing.F) {
	for _, text := range []string{
		`{}`, `{"b":1,"a":[true,false,null,[],{}],"":-9223372036854775808}`, `{"x":1.5e-9,"y":1e300,"n":{"z":{"y":"x"}}}`,
		`{"t":"\u2028 and \u2029, â and \u202a, <b>&amp;</b> \"\\/ \b\f\n\r\t\u0001\u001f\u007f 😀"}`,
		`{"quotes\"in\nnames":[[1],[{"a":[]}]]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := decodeObject(text)
		if err == nil {
			sameText(t, m)
		}
	})
}

func TestEncodeWritesWhatTheStandardLibraryDoes(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	for range 2000 {
		sameText(t, anyObject(r, 4))
	}
	if t.Failed() {
		t.Logf("seed %d", seed)
	}
	for _, v := range []any{int32(7), json.RawMessage(`{"b":1}`), []any(nil), map[string]any(nil), []string{"<"}, float32(0.5)} {
		sameText(t, map[string]any{"v": v})
	}
	if _, err := Encode(map[string]any{"v": func() {}}); err == nil {
		t.Error("a function was encoded")
	}
}

func sameText(t *testing.T, m map[string]any) {
	t.Helper()
	got, err := Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	enc := json.NewEncoder(&want)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		t.Fatal(err)
	}
	if string(got) != strings.TrimSuffix(want.String(), "\n") {
		t.Errorf("got  %s\nwant %s", got, want.String())
	}
}

func anyObject(r *rand.Rand, depth int) map[string]any {
	m := map[string]any{}
	for range r.IntN(20) {
		m[anyText(r)] = anyValue(r, depth)
	}
	return m
}

func anyValue(r *rand.Rand, depth int) any {
	switch n := r.IntN(8); {
	case n == 0:
		return nil
	case n == 1:
		return r.IntN(2) == 0
	case n == 2:
		return int64(r.Uint64())
	case n == 3:
		return r.NormFloat64() * float64(r.Int64())
	case n == 4 && depth > 0:
		return anyObject(r, depth-1)
	case n == 5 && depth > 0:
		list := make([]any, r.IntN(4))
		for i := range list {
			list[i] = anyValue(r, depth-1)
		}
		return list
	}
	return anyText(r)
}

// anyText has many of the characters that are written otherwise than they are.
func anyText(r *rand.Rand) string {
	var b strings.Builder
	for range r.IntN(12) {
		switch r.IntN(4) {
		case 0:
			b.WriteRune(rune(1 + r.IntN(0x80)))
		case 1:
			b.WriteRune(0x2020 + rune(r.IntN(16)))
		case 2:
			if c := rune(r.IntN(utf8.MaxRune)); utf8.ValidRune(c) {
				b.WriteRune(c)
			}
		default:
			fmt.Fprintf(&b, "word%d ", r.IntN(100))
		}
	}
	return b.String()
}

func BenchmarkEncode(b *testing.B) {
	m := map[string]any{
		"role": "tool", "content": strings.Repeat("31415926535", 90), "name": "calculator", "toolCallId": "01JCV8Q6K3", "runId": "01JCV8Q6K3",
		"metadata": map[string]any{"model": "gemini", "usage": map[string]any{"inputTokens": int64(1234), "outputTokens": int64(60)}, "durationMs": int64(3)},
	}
	b.Run("ours", func(b *testing.B) {
		for b.Loop() {
			if _, err := Encode(m); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding/json", func(b *testing.B) {
		for b.Loop() {
			var text bytes.Buffer
			enc := json.NewEncoder(&text)
			enc.SetEscapeHTML(false)
			if err := enc.Encode(m); err != nil {
				b.Fatal(err)
			}
		}
	})
}
