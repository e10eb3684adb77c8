package bench

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/llm"
	"github.com/nestorhq/nestor/internal/tool/xmlcall"
)

// BenchmarkXMLCall measures the streaming parser on replies as models write
// them, in chunks of about a token and in one piece.
func BenchmarkXMLCall(b *testing.B) {
	tools := []llm.Tool{{Name: "write_file", Parameters: json.RawMessage(
		`{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path","content"]}`)}}
	prose := strings.Repeat("The quick brown fox is < 3 feet away, *really*, and says `hello` to <b>everyone</b>.\n", 1000)
	call := "<write_file><path>a.txt</path><content>" + strings.Repeat("if a &lt; b { return }\n", 100) + "</content></write_file>\n"
	mixed := strings.Repeat("Let me write that down.\n\n"+call+"```go\nx := a < b\n```\n", 20)

	for _, bm := range []struct {
		name, text string
		chunk      int
	}{
		{"prose in tokens", prose, 4},
		{"prose in one piece", prose, len(prose)},
		{"calls in tokens", mixed, 4},
		{"calls in one piece", mixed, len(mixed)},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.SetBytes(int64(len(bm.text)))
			b.ReportAllocs()
			for b.Loop() {
				p, err := xmlcall.NewParser(tools, xmlcall.Options{})
				if err != nil {
					b.Fatal(err)
				}
				events := 0
				for rest := bm.text; rest != ""; {
					n := min(bm.chunk, len(rest))
					events += len(p.Feed(rest[:n]))
					rest = rest[n:]
				}
				if events += len(p.Close()); events == 0 {
					b.Fatal("no events")
				}
			}
		})
	}
}
