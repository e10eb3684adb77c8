package xmlcall

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// testTools cover every place and every type.
func testTools() []llm.Tool {
	return []llm.Tool{
		{Name: "ask", Parameters: json.RawMessage(`{"type":"object","properties":{"question":{"type":"string"}},"required":["question"]}`)},
		{Name: "now", Parameters: json.RawMessage(`{"type":"object"}`)},
		{Name: "write_file", Description: "Writes a file.", Parameters: json.RawMessage(`{"type":"object","properties":{
			"path":{"type":"string"},"mode":{"type":"integer"},"note":{"type":"string"},"content":{"type":"string"}},
			"required":["path","content"],"additionalProperties":false}`), XML: &llm.XMLForm{Tag: "write-file", Places: map[string]llm.XMLPlace{
			"path": {Kind: llm.XMLAttribute}, "mode": {Kind: llm.XMLAttribute, Name: "m"}, "note": {Kind: llm.XMLElement}, "content": {Kind: llm.XMLText},
		}}},
		{
			Name: "page", Parameters: json.RawMessage(`{"type":"object","properties":{"title":{"type":"string"},"html":{"type":"string"}},"required":["html"]}`),
			XML: &llm.XMLForm{Places: map[string]llm.XMLPlace{"html": {Kind: llm.XMLRoot}}},
		},
		{Name: "typed", Parameters: json.RawMessage(`{"type":"object","properties":{
			"int":{"type":"integer"},"num":{"type":"number"},"on":{"type":"boolean"},"list":{"type":"array"},"obj":{"type":"object"},
			"opt":{"type":["null","string"]},"either":{"anyOf":[{"type":"integer"},{"type":"string"}]},"any":{},"ref":{"$ref":"#/$defs/n"},
			"size":{"enum":["s","m"]}},"$defs":{"n":{"type":"integer"}}}`)},
	}
}

func newTestParser(t testing.TB, opts Options) *Parser {
	t.Helper()
	p, err := NewParser(testTools(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// transcript writes events as text with calls in double brackets, so that it
// does not depend on how text is divided.
func transcript(events []Event) string {
	var b strings.Builder
	for _, ev := range events {
		switch {
		case ev.Call == nil:
			b.WriteString(ev.Text)
		case ev.Call.Err != nil:
			fmt.Fprintf(&b, "[[%s %s: %v]]", ev.Call.Name, ev.Call.Args, ev.Call.Err)
		default:
			fmt.Fprintf(&b, "[[%s %s]]", ev.Call.Name, ev.Call.Args)
		}
	}
	return b.String()
}

// parse feeds the chunks and returns the transcript.
func parse(p *Parser, chunks ...string) string {
	var all []Event
	for _, c := range chunks {
		all = append(all, p.Feed(c)...)
	}
	return transcript(append(all, p.Close()...))
}

func TestParser(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain text is text", "2 < 3 && a <b> c", "2 < 3 && a <b> c"},
		{"an element is a call between its texts", "so <ask>why?</ask> then", `so [[ask {"question":"why?"}]] then`},
		{"a longer name is another tag", "<asking>why</asking>", "<asking>why</asking>"},
		{"a shorter name is another tag", "<as>why</as>", "<as>why</as>"},
		{"tags are case-sensitive", "<Ask>why</Ask>", "<Ask>why</Ask>"},
		{"a self-closing element is a call", "<now/><now />", `[[now {}]][[now {}]]`},
		{"identical calls are two calls", "<ask>a</ask><ask>a</ask>", `[[ask {"question":"a"}]][[ask {"question":"a"}]]`},
		{"the same tag nests", "<ask>a <ask>b</ask> <ask/> c</ask>.", `[[ask {"question":"a <ask>b</ask> <ask/> c"}]].`},
		{"a closing tag may hold space", "<ask>a</ask\n>.", `[[ask {"question":"a"}]].`},
		{"a longer closing tag does not close", "<ask>a</asking></ask>", `[[ask {"question":"a</asking>"}]]`},
		{"a tag's end in quotes is not its end", `<write-file path="a>b">x</write-file>`, `[[write_file {"path":"a>b","content":"x"}]]`},
		{"entities unescape once", "<ask>&lt;a&gt; &amp;lt; &quot;&apos; &#65;&#x42; &nope; &#0; &</ask>", `[[ask {"question":"<a> &lt; \"' AB &nope; &#0; &"}]]`},
		{"entities in text stay", "a &lt; b", "a &lt; b"},
		{"an unclosed element is text", "see <ask>why", "see <ask>why"},
		{"an unclosed opening tag is text", `see <write-file path="a`, `see <write-file path="a`},
		{"a closing tag alone is text", "a</ask>b", "a</ask>b"},
		{"a cut name is text", "a<as", "a<as"},

		{
			"attributes, children and text map to parameters", "<write-file path='a' m = \"420\">\n  <note>hi</note>\nx\n</write-file>",
			`[[write_file {"path":"a","mode":420,"note":"hi","content":"x"}]]`,
		},
		{"other markup is part of the text", `<write-file path="a"><p>x</p></write-file>`, `[[write_file {"path":"a","content":"<p>x</p>"}]]`},
		{"lines keep their indentation", "<write-file path=\"a\">\n  x\n    y\n</write-file>", `[[write_file {"path":"a","content":"  x\n    y"}]]`},
		{"whitespace as entities is kept", "<ask>&#32;a&#10;</ask>", `[[ask {"question":" a\n"}]]`},
		{"a parameter may be in another place by its own name", `<ask question="why"/>`, `[[ask {"question":"why"}]]`},
		{"the only parameter may be an element of its own name", "<ask>\n  <question>why &lt; what</question>\n</ask>", `[[ask {"question":"why < what"}]]`},
		{"beside other text that element is text", "<ask>a <question>b</question></ask>", `[[ask {"question":"a <question>b</question>"}]]`},
		{"an element of another name is text", "<ask><b>a</b></ask>", `[[ask {"question":"<b>a</b>"}]]`},
		{"two such elements are text", "<ask><question>a</question><question>b</question></ask>", `[[ask {"question":"<question>a</question><question>b</question>"}]]`},
		{
			"the root is all between the tags, as it is written", "<page title=\"T &amp; t\">\n<p>a &lt; b</p>\n<html>x</html>\n</page>",
			`[[page {"title":"T & t","html":"<p>a &lt; b</p>\n<html>x</html>"}]]`,
		},
		{"an empty root is no value", "<page> </page>", `[[page {}: required parameter "html" is missing (everything between the tags, as it is, without escaping)]]`},
		{
			"a missing required parameter is an error", `<write-file m="1">x</write-file>`,
			`[[write_file {"mode":1,"content":"x"}: required parameter "path" is missing (attribute path)]]`,
		},
		{"an empty element has no text", "<ask> \n</ask>", `[[ask {}: required parameter "question" is missing (text of the element)]]`},
		{
			"a wrong type is an error", `<write-file path="a" m="rw">x</write-file>`,
			`[[write_file {"path":"a","mode":"rw","content":"x"}: parameter "mode" must be of type integer, not "rw"]]`,
		},
		{
			"an unknown parameter is an error if the schema forbids it", `<write-file path="a" z="1">x</write-file>`,
			`[[write_file {"path":"a","z":1,"content":"x"}: there is no parameter "z"]]`,
		},
		{"a parameter given twice is an error", `<ask question="a">b</ask>`, `[[ask {"question":"a"}: parameter "question" is given twice]]`},
		{"an attribute needs quotes", `<write-file path=a>x</write-file>`, `[[write_file : <write-file>: attribute path needs a value in quotes]]`},
		{"an attribute needs a value", `<now really/>`, `[[now : <now>: attribute really needs a value in quotes]]`},
		{"stray slashes are malformed", `<now / ></now>`, `[[now : <now>: malformed attributes]]`},
		{"an unclosed child is an error", `<typed><list>[1]</typed>`, `[[typed : <list> is never closed]]`},
		{"text without a parameter for it is an error", `<now>please</now>`, `[[now : <now> takes no text of its own]]`},

		{
			"values convert to the schema's types", `<typed int="12345678901234567890" num="-1.5e3" on="True" size="m"><list>[1, {"a": "&lt;"}]</list><obj>{ "k": null }</obj></typed>`,
			`[[typed {"int":12345678901234567890,"num":-1.5e3,"on":true,"size":"m","list":[1,{"a":"<"}],"obj":{"k":null}}]]`,
		},
		{"an integer may have a fraction of zero", `<typed int="3.0"/>`, `[[typed {"int":3}]]`},
		{"an integer may not have a fraction", `<typed int="3.5"/>`, `[[typed {"int":"3.5"}: parameter "int" must be of type integer, not "3.5"]]`},
		{"null is null where it is allowed", `<typed><opt>null</opt></typed>`, `[[typed {"opt":null}]]`},
		{"a string is a string where null is allowed", `<typed><opt>nil</opt></typed>`, `[[typed {"opt":"nil"}]]`},
		{"alternatives are tried", `<typed><either>7</either></typed><typed><either>x</either></typed>`, `[[typed {"either":7}]][[typed {"either":"x"}]]`},
		{"any type is JSON if it reads as such", `<typed><any>[1]</any></typed><typed><any>one</any></typed>`, `[[typed {"any":[1]}]][[typed {"any":"one"}]]`},
		{"references are followed", `<typed ref="5"/>`, `[[typed {"ref":5}]]`},
		{"a broken array is an error", `<typed><list>[1,</list></typed>`, `[[typed {"list":"[1,"}: parameter "list" must be of type array, not "[1,"]]`},
		{"an array is no object", `<typed><obj>[]</obj></typed>`, `[[typed {"obj":"[]"}: parameter "obj" must be of type object, not "[]"]]`},
		{"unknown parameters pass if the schema allows them", `<typed x="1"><y>two</y></typed>`, `[[typed {"x":1,"y":"two"}]]`},

		{
			"a block of invocations is several calls", "go\n<function_calls>\n<invoke name=\"now\">\n</invoke>\n <invoke name=\"ask\"><parameter name=\"question\">\na &lt; b\n</parameter></invoke>\n</function_calls>\nend",
			"go\n[[now {}]][[ask {\"question\":\"a < b\"}]]\nend",
		},
		{
			"invocations convert and check like elements", `<function_calls><invoke name="write_file"><parameter name="mode">7</parameter></invoke></function_calls>`,
			`[[write_file {"mode":7}: required parameter "path" is missing (attribute path); required parameter "content" is missing (text of the element)]]`,
		},
		{
			"invocations nest", `<function_calls><invoke name="ask"><parameter name="question"><invoke name="x"></invoke></parameter></invoke></function_calls>`,
			`[[ask {"question":"<invoke name=\"x\"></invoke>"}]]`,
		},
		{
			"an unknown tool is an error", `<function_calls><invoke name="rm"><parameter name="a">1</parameter></invoke></function_calls>`,
			`[[rm {"a":1}: there is no tool named "rm"]]`,
		},
		{"an invocation needs a name", `<function_calls><invoke></invoke></function_calls>`, `[[invoke : <invoke> needs exactly one attribute, name="…"]]`},
		{"an invocation holds parameters only", `<function_calls><invoke name="now">now!</invoke></function_calls>`, `[[now : <invoke> may only contain <parameter name="…"> elements]]`},
		{"a parameter needs a name", `<function_calls><invoke name="ask"><parameter>x</parameter></invoke></function_calls>`, `[[ask : <parameter> needs exactly one attribute, name="…"]]`},
		{"an invocation outside a block is text", `<invoke name="now"></invoke>`, `<invoke name="now"></invoke>`},
		{"a block without an invocation is text", "The <function_calls> tag", "The <function_calls> tag"},
		{"a block that ends early keeps its calls", `<function_calls><invoke name="now"></invoke><invoke name="ask">`, `[[now {}]]<invoke name="ask">`},
		{"a block unclosed in its first call is text", `<function_calls><invoke name="now">`, `<function_calls><invoke name="now">`},
		{"text between invocations is text", `<function_calls><invoke name="now"/> and <invoke name="now"/></function_calls>.`, `[[now {}]]and [[now {}]].`},

		{"a code block is text", "```xml\n<now/>\n```\n<now/>", "```xml\n<now/>\n```\n[[now {}]]"},
		{"a code block ends with as many marks", "````\n```\n<now/>\n`````\n<now/>", "````\n```\n<now/>\n`````\n[[now {}]]"},
		{"a line with more than marks does not end a block", "```\n``` x\n<now/>\n```", "```\n``` x\n<now/>\n```"},
		{"a block in a list or quote is text", "1. a\n    ```\n    <now/>\n    ```\n> ```\n> <now/>\n> ```\n<now/>", "1. a\n    ```\n    <now/>\n    ```\n> ```\n> <now/>\n> ```\n[[now {}]]"},
		{"a block may start within a line", "Do: ```\n<now/>\n```\n<now/>", "Do: ```\n<now/>\n```\n[[now {}]]"},
		{"an unclosed block is text to the end", "```\n<now/>", "```\n<now/>"},
		{"a block with carriage returns ends", "```\r\n<now/>\r\n```\r\n<now/>", "```\r\n<now/>\r\n```\r\n[[now {}]]"},
		{"tildes fence too", "~~~\n<now/>\n```\n~~~\n<now/>", "~~~\n<now/>\n```\n~~~\n[[now {}]]"},
		{"tildes within a line do not fence", "a ~~~\n<now/>", "a ~~~\n[[now {}]]"},
		{"inline code is text", "the `<now/>` tag and ``<now/>`x``: <now/>", "the `<now/>` tag and ``<now/>`x``: [[now {}]]"},
		{"a long span on one line is text", "```<now/>``` <now/>", "```<now/>``` [[now {}]]"},
		{"a stray backtick is literal", "it`s <now/>", "it`s [[now {}]]"},
		{"a stray backtick ends with its line", "it`s\n<now/> isn`t", "it`s\n[[now {}]] isn`t"},
		{"a span that is too long is literal", "`" + strings.Repeat("x", lookahead) + "` <now/>", "`" + strings.Repeat("x", lookahead) + "` [[now {}]]"},
		{"backticks in a call are content", "<ask>`a ``` b</ask> <now/>", "[[ask {\"question\":\"`a ``` b\"}]] [[now {}]]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := parse(newTestParser(t, Options{}), tt.in); got != tt.want {
				t.Errorf("one chunk\n got %s\nwant %s", got, tt.want)
			}
			if got := parse(newTestParser(t, Options{}), strings.Split(tt.in, "")...); got != tt.want {
				t.Errorf("one character at a time\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestParserEmitsACallAsSoonAsItIsComplete(t *testing.T) {
	p := newTestParser(t, Options{})
	if got := transcript(p.Feed("a <now/")); got != "a " {
		t.Errorf("before the tag ends: %q", got)
	}
	if got := transcript(p.Feed("> b")); got != "[[now {}]] b" {
		t.Errorf("after the tag ended: %q", got)
	}
	if got := transcript(p.Feed("<function_calls><invoke name='now'/><inv")); got != "[[now {}]]" {
		t.Errorf("within a block: %q", got)
	}
}

func TestParserNeverCutsARune(t *testing.T) {
	p := newTestParser(t, Options{})
	var pieces []string
	for _, c := range []byte("é€😀 `é` <ask>é") {
		for _, ev := range p.Feed(string([]byte{c})) {
			pieces = append(pieces, ev.Text)
		}
	}
	for _, ev := range p.Close() {
		pieces = append(pieces, ev.Text)
	}
	for _, s := range pieces {
		if strings.ToValidUTF8(s, "") != s {
			t.Errorf("piece %q is not valid UTF-8", s)
		}
	}
	if got := strings.Join(pieces, ""); got != "é€😀 `é` <ask>é" {
		t.Errorf("got %q", got)
	}
}

func TestMaxCallsTruncatesAfterTheLastCompleteTag(t *testing.T) {
	tests := []struct {
		name, in, want string
		done           bool
	}{
		{"two calls and a third", "a<now/>b<now/>c<now/>d", "a[[now {}]]b[[now {}]]", true},
		{"within a block", "<function_calls><invoke name='now'/><invoke name='now'/><invoke name='now'/></function_calls>x", "[[now {}]][[now {}]]", true},
		{"fewer calls than allowed", "a<now/>b", "a[[now {}]]b", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, chunks := range [][]string{{tt.in}, strings.Split(tt.in, "")} {
				p := newTestParser(t, Options{MaxCalls: 2})
				if got := parse(p, chunks...); got != tt.want {
					t.Errorf("%d chunks: got %s", len(chunks), got)
				}
				if p.Done() != tt.done {
					t.Errorf("%d chunks: Done = %v", len(chunks), p.Done())
				}
			}
		})
	}
}

func TestACallOverTheLimitIsTextAndAnError(t *testing.T) {
	long := "<ask>" + strings.Repeat("x", 100) + "</ask>"
	in := "a" + long + "<now/>"
	want := "a" + long + "[[ask : the call is larger than 64 bytes and was not made]][[now {}]]"
	for _, chunks := range [][]string{{in}, strings.Split(in, "")} {
		if got := parse(newTestParser(t, Options{MaxCallBytes: 64}), chunks...); got != want {
			t.Errorf("%d chunks\n got %s\nwant %s", len(chunks), got, want)
		}
	}
	p := newTestParser(t, Options{MaxCallBytes: 64})
	p.Feed(long)
	for _, ev := range p.Feed(long) {
		if ev.Call != nil && nestor.CodeOf(ev.Call.Err) != nestor.CodeTooLarge {
			t.Errorf("code = %s", nestor.CodeOf(ev.Call.Err))
		}
	}
}

func TestParserHoldsNoMoreThanItsLimits(t *testing.T) {
	for _, open := range []string{"<ask>", "<ask a='", "`", "<function_calls>", "```\n", "~~~\n~~~", "<"} {
		p := newTestParser(t, Options{MaxCallBytes: 4096})
		p.Feed(open)
		for range 1000 {
			p.Feed(strings.Repeat(" ", 100))
		}
		if held := cap(p.raw) + len(p.held); held > 3*4096 {
			t.Errorf("after %q the parser holds %d bytes", open, held)
		}
	}
}

func TestCheckTellsWhichFormsCannotBeUsed(t *testing.T) {
	two := json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`)
	placed := func(places map[string]llm.XMLPlace) *llm.XMLForm { return &llm.XMLForm{Places: places} }
	tests := []struct {
		name, want string
		tool       llm.Tool
	}{
		{"a broken schema", "parameters", llm.Tool{Name: "x", Parameters: json.RawMessage(`{"type":7}`)}},
		{"a tag with spaces", `"a b" cannot be a tag`, llm.Tool{Name: "x", XML: &llm.XMLForm{Tag: "a b"}}},
		{"the block's own tag", "cannot be a tag", llm.Tool{Name: "function_calls"}},
		{"a parameter that does not exist", `"c"`, llm.Tool{Name: "x", Parameters: two, XML: placed(map[string]llm.XMLPlace{"c": {Kind: llm.XMLAttribute}})}},
		{"two parameters in one place", "same place", llm.Tool{Name: "x", Parameters: two, XML: placed(map[string]llm.XMLPlace{"a": {Kind: llm.XMLText}, "b": {Kind: llm.XMLText}})}},
		{"an attribute with spaces", "cannot name", llm.Tool{Name: "x", Parameters: two, XML: placed(map[string]llm.XMLPlace{"a": {Kind: llm.XMLAttribute, Name: "a b"}})}},
		{"an element beside the root", `"b" can only be an attribute`, llm.Tool{Name: "x", Parameters: two, XML: placed(map[string]llm.XMLPlace{"a": {Kind: llm.XMLRoot}, "b": {Kind: llm.XMLElement}})}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := Check(tt.tool); nestor.CodeOf(err) != nestor.CodeInvalid || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
		})
	}
}

func TestAFormThatDoesNotFitLeavesTheToolItsUsualOne(t *testing.T) {
	one := json.RawMessage(`{"type":"object","properties":{"q":{"type":"string"}}}`)
	p, err := NewParser([]llm.Tool{
		{Name: "changed", Parameters: one, XML: &llm.XMLForm{Tag: "c", Places: map[string]llm.XMLPlace{"gone": {Kind: llm.XMLText}}}},
		{Name: "taken", Parameters: one, XML: &llm.XMLForm{Tag: "now"}},
		{Name: "now"},
	}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := parse(p, `<changed>1</changed><taken>2</taken><now/>`); got != `[[changed {"q":"1"}]][[taken {"q":"2"}]][[now {}]]` {
		t.Errorf("got %s", got)
	}
}

func TestParameterNamesMayHoldAnyCharacter(t *testing.T) {
	tools := []llm.Tool{{Name: "x", Parameters: json.RawMessage(`{"type":"object","properties":{"$top n":{"type":"integer"}}}`)}}
	p, err := NewParser(tools, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := parse(p, `<x _top_n="3"/>`); got != `[[x {"$top n":3}]]` {
		t.Errorf("got %s", got)
	}
}
