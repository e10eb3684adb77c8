package intake

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/nestorhq/nestor/internal/doctext"
)

// datesOf has the days that count for each block: those of its own text, then those of the
// item above it, of the line with a colon that introduces the list, of its headings, and
// of a sentence about somebody or something that it names.
func datesOf(blocks []block, from time.Time) []dates {
	all := make([]dates, len(blocks))
	var sections [doctext.MaxHeading + 1]dates
	var above []block // the items that this one stands below
	var ofAbove []dates
	var lead dates
	said := statements(blocks, from)
	for i, b := range blocks {
		own := datesIn(b.text, from, true)
		switch b.kind {
		case heading:
			clear(sections[b.level:])
			sections[b.level], lead, above, ofAbove = datesIn(b.text, from, false), dates{}, nil, nil
		case line:
			lead, above, ofAbove = dates{}, nil, nil
			if strings.HasSuffix(b.text, ":") {
				lead = datesIn(b.text, from, false)
			}
		case item:
			for len(above) > 0 && above[len(above)-1].level >= b.level {
				above, ofAbove = above[:len(above)-1], ofAbove[:len(ofAbove)-1]
			}
			if len(ofAbove) > 0 {
				own = own.or(ofAbove[len(ofAbove)-1])
			}
			above, ofAbove = append(above, b), append(ofAbove, own)
			own = own.or(lead)
		}
		if b.kind != heading {
			for _, s := range slices.Backward(sections[:]) {
				own = own.or(s)
			}
		}
		for _, s := range said {
			if s.block != i && s.about(b.text) {
				own = own.or(s.dates)
			}
		}
		all[i] = own
	}
	return all
}

// statement says when somebody or something can be reached, or when everything is due.
type statement struct {
	dates
	block int
	all   bool     // it is about everything
	any   []string // names, of which a text has one
	every []string // or words, of which it has each
}

var (
	subject     = regexp.MustCompile(`(?:^|[.;:!?,(][ \t]*)((?:[\p{L}][\p{L}\p{N}'’-]*\.?[ \t]+){1,4})(?i:is|are|will be|must be|has to be|ist|sind|bleibt|bleiben|muss|returns?|(?:re)?opens?)[ \t]`)
	sentenceEnd = regexp.MustCompile(`[^\d][.;!?](?:[ \t]|$)`)
	articles    = strings.Fields("the our my their der die das unser unsere mein meine")
	everything  = strings.Fields("everything all alles alle")
	// noNames begin sentences in upper case, or stand for what was named before.
	noNames = strings.Fields("i we you he she it they this that these those there everyone nobody and but because since as while if when note also please remember ich wir du er sie es dies man und aber weil da wenn auch bitte")
)

// maxStatements is how many sentences of a text count for all its tasks, so that the time
// for a long text stays in proportion.
const maxStatements = 100

// statements finds what a text says of when something can be done.
func statements(blocks []block, from time.Time) (found []statement) {
	for i, b := range blocks {
		for _, m := range subject.FindAllStringSubmatchIndex(b.text, -1) {
			sentence := b.text[m[2]:]
			if end := sentenceEnd.FindStringIndex(sentence[m[3]-m[2]:]); end != nil {
				sentence = sentence[:m[3]-m[2]+end[0]+1]
			}
			s := statement{dates: datesIn(sentence, from, false), block: i}
			words := strings.Fields(b.text[m[2]:m[3]])
			article := slices.IndexFunc(words, func(w string) bool { return slices.Contains(articles, strings.ToLower(w)) })
			switch {
			case s.dates == dates{}:
				continue
			case slices.Contains(everything, strings.ToLower(words[0])):
				s.all = true
			case s.notBefore == "":
				continue // somebody's deadline is no task's
			case article >= 0:
				s.every = words[article+1:]
			default:
				for _, w := range words {
					if unicode.IsUpper([]rune(w)[0]) && !slices.Contains(noNames, strings.ToLower(w)) {
						s.any = append(s.any, w)
					}
				}
			}
			if !s.all {
				s.due = ""
			}
			if s.all || len(s.any)+len(s.every) > 0 {
				found = append(found, s)
			}
			if len(found) == maxStatements {
				return found
			}
		}
	}
	return found
}

// about reports whether a text names what the statement is about.
func (s *statement) about(text string) bool {
	if s.all {
		return true
	}
	if len(s.any) > 0 {
		return slices.ContainsFunc(s.any, func(w string) bool { return hasWord(text, w) })
	}
	return !slices.ContainsFunc(s.every, func(w string) bool { return !hasWord(text, w) })
}

// hasWord reports whether a text has a word, in any case and also as a genitive.
func hasWord(text, word string) bool {
	for _, w := range strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '\'' && r != '’'
	}) {
		for _, genitive := range []string{"", "'s", "’s", "s", "'"} {
			if stem, ok := strings.CutSuffix(w, genitive); ok && strings.EqualFold(stem, word) {
				return true
			}
		}
	}
	return false
}

// isStatement reports whether a block only says when somebody or something can be reached,
// which is nothing to do.
func isStatement(b block, from time.Time) bool {
	return b.kind == item && !b.sure && datesIn(b.text, from, false).notBefore != "" && subject.MatchString(b.text) && !readsLikeTask(b.text)
}
