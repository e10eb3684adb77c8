package readable

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"
)

// Pages made to cost: each must be turned down or read in time, and the output stay
// in proportion.
func TestAPageMadeToCostIsReadInBoundedTimeAndSpace(t *testing.T) {
	const size = 1 << 20
	fill := func(piece string) string { return strings.Repeat(piece, size/len(piece)) }
	base, err := url.Parse("https://a.example/")
	if err != nil {
		t.Fatal(err)
	}
	for name, page := range map[string]string{
		"a code block of backticks":        "<pre>" + fill("`") + "</pre>",
		"code blocks of backticks":         fill("<pre>" + strings.Repeat("`", 1000) + "</pre>"),
		"inline code of backticks":         "<code>" + fill("`") + "</code>",
		"open elements":                    fill("<div>"),
		"open lists":                       fill("<ul><li>"),
		"nested quotes with lines":         strings.Repeat("<blockquote>", 400) + fill("x<br>"),
		"open formatting elements":         fill("<b><i><font>"),
		"formatting elements and blocks":   fill("<b><p>x"),
		"misnested formatting":             fill("<a><b></a><i></b></i>"),
		"a table of empty cells":           "<table>" + fill("<td>"),
		"a table with one very long row":   "<table><tr>" + fill("<td>x</td>") + "<tr><td>y</table>",
		"a table with very many rows":      "<table>" + fill("<tr><td>x") + "</table>",
		"tables in tables":                 fill("<table><tr><td>"),
		"a wide row above many short rows": "<table><tr>" + strings.Repeat("<td>x</td>", 50_000) + strings.Repeat("<tr><td>y", 100_000) + "</table>",
		"entities":                         fill("&CounterClockwiseContourIntegral;"),
		"attributes":                       "<p " + fill("a=b ") + ">x",
		"links":                            fill(`<a href="/x">y</a>`),
		"empty links":                      fill(`<a href="/x">`),
		"headings in headings":             fill("<h1><span>x"),
		"one line of blanks":               "<p>" + fill(" \n") + "x",
		"comments":                         fill("<!---->"),
		"templates":                        fill("<template>"),
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			type outcome struct {
				page Page
				err  error
			}
			done := make(chan outcome, 1)
			go func() {
				p, err := Parse(ctx, strings.NewReader(page), base)
				done <- outcome{p, err}
			}()
			select {
			case got := <-done:
				if got.err == nil && len(got.page.Markdown) > 10*size {
					t.Errorf("%d bytes became %d", len(page), len(got.page.Markdown))
				}
			case <-time.After(time.Minute):
				t.Fatal("it is not done in a minute")
			}
		})
	}
}
