package demo

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	urlPattern = regexp.MustCompile(`https?://[^\s<>"'\])]+`)
	datePhrase = regexp.MustCompile(`(?i)\b(?:today|tonight|tomorrow|(?:next |this )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|next week|` +
		`\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}|` +
		`\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*|` +
		`(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2}(?:st|nd|rd|th)?)\b(?: at \d{1,2}(?::\d{2})?(?: ?[ap]m)?)?`)
	zonePattern = regexp.MustCompile(`\b(?:UTC|GMT|(?:Africa|America|Antarctica|Asia|Atlantic|Australia|Europe|Indian|Pacific)/[A-Za-z_]+(?:/[A-Za-z_]+)?)\b`)
)

func urls(text string) []string {
	var found []string
	for _, u := range urlPattern.FindAllString(text, -1) {
		if u = strings.TrimRight(u, ".,;:!?"); !slices.Contains(found, u) {
			found = append(found, u)
		}
	}
	return found
}

// place is a town and its time zone.
type place struct{ name, zone string }

// placesIn returns the towns and time zones that a text names, in its order.
func placesIn(text string) []place {
	type hit struct {
		at int
		place
	}
	var hits []hit
	for _, loc := range zonePattern.FindAllStringIndex(text, -1) {
		zone := text[loc[0]:loc[1]]
		hits = append(hits, hit{loc[0], place{name: zone, zone: strings.Replace(zone, "GMT", "UTC", 1)}})
	}
	lower := strings.ToLower(text)
	for _, p := range towns {
		if at := indexWord(lower, strings.ToLower(p.name)); at >= 0 {
			hits = append(hits, hit{at, p})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return a.at - b.at })
	var places []place
	for _, h := range hits {
		if !slices.ContainsFunc(places, func(p place) bool { return p.name == h.name }) {
			places = append(places, h.place)
		}
	}
	return places
}

// indexWord finds word in s where no letter touches it and it is no part of a
// zone's name.
func indexWord(s, word string) int {
	for from := 0; ; {
		i := strings.Index(s[from:], word)
		if i < 0 {
			return -1
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[i+len(word):])
		if !unicode.IsLetter(before) && before != '/' && !unicode.IsLetter(after) {
			return i
		}
		from = i + len(word)
	}
}

var (
	spelled = []struct {
		pattern *regexp.Regexp
		with    string
	}{
		{regexp.MustCompile(`(\d),(\d{3})\b`), "$1$2"},
		{regexp.MustCompile(`(?i)([\d.]+)\s*(?:%|percent)\s+of\s+([\d.]+)`), "($1/100*$2)"},
		{regexp.MustCompile(`(?i)\b(?:the )?square root of\s+([\d.]+)`), "sqrt($1)"},
		{regexp.MustCompile(`(?i)([\d.]+|\))\s+squared\b`), "$1^2"},
		{regexp.MustCompile(`(?i)([\d.]+|\))\s+cubed\b`), "$1^3"},
		{regexp.MustCompile(`(?i)\s+to the power of\s+`), " ^ "},
		{regexp.MustCompile(`(?i)([\d)])\s*(?:times|multiplied by|×|x)\s*([\d(])`), "$1 * $2"},
		{regexp.MustCompile(`(?i)([\d)])\s*(?:divided by|÷)\s*([\d(s])`), "$1 / $2"},
		{regexp.MustCompile(`(?i)([\d)])\s*plus\s*([\d(s-])`), "$1 + $2"},
		{regexp.MustCompile(`(?i)([\d)])\s*minus\s*([\d(s-])`), "$1 - $2"},
	}
	// operand is a number or a root in any parentheses; an expression is several
	// of them, or one that has to be worked out itself.
	operand    = `[(\s-]*(?:sqrt\s*\([\d.\s+*/^-]+\)|\d+(?:\.\d+)?)[\s)]*`
	expression = regexp.MustCompile(operand + `(?:(?:[-+*/^%]|\*\*)` + operand + `)+|sqrt\s*\([\d.\s+*/^-]+\)|\(\d[\d.\s+*/^-]+\)`)
	noSum      = regexp.MustCompile(`\b(?:\d{4}-\d{2}-\d{2}|\d{4}\s*-\s*\d{4}|\d{1,2}/\d{1,2}/\d{2,4}|24/7|\d+(?:\.\d+){2,})\b`)
)

// expressions returns the arithmetic in a text, also where it is spelled out, as
// the calculator reads it. Dates, ranges of years and versions are none.
func expressions(text string) []string {
	text = noSum.ReplaceAllString(urlPattern.ReplaceAllString(text, "…"), "…")
	for _, s := range spelled {
		text = s.pattern.ReplaceAllString(text, s.with)
	}
	var found []string
	for _, e := range expression.FindAllString(text, -1) {
		if e = balanced(strings.TrimSpace(e)); e != "" && !slices.Contains(found, e) {
			found = append(found, e)
		}
	}
	return found
}

// balanced drops parentheses at the ends that belong to the sentence.
func balanced(e string) string {
	for strings.Count(e, "(") > strings.Count(e, ")") && strings.HasPrefix(e, "(") {
		e = strings.TrimSpace(e[1:])
	}
	for strings.Count(e, ")") > strings.Count(e, "(") && strings.HasSuffix(e, ")") {
		e = strings.TrimSpace(e[:len(e)-1])
	}
	if strings.Count(e, "(") != strings.Count(e, ")") {
		return ""
	}
	return e
}

var (
	comparison = regexp.MustCompile(`(?i)\b(?:compare|comparison (?:of|between)|difference between|differences between)\s+(.+)`)
	versus     = regexp.MustCompile(`(?i)([^,:;?]+?)\s+(?:vs\.?|versus)\s+([^,:;?]+)`)
	between    = regexp.MustCompile(`(?i)\s*(?:,\s*and\s+|,\s*|\s+and\s+|\s+with\s+|\s+to\s+|\s+vs\.?\s+|\s+versus\s+|\s+or\s+)`)
)

var pronoun = regexp.MustCompile(`(?i)^(?:it|them|these|those|both|this|that)$`)

func compares(text string) bool {
	return comparison.MatchString(firstLine(text)) || versus.MatchString(firstLine(text))
}

// things returns what a text compares. Lines after the first are answers to the
// question what else to compare.
func things(text string) []string {
	line, more, _ := strings.Cut(strings.TrimSpace(text), "\n")
	var list string
	if m := comparison.FindStringSubmatch(line); m != nil {
		list = m[1]
	} else if m := versus.FindStringSubmatch(line); m != nil {
		list = m[1] + " and " + m[2]
	}
	for _, line := range strings.Split(more, "\n") {
		list = strings.Trim(list, " .?!:") + ", " + strings.TrimPrefix(plain(line), "with ")
	}
	return enumerated(list)
}

// enumerated divides "X, Y and Z".
func enumerated(list string) []string {
	var items []string
	for _, item := range between.Split(strings.Trim(list, " .?!:"), -1) {
		if item = strings.TrimSpace(item); item != "" && !pronoun.MatchString(item) && !slices.Contains(items, item) {
			items = append(items, item)
		}
	}
	return items
}

var politeness = regexp.MustCompile(`(?i)^(?:(?:please|hi|hello|hey|ok|okay|so|now|also|and|then|can you|could you|would you|will you|i want you to|i would like you to|i'd like you to|tell me|show me|give me)\b[,!.\s]*)+`)

// plain is a request without the words around it.
func plain(text string) string {
	return strings.TrimSpace(politeness.ReplaceAllString(strings.TrimSpace(text), ""))
}

var requestVerb = regexp.MustCompile(`(?i)^(?:research|investigate|find out(?: about)?|find|look up|look into|search(?: the web| my documents| my notes| documents)?(?: for)?|` +
	`write (?:me )?a (?:short |brief |long |detailed )?report (?:on|about)|summari[sz]e|read|fetch|check|explain)\s+`)

// topic is what a request is about: the request less its verb.
func topic(text string) string {
	t := plain(firstLine(text))
	t = plain(requestVerb.ReplaceAllString(t, ""))
	return strings.Trim(t, " .?!:")
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

var (
	wordPattern = regexp.MustCompile(`[\p{L}\p{N}]+(?:[-+*/^.:'’%][\p{L}\p{N}]+)*%?`)
	stopWords   = strings.Fields(`a an the this that these those it its is are was were be been do does did can could
		would will shall should may might must i me my you your he she they we us our and or but if then so of to in on
		at by for with about from as into than what which who whom whose when where why how please tell give show some
		any there here have has had get got just also now not no yes let want need know like make made`)
)

// contentWords are the words of a text that say what it is about, in lower case.
func contentWords(text string) []string {
	var words []string
	for _, w := range wordPattern.FindAllString(strings.ToLower(text), -1) {
		if !slices.Contains(stopWords, w) {
			words = append(words, w)
		}
	}
	return words
}
