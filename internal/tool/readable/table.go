package readable

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// table converts a table of data. A table that only arranges the page (one
// column, or other tables inside) becomes the blocks in its cells.
func (c *converter) table(n *html.Node, nesting int) []string {
	var out []string
	var rows [][]string
	columns := 0
	for d := range n.Descendants() {
		switch d.DataAtom {
		case atom.Table:
			return c.blocks(n, nesting)
		case atom.Caption:
			out = append(out, wrapped("**", c.line(d))...)
		case atom.Tr:
			if dropped(d) {
				continue
			}
			row := c.row(d)
			columns = max(columns, len(row))
			rows = append(rows, row)
		}
	}
	if columns < 2 {
		return c.blocks(n, nesting)
	}
	var b strings.Builder
	for i, row := range rows {
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
		if i == 0 {
			b.WriteString(strings.Repeat("| --- ", len(row)) + "|\n")
		}
	}
	return append(out, strings.TrimSuffix(b.String(), "\n"))
}

func (c *converter) row(tr *html.Node) []string {
	var cells []string
	for cell := range tr.ChildNodes() {
		if cell.DataAtom == atom.Td || cell.DataAtom == atom.Th {
			cells = append(cells, strings.ReplaceAll(c.line(cell), "|", `\|`))
		}
	}
	return cells
}
