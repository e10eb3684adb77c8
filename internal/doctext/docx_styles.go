package doctext

import (
	"regexp"
	"strconv"
	"strings"
)

// paragraphStyle is what a style says about the form of a paragraph.
type paragraphStyle struct {
	basedOn string
	heading int // 1 to MaxHeading, 0 for none
	list    bool
	level   int // of a list, from 0
	skip    bool
}

// Names of styles are English in every language of Word, their ids are not.
var (
	headingStyle = regexp.MustCompile(`^(?i:heading ([1-9]))$`)
	listStyle    = regexp.MustCompile(`^(?i:list (?:bullet|number)(?: ([2-5]))?)$`)
	skippedStyle = regexp.MustCompile(`^(?i:toc (?:[1-9]|heading)|table of figures|source code|html preformatted|quote|intense quote|block text)$`)
)

// styles reads the styles of a document, if it has any.
func (p *parts) styles(dir string) (map[string]paragraphStyle, error) {
	all := map[string]paragraphStyle{}
	if p.byName[dir+"/styles.xml"] == nil {
		return all, nil
	}
	id := ""
	var s paragraphStyle
	err := p.walk(dir+"/styles.xml", func(e element) error {
		switch {
		case e.is("style"):
			id, s = e.attr("styleId"), paragraphStyle{}
		case id == "":
			return nil
		case e.is("name"):
			s.named(e.attr("val"))
		case e.is("basedOn"):
			s.basedOn = e.attr("val")
		case e.is("outlineLvl"):
			s.heading = outline(e.attr("val"))
		case e.is("numId"):
			s.list = e.attr("val") != "0"
		case e.is("ilvl"):
			s.level = listLevel(e.attr("val"))
		}
		all[id] = s
		return nil
	})
	return all, err
}

func (s *paragraphStyle) named(name string) {
	if m := headingStyle.FindStringSubmatch(name); m != nil {
		n, _ := strconv.Atoi(m[1]) // a digit
		s.heading = min(n, MaxHeading)
	}
	if m := listStyle.FindStringSubmatch(name); m != nil {
		s.list = true
		if n, err := strconv.Atoi(m[1]); err == nil {
			s.level = n - 1
		}
	}
	if strings.EqualFold(name, "title") {
		s.heading = 1
	}
	s.skip = skippedStyle.MatchString(name)
}

// resolve is a style with what it takes over from those that it is based on.
func resolve(all map[string]paragraphStyle, id string) (s paragraphStyle) {
	for range 20 { // styles may be based on each other in a circle
		at, ok := all[id]
		if !ok {
			return s
		}
		if s.heading == 0 {
			s.heading = at.heading
		}
		if !s.list {
			s.list, s.level = at.list, max(s.level, at.level)
		}
		s.skip = s.skip || at.skip
		id = at.basedOn
	}
	return s
}

// outline is the level of a heading for an outline level: 0 to 8, 9 is body text.
func outline(val string) int {
	n, err := strconv.Atoi(val)
	if err != nil || n < 0 || n > 8 {
		return 0
	}
	return min(n+1, MaxHeading)
}

func listLevel(val string) int {
	n, err := strconv.Atoi(val)
	if err != nil {
		return 0
	}
	return min(max(n, 0), 8)
}
