package readable

import (
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// inline collects the text of a paragraph; white space collapses as it does
// in a browser.
type inline struct {
	b       strings.Builder
	space   bool // white space is due before the next word
	leading bool // there was white space before the first word
}

func (p *inline) text(s string) {
	for _, r := range s {
		if unicode.IsSpace(r) {
			p.space = true
			p.leading = p.leading || p.b.Len() == 0
			continue
		}
		p.gap()
		p.b.WriteRune(r)
	}
}

// mark writes s as it is.
func (p *inline) mark(s string) {
	p.gap()
	p.b.WriteString(s)
}

func (p *inline) newline() {
	if p.b.Len() > 0 {
		p.b.WriteByte('\n')
	}
	p.space = false
}

func (p *inline) gap() {
	if p.space && p.b.Len() > 0 && !strings.HasSuffix(p.b.String(), "\n") {
		p.b.WriteByte(' ')
	}
	p.space = false
}

func (p *inline) String() string { return strings.TrimSpace(p.b.String()) }

// inline converts n, whatever it is, into running text.
func (c *converter) inline(p *inline, n *html.Node) {
	if dropped(n) {
		return
	}
	if n.Type == html.TextNode {
		p.text(n.Data)
		return
	}
	switch n.DataAtom {
	case atom.Br:
		p.newline()
	case atom.Strong, atom.B:
		c.surrounded(p, n, "**", "**")
	case atom.Em, atom.I:
		c.surrounded(p, n, "*", "*")
	case atom.Del, atom.S:
		c.surrounded(p, n, "~~", "~~")
	case atom.Q:
		c.surrounded(p, n, "\"", "\"")
	case atom.Code, atom.Kbd, atom.Samp:
		p.codeSpan(strings.Join(strings.Fields(text(n)), " "))
	case atom.Img:
		if alt := strings.TrimSpace(attr(n, "alt")); alt != "" {
			p.mark("![" + strings.Join(strings.Fields(alt), " ") + "](" + c.resolve(attr(n, "src")) + ")")
		}
	case atom.A:
		if address := c.resolve(attr(n, "href")); address != "" {
			c.surrounded(p, n, "[", "]("+address+")")
			return
		}
		c.children(p, n)
	default:
		if isBlock(n) {
			p.space = true // blocks that end up inside a line are words apart
			defer func() { p.space = true }()
		}
		c.children(p, n)
	}
}

func (c *converter) children(p *inline, n *html.Node) {
	for child := range n.ChildNodes() {
		c.inline(p, child)
	}
}

// surrounded puts marks around the content of n, inside its outer white space.
func (c *converter) surrounded(p *inline, n *html.Node, before, after string) {
	var content inline
	c.children(&content, n)
	p.space = p.space || content.leading
	if words := content.String(); words != "" {
		p.mark(before + words + after)
		p.space = content.space
	}
}

func (p *inline) codeSpan(code string) {
	if code == "" {
		return
	}
	fence := fenceFor(code, 1)
	if len(fence) > 1 {
		code = " " + code + " "
	}
	p.mark(fence + code + fence)
}

// fenceFor is a run of backticks, at least so many, that is not in the code.
func fenceFor(code string, least int) string {
	longest, run := 0, 0
	for i := range len(code) {
		if code[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return strings.Repeat("`", max(least, longest+1))
}

// resolve returns the absolute form of a link, or "" if it leads nowhere a
// reader could go.
func (c *converter) resolve(href string) string {
	href = strings.TrimSpace(href)
	if href == "" || strings.HasPrefix(href, "#") {
		return ""
	}
	u, err := c.base.Parse(href)
	if err != nil {
		return ""
	}
	switch u.Scheme {
	case "http", "https", "mailto", "tel":
		return strings.NewReplacer("(", "%28", ")", "%29", " ", "%20").Replace(u.String())
	default:
		return ""
	}
}
