package tokens

import (
	"bytes"
	"compress/gzip"
	"flag"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/tiktoken-go/tokenizer/codec"
	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "write the files of the vocabularies anew, from those of the library")

// official are the library's vocabularies.
var official = map[encoding]func() *codec.Codec{
	cl100k: sync.OnceValue(codec.NewCl100kBase), o200k: sync.OnceValue(codec.NewO200kBase),
}

// The files hold each token of the library, in its order.
func TestTheVocabulariesAreThoseOfTheLibrary(t *testing.T) {
	for _, tt := range []struct {
		by   encoding
		file string
		have []byte
		ids  uint
	}{
		{cl100k, "cl100k.gz", cl100kTokens, 100_256},
		{o200k, "o200k.gz", o200kTokens, 199_998},
	} {
		var list bytes.Buffer
		for id := range tt.ids {
			token, err := official[tt.by]().Decode([]uint{id})
			if err != nil || len(token) == 0 || len(token) > 255 {
				t.Fatalf("%s: token %d is %q, %v", tt.file, id, token, err)
			}
			list.WriteByte(byte(len(token)))
			list.WriteString(token)
		}
		if *update {
			writeCompressed(t, tt.file, list.Bytes())
			continue
		}
		if have, err := decompress(tt.have); err != nil || have != list.String() {
			t.Errorf("%s is not the library's vocabulary, %v (run with -update to write it anew)", tt.file, err)
		}
	}
}

func writeCompressed(t *testing.T, file string, text []byte) {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func checkCounts(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string,
) {
	t.Helper()
	for by, v := range map[encoding]*vocabulary{cl100k: cl100kVocabulary(), o200k: o200kVocabulary()} {
		want, wantErr := official[by]().Count(text)
		got, err := v.count(text)
		if got != want || (err == nil) != (wantErr == nil) {
			t.Fatalf("encoding %d: %d tokens, %v, the library counts %d, %v, in %q", by, got, err, want, wantErr, text)
		}
	}
}

func TestTokensAreCountedAsTheLibraryDoes(t *testing.T) {
	for _, text := range []string{
		"", " ", "Hello, world", "isn't it? IT'S", "\x7f\x00", "\xff\xfe", "a\r\n\r\n  b", "  \t x", "12345678", "x/y//z\n/",
		"Größere Unternehmen", "政府昨天宣布了改革", "🎉👩‍👩‍👧", "getUserName()", strings.Repeat("a", 300), strings.Repeat(" ", 300), strings.Repeat("=", 300),
	} {
		checkCounts(t, text)
	}
	words := rapid.OneOf(
		rapid.String(),
		rapid.StringMatching(`[a-zA-Z'\-_ ]{0,40}`),
		rapid.StringMatching(`[\s\d!-/:-@]{0,40}`),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
	)
	rapid.Check(t, func(t *rapid.T) {
		checkCounts(t, strings.Join(rapid.SliceOfN(words, 0, 8).Draw(t, "words"), ""))
	})
}

const benchText = "The quick brown fox jumps over the lazy dog. Größere Unternehmen müssen künftig Berichte vorlegen; func main() { fmt.Println(\"hi\", 12345) }\n"

// BenchmarkCount measures how fast each way of counting is.
func BenchmarkCount(b *testing.B) {
	for _, model := range []string{"gpt-4", "gpt-5", "claude-opus-5"} {
		b.Run(model, func(b *testing.B) {
			text := strings.Repeat(benchText, 60)
			Count(model, text) // unpacks the vocabulary
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				Count(model, text)
			}
		})
	}
}
