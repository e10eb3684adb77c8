package intake

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/nestorhq/nestor/internal/domain/priority/record"
)

const (
	monthWord   = `(?:january|jan|february|feb|march|mar|april|apr|may|june|jun|july|jul|august|aug|september|sept|sep|october|oct|november|nov|december|dec|januar|jänner|februar|märz|mai|juni|juli|oktober|okt|dezember|dez)`
	weekdayWord = `(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tue|tues|wed|thu|thurs|fri|sat|sun|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)`
)

// days are the ways to name a day, each at the beginning of a text. The longer of two that
// match counts.
var days = []struct {
	pattern *regexp.Regexp
	of      func(m []string, from time.Time) (time.Time, bool)
}{
	{day(`(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})`), func(m []string, _ time.Time) (time.Time, bool) { return date(m[1], m[2], m[3]) }},
	{day(`(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})?`), func(m []string, from time.Time) (time.Time, bool) { return inYear(m[3], m[2], m[1], from) }},
	{day(`(\d{1,2})(?:st|nd|rd|th|\.)?\s*(?:of\s+)?(` + monthWord + `)\.?(?:,?\s+(\d{4}))?`), func(m []string, from time.Time) (time.Time, bool) {
		return inYear(m[3], monthOf(m[2]), m[1], from)
	}},
	{day(`(` + monthWord + `)\.?\s+(?:the\s+)?(\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(\d{4}))?`), func(m []string, from time.Time) (time.Time, bool) {
		return inYear(m[3], monthOf(m[1]), m[2], from)
	}},
	{day(`(?:(next|nächste[nmr]?|kommende[nmr]?)\s+|(?:this|coming|diese[nmr]?)\s+)?(` + weekdayWord + `)`), func(m []string, from time.Time) (time.Time, bool) {
		return weekday(from, m[2], m[1] != ""), true
	}},
	{day(`today|tonight|heute`), func(_ []string, from time.Time) (time.Time, bool) { return from, true }},
	{day(`tomorrow|(?-i:morgen)`), func(_ []string, from time.Time) (time.Time, bool) { return from.AddDate(0, 0, 1), true }},
	{day(`day after tomorrow|übermorgen`), func(_ []string, from time.Time) (time.Time, bool) { return from.AddDate(0, 0, 2), true }},
	{day(`(?:end of (?:the |this )?week|ende (?:der|dieser) woche)`), func(_ []string, from time.Time) (time.Time, bool) {
		return weekday(from, "friday", false), true
	}},
	{day(`(?:end of (?:the |this )?month|ende (?:des|dieses) monats|monatsende)`), func(_ []string, from time.Time) (time.Time, bool) {
		return endOfMonth(from), true
	}},
	{day(`(?:end of|ende)\s+(` + monthWord + `)\.?(?:,?\s+(\d{4}))?`), func(m []string, from time.Time) (time.Time, bool) {
		first, ok := inYear(m[2], monthOf(m[1]), "1", from)
		return endOfMonth(first), ok
	}},
}

func day(pattern string) *regexp.Regexp {
	r := regexp.MustCompile(`^(?i:(?:the|dem|den|der)\s+)?(?i:` + pattern + `)`)
	r.Longest() // "montag" and not "mon"
	return r
}

// dayAt reads the day that a text begins with, and how long its name is. What a year or a
// week is left out of is understood from a day.
func dayAt(text string, from time.Time) (named time.Time, length int, ok bool) {
	for _, d := range days {
		m := d.pattern.FindStringSubmatch(text)
		if m == nil || len(m[0]) <= length || !ends(text[len(m[0]):]) {
			continue
		}
		if found, can := d.of(m, from); can {
			named, length, ok = found, len(m[0]), true
		}
	}
	return named, length, ok
}

// ends reports whether a word has ended where rest begins. "Friday's" is no day.
func ends(rest string) bool {
	r, n := utf8.DecodeRuneInString(rest)
	if r == '\'' || r == '’' {
		next, _ := utf8.DecodeRuneInString(rest[n:])
		return !unicode.IsLetter(next)
	}
	return !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

func date(year, month, day string) (time.Time, bool) {
	y, _ := strconv.Atoi(year)
	m, _ := strconv.Atoi(month)
	d, _ := strconv.Atoi(day)
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	return t, t.Year() == y && t.Month() == time.Month(m) && t.Day() == d
}

// justGone is how long a day without a year may be past: "3 March" in April is that
// of this year, and in June that of the next.
const justGone = 60 * 24 * time.Hour

// inYear is a day of a year, or if none is given the next one, unless the last one has just gone.
func inYear(year, month, day string, from time.Time) (t time.Time, ok bool) {
	if year != "" {
		return date(year, month, day)
	}
	for y := from.Year() - 1; y <= from.Year()+8; y++ { // 29 February does not come each year
		if t, ok = date(strconv.Itoa(y), month, day); ok && from.Sub(t) <= justGone {
			return t, true
		}
	}
	return t, false
}

func monthOf(word string) string {
	word = strings.ToLower(word)
	for i, starts := range [][]string{{"ja", "jä"}, {"f"}, {"mar", "mär"}, {"ap"}, {"may", "mai"}, {"jun"}, {"jul"}, {"au"}, {"s"}, {"o"}, {"n"}, {"d"}} {
		for _, start := range starts {
			if strings.HasPrefix(word, start) {
				return strconv.Itoa(i + 1)
			}
		}
	}
	return "0"
}

// weekday is the first one from a day on, or that of the week after.
func weekday(from time.Time, word string, nextWeek bool) time.Time {
	word = strings.ToLower(word)
	want := 0
	for i, starts := range [][]string{{"mo"}, {"tu", "di"}, {"w", "mi"}, {"th", "do"}, {"f"}, {"sa", "sonna"}, {"su", "sonnt"}} {
		for _, start := range starts {
			if strings.HasPrefix(word, start) {
				want = i
			}
		}
	}
	today := (int(from.Weekday()) + 6) % 7 // Monday is 0
	if nextWeek {
		return from.AddDate(0, 0, 7-today+want)
	}
	return from.AddDate(0, 0, (want-today+7)%7)
}

func endOfMonth(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month()+1, 0, 0, 0, 0, 0, time.UTC)
}

// dayOf is the day of a time, where days without a year or a week begin to count.
func dayOf(t time.Time) time.Time {
	t = t.UTC()
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// isoDay is a day that a model reports, "" if it is none.
func isoDay(said string, from time.Time) string {
	said = strings.TrimSpace(said)
	if len(said) > len(record.Day) && said[len(record.Day)] == 'T' {
		said = said[:len(record.Day)] // a time
	}
	if t, n, ok := dayAt(said, from); ok && n == len(said) {
		return t.Format(record.Day)
	}
	return ""
}
