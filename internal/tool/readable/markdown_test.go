package readable

import (
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

var base = &url.URL{Scheme: "https", Host: "example.com", Path: "/docs/page"}

func TestMarkdown(t *testing.T) {
	tests := []struct{ name, html, want string }{
		{"headings and paragraphs", `<h1>One</h1><p>First
			line</p><h3> Two <em>more</em></h3>Loose text<p></p>`, "# One\n\nFirst line\n\n### Two *more*\n\nLoose text"},
		{"inline marks keep the spaces around them", `<p>a<b> bold </b>b <i>it</i>, <del>old</del> <q>said</q></p>`, `a **bold** b *it*, ~~old~~ "said"`},
		{"a line break stays", `<p>one<br> two</p>`, "one\ntwo"},
		{"links become absolute", `<p><a href="../x?a=1">rel</a> <a href="//o.example/(y)">other</a></p>`, "[rel](https://example.com/x?a=1) [other](https://o.example/%28y%29)"},
		{"links to nowhere are text", `<p><a href="#top">top</a> <a href="javascript:x()">js</a> <a>none</a></p>`, "top js none"},
		{"an empty link disappears", `<p>a <a href="/x"></a>b</p>`, "a b"},
		{"a link around blocks is one line", `<a href="/n"><h3>News</h3><p>today</p></a>`, "[News today](https://example.com/n)"},
		{"images count if they say something", `<p><img src="a.png" alt="A chart"><img src="b.png"></p>`, "![A chart](https://example.com/docs/a.png)"},
		{"lists nest", `<ul><li>one<li>two<ol start=3><li>x<li>y</ol></ul>`, "- one\n- two\n  3. x\n  4. y"},
		{"a list right inside a list nests", `<ul><li>one</li><ul><li>in</li></ul></ul>`, "- one\n  - in"},
		{"paragraphs in an item stay in it", `<ol><li><p>a</p><p>b</p></li></ol>`, "1. a\n   b"},
		{"definitions", `<dl><dt>Go</dt><dd>a language</dd></dl>`, "**Go**\n\na language"},
		{"quotes", `<blockquote><p>a</p><blockquote>b</blockquote></blockquote>`, "> a\n>\n> > b"},
		{"code keeps its lines and names its language", "<pre><code class='x language-go'>func f() {\n\treturn\n}\n</code></pre>", "```go\nfunc f() {\n\treturn\n}\n```"},
		{"code with fences in it", "<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````"},
		{"inline code", "<p>use <code>a  b</code> or <code>`</code></p>", "use `a b` or `` ` ``"},
		{"a table of data", `<table><caption>T</caption><thead><tr><th>A<th>B</thead><tr><td>1|2<td><p>x</p><p>y</p></table>`, "**T**\n\n| A | B |\n| --- | --- |\n| 1\\|2 | x y |"},
		{"a table for layout", `<table><tr><td><h2>L</h2><table><tr><td>a<td>b</table></table>`, "## L\n\n| a | b |\n| --- | --- |"},
		{"a rule", `a<hr>b`, "a\n\n---\n\nb"},
		{"entities", `<p>a &lt; b &amp;&nbsp;c &#8364;</p>`, "a < b & c €"},
		{
			"what is not for readers is dropped",
			`<head><style>x</style></head><nav>menu</nav><script>s</script><noscript>n</noscript><template>t</template>
			<div role="navigation">m</div><div hidden>h</div><div data-x aria-hidden="true">a</div><p style="display: none">d</p>
			<svg><title>icon</title></svg><form><button>b</button><select><option>o</select>kept</form><!-- c -->`, "kept",
		},
		{"inline elements around blocks vanish", `<span><div>a</div>b</span>`, "a\n\nb"},
		{"main holds the content", `<header>site</header><main><p>this</p></main><footer>foot</footer>`, "this"},
		{"an only article holds the content", `<p>site</p><article><p>this</p></article>`, "this"},
		{"several articles are all content", `<article>a</article><article>b</article>`, "a\n\nb"},
		{"an empty main is no content", `<p>a</p><main> </main>`, "a"},
		{"base href", `<base href="https://cdn.example/b/"><a href="c">x</a>`, "[x](https://cdn.example/b/c)"},
		{"nothing", ``, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			page, err := Parse(t.Context(), strings.NewReader(tt.html), base)
			if err != nil {
				t.Fatal(err)
			}
			if page.Markdown != tt.want {
				t.Errorf("got  %q\nwant %q", page.Markdown, tt.want)
			}
		})
	}
}

func TestTitle(t *testing.T) {
	page, err := Parse(t.Context(), strings.NewReader("<title>\n A &amp; B </title><svg><title>icon</title></svg>"), base)
	if err != nil || page.Title != "A & B" {
		t.Errorf("got %q, %v", page.Title, err)
	}
}

func TestDeepNestingStaysInProportion(t *testing.T) {
	for _, tag := range []string{"blockquote", "ul><li", "em", "div"} {
		page, err := Parse(t.Context(), strings.NewReader(strings.Repeat("<"+tag+">", 200)+strings.Repeat("x<br>", 1000)), base)
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Markdown) > 50_000 {
			t.Errorf("%s: %d bytes of Markdown", tag, len(page.Markdown))
		}
	}
	if _, err := Parse(t.Context(), strings.NewReader(strings.Repeat("<div>", 10_000)), base); err == nil {
		t.Error("10,000 nested elements were accepted")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`<h1>a</h1><p>b <a href="c">d</a></p><ul><li>e<ol><li>f</ol></ul><table><tr><td>g<td>h</table><pre>i</pre>`)
	f.Add("<blockquote><table><caption><ul><dl><dt>\xff<b> <i>")
	f.Fuzz(func(t *testing.T, page string) {
		got, err := Parse(t.Context(), strings.NewReader(page), base)
		if err == nil && utf8.ValidString(page) && !utf8.ValidString(got.Markdown) {
			t.Errorf("%q gave invalid text %q", page, got.Markdown)
		}
	})
}
