// Package readable turns an HTML page into Markdown that a model can read:
// headings, paragraphs, links, lists, quotes, code and tables. What is there
// for browsers only (scripts, styles, navigation, hidden parts) is left out.
package readable

import (
	"context"
	"io"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Page is what is worth reading of a document.
type Page struct {
	Title    string
	Markdown string
}

// Parse reads UTF-8 HTML. Relative links are resolved against base. It fails
// only if r does, if elements are nested absurdly deep, or if ctx ends: pages can
// be written that take the parser very long.
func Parse(ctx context.Context, r io.Reader, base *url.URL) (Page, error) {
	doc, err := html.Parse(&bounded{ctx, r})
	if err != nil {
		return Page{}, err
	}
	c := &converter{base: base, hasBlock: map[*html.Node]bool{}}
	var page Page
	for n := range doc.Descendants() {
		switch {
		case n.DataAtom == atom.Title && n.Namespace == "" && page.Title == "":
			page.Title = strings.Join(strings.Fields(text(n)), " ")
		case n.DataAtom == atom.Base:
			if href, err := url.Parse(attr(n, "href")); err == nil {
				c.base = base.ResolveReference(href)
			}
		}
	}
	root := mainContent(doc)
	c.markBlocks(root)
	page.Markdown = strings.Join(c.blocks(root, 0), "\n\n")
	return page, nil
}

// bounded is a reader that ends with its context.
type bounded struct {
	ctx context.Context
	io.Reader
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.ctx.Err() != nil {
		return 0, context.Cause(b.ctx)
	}
	return b.Reader.Read(p)
}

// mainContent finds the element that holds what the page is about: the only
// main element, else the only article, else the whole document.
func mainContent(doc *html.Node) *html.Node {
	var mains, articles []*html.Node
	for n := range doc.Descendants() {
		switch {
		case n.DataAtom == atom.Main || attr(n, "role") == "main":
			mains = append(mains, n)
		case n.DataAtom == atom.Article:
			articles = append(articles, n)
		}
	}
	for _, candidates := range [][]*html.Node{mains, articles} {
		if len(candidates) == 1 && strings.TrimSpace(text(candidates[0])) != "" {
			return candidates[0]
		}
	}
	return doc
}

// dropped says whether an element is not meant to be read.
func dropped(n *html.Node) bool {
	if n.Type != html.ElementNode {
		return n.Type == html.CommentNode || n.Type == html.DoctypeNode
	}
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Head, atom.Nav, atom.Iframe, atom.Object,
		atom.Embed, atom.Svg, atom.Canvas, atom.Audio, atom.Video, atom.Button, atom.Input, atom.Select, atom.Textarea:
		return true
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return true
		case "aria-hidden":
			if a.Val == "true" {
				return true
			}
		case "role":
			if a.Val == "navigation" {
				return true
			}
		case "style":
			if strings.Contains(strings.ReplaceAll(a.Val, " ", ""), "display:none") {
				return true
			}
		}
	}
	return false
}

// text is the text below n as it stands in the source.
func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		switch {
		case d.Type == html.TextNode:
			b.WriteString(d.Data)
		case d.DataAtom == atom.Br:
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}
