package doctext

import (
	"encoding/xml"
	"strconv"
	"strings"
	"unicode/utf8"
)

// body reads the text of the main part.
func (p *parts) body(name string, styles map[string]paragraphStyle) (string, error) {
	b := bodyReader{styles: styles}
	err := p.tokens(name, func(t xml.Token) error {
		switch t := t.(type) {
		case xml.StartElement:
			if b.skipped > 0 || skippedElement(element{t}) {
				b.skipped++
			} else {
				b.start(element{t})
			}
		case xml.EndElement:
			if b.skipped > 0 {
				b.skipped--
			} else if err := b.end(t); err != nil {
				return err
			}
		case xml.CharData:
			if b.skipped == 0 && b.inText {
				b.write(string(t))
			}
		}
		return nil
	})
	return b.out.String(), err
}

// skippedElement reports whether an element and all in it is left out: what was
// deleted or moved away, codes of fields, and second forms of the same content.
func skippedElement(e element) bool {
	switch e.Name.Local {
	case "del", "moveFrom", "delText", "instrText", "delInstrText", "sectPr", "pPrChange", "rPrChange", "tblPrChange":
		return isWord(e.Name.Space)
	case "Fallback":
		return true
	}
	return false
}

// bodyReader turns the elements of a document into lines of Markdown.
type bodyReader struct {
	styles  map[string]paragraphStyle
	out     strings.Builder
	list    bool // the last line was a list item
	skipped int  // depth inside of an element that is left out
	inText  bool
	open    []*paragraph // several in a text box, which stands in a paragraph
	tables  []*table     // several where tables stand in cells
	boxes   []string     // per open content control: the box that stands for its content, "" for none
}

// paragraph is one that is being read.
type paragraph struct {
	text  strings.Builder
	style paragraphStyle
	// What the paragraph says itself counts more than its style, in any order.
	ownHeading, ownList, ownLevel bool
	inRun, runMute, runStruck     bool // in a run, which is hidden or struck out
	plain                         bool // has text that is not struck out
}

func (p *paragraph) takeOver(s paragraphStyle) {
	if p.ownHeading {
		s.heading = p.style.heading
	}
	if p.ownList {
		s.list = p.style.list
	}
	if p.ownLevel {
		s.level = p.style.level
	}
	p.style = s
}

// table is one that is being read.
type table struct {
	rows  int
	cells [][]string // of the row: the lines of each cell
}

func (b *bodyReader) start(e element) {
	p := b.paragraph()
	switch {
	case e.is("p"):
		b.open = append(b.open, &paragraph{})
	case e.is("tbl"):
		b.tables = append(b.tables, &table{})
	case e.is("tc"):
		if t := b.table(); t != nil {
			t.cells = append(t.cells, nil)
		}
	case e.is("sdt"):
		b.boxes = append(b.boxes, "")
	case e.Name.Local == "checkbox" && strings.HasSuffix(e.Name.Space, "/word/2010/wordml"):
		b.setBox("☐")
	case e.Name.Local == "checked" && strings.HasSuffix(e.Name.Space, "/word/2010/wordml") && e.on():
		b.setBox("☑")
	case p == nil:
	case e.is("pStyle"):
		p.takeOver(resolve(b.styles, e.attr("val")))
	case e.is("outlineLvl"):
		p.style.heading, p.ownHeading = outline(e.attr("val")), true
	case e.is("numId"):
		p.style.list, p.ownList = e.attr("val") != "0", true
	case e.is("ilvl"):
		p.style.level, p.ownLevel = listLevel(e.attr("val")), true
	case e.is("r"):
		p.inRun, p.runMute, p.runStruck = true, false, false
	case e.is("vanish") && p.inRun:
		p.runMute = e.on()
	case (e.is("strike") || e.is("dstrike")) && p.inRun:
		p.runStruck = e.on()
	case e.is("t"):
		b.inText = true
	case e.is("tab") && p.inRun:
		b.write("\t")
	case e.is("br") || e.is("cr"):
		b.write("\n")
	case e.is("noBreakHyphen"):
		b.write("-")
	case e.is("sym"):
		b.write(symbol(e.attr("font"), e.attr("char")))
	case e.is("checkBox"): // an old form field
		b.write("☐ ")
	case (e.is("default") || e.is("checked")) && e.on() && strings.HasSuffix(p.text.String(), "☐ "):
		text := strings.TrimSuffix(p.text.String(), "☐ ")
		p.text.Reset()
		p.text.WriteString(text + "☑ ")
	}
}

func (b *bodyReader) end(t xml.EndElement) error {
	if !isWord(t.Name.Space) {
		return nil
	}
	switch t.Name.Local {
	case "t":
		b.inText = false
	case "r":
		if p := b.paragraph(); p != nil {
			p.inRun, p.runStruck = false, false
		}
	case "sdt":
		if n := len(b.boxes); n > 0 {
			box := b.boxes[n-1]
			b.boxes = b.boxes[:n-1]
			b.write(box)
		}
	case "p":
		if n := len(b.open); n > 0 {
			p := b.open[n-1]
			b.open = b.open[:n-1]
			b.put(p)
		}
	case "tr":
		if t := b.table(); t != nil {
			b.row(t)
		}
	case "tbl":
		if n := len(b.tables); n > 0 {
			b.tables = b.tables[:n-1]
			b.blank()
		}
	}
	if utf8.UTFMax*MaxText < b.out.Len() {
		return tooMuchText()
	}
	return nil
}

func (b *bodyReader) paragraph() *paragraph {
	if len(b.open) == 0 {
		return nil
	}
	return b.open[len(b.open)-1]
}

func (b *bodyReader) table() *table {
	if len(b.tables) == 0 {
		return nil
	}
	return b.tables[len(b.tables)-1]
}

func (b *bodyReader) setBox(box string) {
	if n := len(b.boxes); n > 0 {
		b.boxes[n-1] = box
	}
}

// write adds text to the open paragraph, unless a box stands for it.
func (b *bodyReader) write(s string) {
	p := b.paragraph()
	if p == nil || p.runMute && p.inRun || len(b.boxes) > 0 && b.boxes[len(b.boxes)-1] != "" {
		return
	}
	p.text.WriteString(s)
	p.plain = p.plain || !p.runStruck && strings.TrimSpace(BoxMark.ReplaceAllString(strings.TrimSpace(s), "")) != ""
}

// put writes a paragraph as Markdown, into the cell of a table if it is in one.
func (b *bodyReader) put(p *paragraph) {
	text := strings.TrimSpace(p.text.String())
	if text == "" || p.style.skip {
		b.blankUnlessCell()
		return
	}
	box := ""
	if m := BoxMark.FindStringSubmatch(text); m != nil {
		box = "[ ] "
		if Ticked(m) {
			box = "[x] "
		}
		text = strings.TrimSpace(text[len(m[0]):])
	}
	if !p.plain && text != "" {
		text = "~~" + text + "~~"
	}
	if t := b.table(); t != nil && len(t.cells) > 0 {
		cell := &t.cells[len(t.cells)-1]
		*cell = append(*cell, box+strings.ReplaceAll(text, "\n", " "))
		return
	}
	switch {
	case p.style.heading > 0:
		b.blank()
		b.out.WriteString(strings.Repeat("#", p.style.heading) + " " + box + strings.Join(strings.Fields(text), " ") + "\n")
		b.blank()
	case p.style.list || box != "":
		indent := strings.Repeat("  ", p.style.level)
		if !b.list {
			b.blank()
		}
		b.out.WriteString(indent + "- " + box + strings.ReplaceAll(text, "\n", "\n"+indent+"  ") + "\n")
		b.list = true
	default:
		b.blank()
		b.out.WriteString(text + "\n")
		b.blank()
	}
}

// row writes a row of a table. A row of one cell is a frame around paragraphs.
func (b *bodyReader) row(t *table) {
	cells := t.cells
	t.cells = nil
	outer := b.outerCell()
	switch {
	case len(cells) == 0:
	case outer != nil:
		for _, lines := range cells {
			*outer = append(*outer, lines...)
		}
	case len(cells) == 1:
		for _, l := range cells[0] {
			if strings.HasPrefix(l, "[ ] ") || strings.HasPrefix(l, "[x] ") {
				l = "- " + l
			}
			b.out.WriteString(l + "\n")
		}
		b.blank()
	default:
		if t.rows == 0 {
			b.blank()
		}
		t.rows++
		for _, lines := range cells {
			b.out.WriteString("| " + strings.ReplaceAll(strings.Join(lines, " "), "|", `\|`) + " ")
		}
		b.out.WriteString("|\n")
		if t.rows == 1 {
			b.out.WriteString(strings.Repeat("| --- ", len(cells)) + "|\n")
		}
		b.list = false
	}
}

// outerCell is the open cell of the table that the table stands in, if any.
func (b *bodyReader) outerCell() *[]string {
	if n := len(b.tables); n > 1 && len(b.tables[n-2].cells) > 0 {
		cells := b.tables[n-2].cells
		return &cells[len(cells)-1]
	}
	return nil
}

func (b *bodyReader) blankUnlessCell() {
	if len(b.tables) == 0 && b.list {
		b.blank()
	}
}

// blank makes the last line a blank one.
func (b *bodyReader) blank() {
	if text := b.out.String(); text != "" && !strings.HasSuffix(text, "\n\n") {
		b.out.WriteString("\n")
	}
	b.list = false
}

// symbol is a character of the Wingdings fonts that stands for a box, "" for others.
func symbol(font, char string) string {
	code, err := strconv.ParseUint(char, 16, 32)
	if err != nil || !strings.HasPrefix(font, "Wingdings") {
		return ""
	}
	switch code &^ 0xF000 { // symbols lie in the private area from F000
	case 0x6F, 0x71, 0x72, 0xA8, 0xA3:
		return "☐ "
	case 0x78, 0xFD, 0xFE, 0x52, 0x53, 0x54:
		return "☑ "
	case 0xFC, 0x50:
		return "✓ "
	}
	return ""
}
