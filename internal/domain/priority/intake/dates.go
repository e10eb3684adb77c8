package intake

import (
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/nestorhq/nestor/internal/domain/priority/record"
)

// cues are the words before a day that say what it is for a task, by the names of their
// groups. See docs/prioritisation.md for the rules.
var cues = regexp.MustCompile(`(?i)(?:^|[^\p{L}\p{N}])(?:` +
	`(?P<start>not before|not until|(?:no|not) earlier than|earliest|starting(?: from| on)?|as of|(?:available|possible|open)(?: again)?(?: from| on)?|back(?: in the office)?(?: on| from)?|returns?(?: on)?|(?:re)?opens?(?: again)?(?: on)?|nicht vor|frühestens(?: am| ab)?|erst(?: wieder)?(?: ab| am)?|wieder (?:da|zurück|erreichbar|offen)(?: ab| am)?|ab)` +
	`|(?P<after>after|nach)` +
	`|(?P<due>due(?: date)?(?: is)?(?: on| by)?|deadline(?: is)?(?: on)?|(?:no|not) later than|(?:at the )?latest(?: by| on)?|by|bis spätestens(?: zum| am)?|spätestens(?: bis)?(?: zum| am)?|fällig(?: ist)?(?: am| bis(?: zum)?)?|frist(?: ist)?|abgabe(?: am| bis(?: zum)?)?)` +
	`|(?P<before>before|vor)` +
	`|(?P<until>until|till|bis(?: einschließlich)?(?: zum| am)?)` +
	`|(?P<on>on|am|@)` +
	`)[ \t]*[:=]?[ \t]*`)

var (
	// unavailable says near "until" that somebody or something cannot be reached before.
	unavailable = regexp.MustCompile(`(?i)(?:^|[^\p{L}])(?:away|out|off|absent|gone|abroad|travelling|traveling|holidays?|vacation|leave|closed|shut|unavailable|not (?:available|there|in|reachable|possible|open)|busy|sick|ill|weg|verreist|abwesend|urlaub|krank|geschlossen|zu|nicht (?:da|erreichbar|möglich|offen|verfügbar)|unterwegs|im ausland)(?:[^\p{L}]|$)`)
	// past says before "on" that the day is that of something else.
	past = regexp.MustCompile(`(?i)(?:meeting|call|session|talk|workshop|decided|agreed|discussed|said|sent|met|treffen|sitzung|gespräch|besprochen|beschlossen|gesagt)[ \t]*$`)
	// setOff is before a day that has no cue and still is a due date: "(Friday)".
	setOff = regexp.MustCompile(`[(\[–—-][ \t]*`)
	anyISO = regexp.MustCompile(`\b\d{4}-\d{2}-\d{2}\b`)
	notOf  = regexp.MustCompile(`(?i)(?:of|from|since|vom|von|seit)[ \t]*$`)
)

// near is how many bytes around a day are looked through for what it is about.
const near = 60

// dates are the days that count for a task, "" for none.
type dates struct{ due, notBefore string }

// or fills in what is missing.
func (d dates) or(other dates) dates {
	if d.due == "" {
		d.due = other.due
	}
	if d.notBefore == "" {
		d.notBefore = other.notBefore
	}
	return d
}

// datesIn finds the days that a text names for what it is about. Weak ones, which have no
// clear word before them, count in the text of a task only.
func datesIn(text string, from time.Time, weak bool) (found dates) {
	set := func(field *string, t time.Time) {
		if *field == "" {
			*field = t.Format(record.Day)
		}
	}
	for at := 0; at < len(text); {
		m := cues.FindStringSubmatchIndex(text[at:])
		if m == nil {
			break
		}
		end := at + m[1]
		t, n, ok := dayAt(text[end:], from)
		if !ok {
			at += m[0] + 1
			for at < len(text) && text[at]&0xC0 == 0x80 {
				at++
			}
			continue
		}
		about := text[max(0, at+m[0]-near):min(len(text), end+n+near)]
		switch cueOf(m) {
		case "start":
			set(&found.notBefore, t)
		case "after":
			set(&found.notBefore, t.AddDate(0, 0, 1))
		case "due":
			set(&found.due, t)
		case "before":
			set(&found.due, t.AddDate(0, 0, -1))
		case "until":
			if unavailable.MatchString(about) {
				set(&found.notBefore, t)
			} else {
				set(&found.due, t)
			}
		case "on":
			if weak && atEnd(text[end+n:]) && !past.MatchString(text[:at+m[0]]) {
				set(&found.due, t)
			}
		}
		at = end + n
	}
	if weak && found == (dates{}) {
		if t, ok := standingAlone(text, from); ok {
			set(&found.due, t)
		}
	}
	return found
}

// cueOf is the group of cues that matched.
func cueOf(m []int) string {
	for i, name := range cues.SubexpNames() {
		if name != "" && m[2*i] >= 0 {
			return name
		}
	}
	return ""
}

// standingAlone is a day in brackets or after a dash at the end of a text, and a day as
// 2027-03-03 at the end.
func standingAlone(text string, from time.Time) (time.Time, bool) {
	for _, at := range setOff.FindAllStringIndex(text, -1) {
		if t, n, ok := dayAt(text[at[1]:], from); ok && atEnd(text[at[1]+n:]) {
			return t, true
		}
	}
	if at := anyISO.FindStringIndex(text); at != nil && atEnd(text[at[1]:]) && !notOf.MatchString(text[:at[0]]) {
		t, _, ok := dayAt(text[at[0]:], from)
		return t, ok
	}
	return time.Time{}, false
}

// atEnd reports whether nothing but marks and an effort in brackets follows.
func atEnd(rest string) bool {
	return !strings.ContainsFunc(statedEffort.ReplaceAllString(rest, ""), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
