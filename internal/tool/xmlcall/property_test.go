package xmlcall

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// fragments are the bytes that decide something, and a little of everything else.
var fragments = []string{
	"<ask>", "</ask>", "<ask", "<asking>", "<now/>", "<now", "/>", ">", "<", "/", "=", `"`, "'", " ", "\n", "\r\n", "\t",
	"`", "``", "```", "````", "~~~", "~", "> ", "a", "é", "😀", "\xff", "&lt;", "&#65;", "&",
	`<page title="`, "<page>", "</page>", `<write-file path="a">`, "</write-file>", "<note>", "</note>", `<typed int="`, "</typed>",
	"<function_calls>", "</function_calls>", `<invoke name="ask">`, `<invoke name="`, "<invoke", "</invoke>",
	`<parameter name="question">`, "</parameter>", strings.Repeat("x", 40),
}

// cut divides s at drawn positions.
func cut(t *rapid.T, s string) []string {
	var chunks []string
	for s != "" {
		n := rapid.IntRange(1, min(len(s), 24)).Draw(t, "chunk size")
		chunks = append(chunks, s[:n])
		s = s[n:]
	}
	return chunks
}

func TestAnyDivisionIntoChunksGivesTheSameEvents(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := strings.Join(rapid.SliceOfN(rapid.SampledFrom(fragments), 0, 60).Draw(rt, "fragments"), "")
		opts := Options{
			MaxCalls:     rapid.IntRange(0, 3).Draw(rt, "max calls"),
			MaxCallBytes: rapid.SampledFrom([]int{0, 24, 100}).Draw(rt, "max bytes"),
		}
		want := parse(newTestParser(t, opts), in)
		got := parse(newTestParser(t, opts), cut(rt, in)...)
		if got != want {
			rt.Fatalf("input %q\n got %s\nwant %s", in, got, want)
		}
	})
}

func TestNothingOfAReplyIsLost(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		in := strings.Join(rapid.SliceOfN(rapid.SampledFrom(fragments), 0, 60).Draw(rt, "fragments"), "")
		in = strings.ReplaceAll(in, blockClose, "") // it and the layout in a block are no event
		p := newTestParser(t, Options{})
		var out strings.Builder
		write := func(events []Event) {
			for _, ev := range events {
				out.WriteString(ev.Text)
				if ev.Call != nil {
					out.WriteString(ev.Call.Raw)
				}
			}
		}
		for _, chunk := range cut(rt, in) {
			write(p.Feed(chunk))
		}
		write(p.Close())
		if strip(out.String()) != strip(in) {
			rt.Fatalf("input  %q\noutput %q", in, out.String())
		}
	})
}

func strip(s string) string { return strings.Join(strings.Fields(s), "") }

func TestAWrittenCallParsesToTheSameArguments(t *testing.T) {
	g, err := newGrammar(testTools())
	if err != nil {
		t.Fatal(err)
	}
	text := rapid.StringOf(rapid.RuneFrom([]rune("ab1 \n\t\r<>&\"'`/é😀[]{}=;#")))
	scalar := rapid.OneOf(
		rapid.Map(rapid.Int64(), func(n int64) any { return n }),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Map(text, func(s string) any { return s }),
		rapid.SampledFrom([]any{nil, "null", "12", "true", "{}", []any{1, "<"}, map[string]any{"<": " "}}),
	)
	rapid.Check(t, func(rt *rapid.T) {
		args := map[string]any{}
		name := rapid.SampledFrom([]string{"ask", "write_file", "page", "typed", "elsewhere"}).Draw(rt, "tool")
		switch name {
		case "ask":
			args["question"] = text.Draw(rt, "question")
		case "write_file":
			args["path"], args["content"] = text.Draw(rt, "path"), text.Draw(rt, "content")
			args["note"], args["mode"] = text.Draw(rt, "note"), rapid.Int().Draw(rt, "mode")
		case "page":
			args["title"] = text.Draw(rt, "title")
			args["html"] = strings.Join(rapid.SliceOf(rapid.OneOf(text, rapid.SampledFrom([]string{"<page>", "</page>", "<page/>", "<p>"}))).Draw(rt, "html"), "")
		case "typed":
			args["on"], args["any"] = rapid.Bool().Draw(rt, "on"), scalar.Draw(rt, "any")
			args["list"] = rapid.SliceOf(scalar).Draw(rt, "list")
		default:
			args["x y"] = scalar.Draw(rt, "x y")
		}
		encoded, err := json.Marshal(args)
		if err != nil {
			rt.Fatal(err)
		}
		written := g.write(name, string(encoded))
		events := newParser(g, Options{}).Feed(written)
		if len(events) != 1 || events[0].Call == nil {
			rt.Fatalf("%s\nis read as %s", written, transcript(events))
		}
		got, want := canonical(events[0].Call.Args), canonical(encoded)
		if events[0].Call.Name != name || got != want {
			rt.Fatalf("%s\nis read as %s %s, want %s", written, events[0].Call.Name, got, want)
		}
	})
}

func canonical(encoded []byte) string {
	var v any
	if err := json.Unmarshal(encoded, &v); err != nil {
		return err.Error()
	}
	out, _ := json.Marshal(v)
	return string(out)
}
