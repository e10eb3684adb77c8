package intake

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nestorhq/nestor/internal/doctext"
)

// block is a part of a text that may be a task.
type block struct {
	kind  blockKind
	level int    // of a heading from 1 to [doctext.MaxHeading], of an item its indentation
	text  string // without marks
	// sure: a box or a TODO prefix says that it is a task.
	sure, done bool
	// joined: it follows the line before without a blank line.
	joined bool
}

type blockKind int

const (
	line blockKind = iota
	heading
	item
)

// maxLine is how many bytes of a line or an item are read; no task has more.
const maxLine = 8 * MaxTaskChars

var (
	headingMark   = regexp.MustCompile(`^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$`)
	underlineMark = regexp.MustCompile(`^ {0,3}(?:=+|-{2,})[ \t]*$`)
	ruleMark      = regexp.MustCompile(`^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:=[ \t]*){3,})$`)
	tableLine     = regexp.MustCompile(`^[ \t]*\|`)
	contentsTitle = regexp.MustCompile(`^(?i:(?:table of )?contents|toc|inhalt|inhaltsverzeichnis|references|links|see also|quellen|literatur)[:.]?$`)
	leaderDots    = regexp.MustCompile(`(?:\.[ \t]?){4,}[ \t]*\d{1,4}$|…{2,}[ \t]*\d{1,4}$`)
	linkAlone     = regexp.MustCompile(`^[ \t*_]*(?:!?\[[^\]]*\]\([^)]*\)|!?\[[^\]]*\]\[[^\]]*\]|<?[a-z][a-z0-9+.-]*://\S+?>?|\[[^\]]+\]:[ \t]*\S+.*)[ \t*_.,;]*$`)
)

// parser reads a text line by line.
type parser struct {
	blocks []block
	// fence ends the code that we are in; "" outside of code.
	fence string
	// comment: we are in <!-- -->.
	comment bool
	// contents: we are in a table of contents or a list of links. It ends at the
	// next heading, and below a title that is no heading also at the next paragraph.
	contents, untitled bool
	// open: the last block may go on in the next line.
	open bool
	// blank: the line before was blank, or is not to be joined with.
	blank bool
}

// parse splits a text into blocks.
func parse(text string) []block {
	p := parser{blank: true}
	for _, l := range withoutFrontMatter(splitLines(text)) {
		p.line(l)
	}
	return p.blocks
}

func splitLines(text string) []string {
	text = strings.TrimPrefix(strings.ToValidUTF8(text, "\uFFFD"), "\uFEFF")
	return strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\f", "\n").Replace(text), "\n")
}

// withoutFrontMatter leaves out what stands between the first line and the next
// line that is --- or +++.
func withoutFrontMatter(lines []string) []string {
	if len(lines) == 0 || strings.TrimSpace(lines[0]) != "---" && strings.TrimSpace(lines[0]) != "+++" {
		return lines
	}
	for i, l := range lines[1:] {
		if strings.TrimSpace(l) == strings.TrimSpace(lines[0]) {
			return lines[i+2:]
		}
	}
	return lines
}

// line reads one line. What is passed over also ends the block before it.
func (p *parser) line(l string) {
	if len(l) > maxLine {
		l = strings.ToValidUTF8(l[:maxLine], "")
	}
	text := strings.TrimSpace(oneLine(l))
	switch {
	case p.fence != "":
		if strings.HasPrefix(text, p.fence) && strings.Trim(text, p.fence[:1]) == "" {
			p.fence = ""
		}
	case p.comment:
		p.comment = !strings.Contains(text, "-->")
	case strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~"):
		p.fence = text[:len(text)-len(strings.TrimLeft(text, text[:1]))]
		p.pass()
	case strings.HasPrefix(text, "<!--"):
		p.comment = !strings.Contains(text, "-->")
		p.pass()
	case text == "":
		p.pass()
	case p.underlines(l):
		last := &p.blocks[len(p.blocks)-1]
		last.kind, last.level, last.joined = heading, 1, false
		if strings.HasPrefix(text, "-") {
			last.level = 2
		}
		p.enter(last.text)
	case ruleMark.MatchString(l), strings.HasPrefix(text, ">"), leaderDots.MatchString(text):
		p.pass()
	case tableLine.MatchString(l):
		p.pass()
		p.cells(text)
	default:
		p.text(l, text)
	}
}

// underlines reports whether l makes the line above a heading. One that is long or
// says by itself that it is a task stays a line.
func (p *parser) underlines(l string) bool {
	if p.blank || len(p.blocks) == 0 || !underlineMark.MatchString(l) {
		return false
	}
	last := p.blocks[len(p.blocks)-1]
	return last.kind == line && !last.sure && utf8.RuneCountInString(last.text) <= maxImperative
}

// pass ends the block before: the next line begins a new one.
func (p *parser) pass() { p.open, p.blank = false, true }

// enter begins the section of a heading.
func (p *parser) enter(title string) {
	p.contents, p.untitled = contentsTitle.MatchString(strings.Trim(title, "*_ ")), false
	p.pass()
}

// cells finds tasks in a row of a table. A box in a cell of its own is that of the
// next cell.
func (p *parser) cells(row string) {
	box := ""
	for _, cell := range strings.Split(strings.Trim(row, "|"), "|") {
		cell = strings.TrimSpace(cell)
		if m := doctext.BoxMark.FindString(cell); m != "" && m == cell {
			box = cell + " "
			continue
		}
		if b, ok := marked(box + cell); ok && b.sure && cell != "" && !p.contents {
			p.blocks = append(p.blocks, b)
			box = ""
		}
	}
}

// text reads a heading, an item, a line of prose, or the rest of the block before.
func (p *parser) text(l, text string) {
	if m := headingMark.FindStringSubmatch(l); m != nil {
		done, title := unmark(oneLine(m[2]))
		p.blocks = append(p.blocks, block{kind: heading, level: len(m[1]), text: title, done: done})
		p.enter(title)
		return
	}
	b, isMarked := marked(text)
	b.level, b.joined = indentation(l), !p.blank
	if p.untitled && p.blank && p.contents && !isMarked && b.level == 0 {
		p.contents = false
	}
	switch {
	case p.contents:
		p.blank = false
		return
	case !isMarked && p.goesOn(b):
		last := &p.blocks[len(p.blocks)-1]
		if len(last.text) <= maxLine {
			last.text += " " + b.text
		}
		return
	case contentsTitle.MatchString(strings.Trim(text, "*_ ")) && p.blank:
		p.contents, p.untitled, p.open, p.blank = true, true, false, false
		return
	}
	p.blocks = append(p.blocks, b)
	p.open, p.blank = true, false
}

// goesOn reports whether an unmarked line is the rest of the block before it: it is
// indented below an item, or begins in lower case.
func (p *parser) goesOn(b block) bool {
	if !p.open {
		return false
	}
	last := p.blocks[len(p.blocks)-1]
	first, _ := utf8.DecodeRuneInString(b.text)
	return unicode.IsLower(first) || last.kind == item && b.level > last.level
}

// marked reads a text that may have a list mark, a box and a TODO prefix.
func marked(text string) (b block, ok bool) {
	rest, isItem := trimMark(text, listMark)
	if isItem {
		b.kind = item
	}
	box := doctext.BoxMark.MatchString(rest)
	todo := todoMark.MatchString(doctext.BoxMark.ReplaceAllString(rest, ""))
	b.sure = box || todo
	b.done, b.text = unmark(text)
	return b, isItem || b.sure
}

// indentation is how far a line is from the left, a tab being four.
func indentation(l string) (n int) {
	for _, r := range l {
		switch r {
		case ' ', '\u00A0':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}

// isLink reports whether a text is nothing but a link.
func isLink(text string) bool { return linkAlone.MatchString(text) }
