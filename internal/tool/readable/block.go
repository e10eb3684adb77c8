package readable

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxNesting is how deep lists and quotes are indented. Deeper ones go on
// without indentation, so that output stays in proportion to input.
const maxNesting = 8

type converter struct {
	base *url.URL
	// hasBlock holds the elements with a block element somewhere below.
	hasBlock map[*html.Node]bool
}

func isBlock(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Center, atom.Dd, atom.Details,
		atom.Dialog, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Form,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header, atom.Hr, atom.Html, atom.Legend, atom.Li,
		atom.Main, atom.Ol, atom.P, atom.Pre, atom.Section, atom.Summary, atom.Table, atom.Tbody, atom.Td, atom.Tfoot,
		atom.Th, atom.Thead, atom.Tr, atom.Ul, atom.Caption, atom.Menu:
		return true
	}
	return n.Type == html.DocumentNode
}

// markBlocks fills hasBlock for n and everything below it.
func (c *converter) markBlocks(n *html.Node) bool {
	found := false
	for child := range n.ChildNodes() {
		if c.markBlocks(child) || isBlock(child) {
			found = true
		}
	}
	if found {
		c.hasBlock[n] = true
	}
	return found
}

// blocks converts the children of n: runs of inline content become paragraphs.
func (c *converter) blocks(n *html.Node, nesting int) []string {
	var out []string
	var paragraph inline
	flush := func() {
		if p := paragraph.String(); p != "" {
			out = append(out, p)
		}
		paragraph = inline{}
	}
	for child := range n.ChildNodes() {
		switch {
		case dropped(child):
		case isBlock(child) || c.hasBlock[child] && child.DataAtom != atom.A:
			flush()
			out = append(out, c.block(child, nesting)...)
		default:
			c.inline(&paragraph, child)
		}
	}
	flush()
	return out
}

func (c *converter) block(n *html.Node, nesting int) []string {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return prefixed(strings.Repeat("#", int(n.Data[1]-'0'))+" ", c.line(n))
	case atom.Dt:
		return wrapped("**", c.line(n))
	case atom.Hr:
		return []string{"---"}
	case atom.Pre:
		return codeBlock(n)
	case atom.Ul, atom.Ol, atom.Menu:
		return c.list(n, nesting)
	case atom.Blockquote:
		inner := c.blocks(n, nesting+1)
		if len(inner) == 0 || nesting >= maxNesting {
			return inner
		}
		return []string{indent(strings.Join(inner, "\n\n"), "> ", "> ")}
	case atom.Table:
		return c.table(n, nesting)
	default:
		return c.blocks(n, nesting)
	}
}

func prefixed(prefix, line string) []string {
	if line == "" {
		return nil
	}
	return []string{prefix + line}
}

func wrapped(mark, line string) []string {
	if line == "" {
		return nil
	}
	return []string{mark + line + mark}
}

// line converts everything below n to one line.
func (c *converter) line(n *html.Node) string {
	var content inline
	for child := range n.ChildNodes() {
		c.inline(&content, child)
	}
	return strings.ReplaceAll(content.String(), "\n", " ")
}

func (c *converter) list(n *html.Node, nesting int) []string {
	var items []string
	number, err := strconv.Atoi(attr(n, "start"))
	if err != nil {
		number = 1
	}
	for child := range n.ChildNodes() {
		if dropped(child) || child.Type != html.ElementNode {
			continue
		}
		marker := "- "
		switch {
		case child.DataAtom != atom.Li: // a list right inside a list, most of the time
			marker = "  "
		case n.DataAtom == atom.Ol:
			marker = fmt.Sprintf("%d. ", number)
			number++
		}
		content := strings.Join(c.item(child, nesting+1), "\n")
		if content == "" {
			continue
		}
		if nesting < maxNesting {
			content = indent(content, marker, strings.Repeat(" ", len(marker)))
		}
		items = append(items, content)
	}
	if len(items) == 0 {
		return nil
	}
	return []string{strings.Join(items, "\n")}
}

func (c *converter) item(n *html.Node, nesting int) []string {
	if n.DataAtom == atom.Ul || n.DataAtom == atom.Ol {
		return c.list(n, nesting)
	}
	return c.blocks(n, nesting)
}

// codeBlock fences the text of a pre element as it is.
func codeBlock(n *html.Node) []string {
	code := strings.Trim(text(n), "\n")
	if strings.TrimSpace(code) == "" {
		return nil
	}
	fence := fenceFor(code, 3)
	return []string{fence + language(n) + "\n" + code + "\n" + fence}
}

// language reads the class language-x or lang-x of a code block.
func language(pre *html.Node) string {
	for n := pre; n != nil; n = n.FirstChild {
		for class := range strings.FieldsSeq(attr(n, "class")) {
			for _, prefix := range []string{"language-", "lang-"} {
				if name, ok := strings.CutPrefix(class, prefix); ok {
					return name
				}
			}
		}
	}
	return ""
}

// indent puts first before the first line and rest before the others.
func indent(text, first, rest string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		switch {
		case i == 0:
			lines[i] = first + line
		case line == "":
			lines[i] = strings.TrimRight(rest, " ")
		default:
			lines[i] = rest + line
		}
	}
	return strings.Join(lines, "\n")
}
