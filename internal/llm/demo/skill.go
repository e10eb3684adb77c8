package demo

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// skill is a kind of work that is worth an agent.
type skill struct {
	name string
	role string
	// asked reports whether a text asks for it.
	asked func(text string) bool
	// missing returns what the user must be asked first, or "". Nil: nothing
	// ever is.
	missing func(text string) string
	// calls are the tool calls that do it, all at once. Nil: no tool does.
	calls func(text string) []call
}

const (
	general    = "general"
	researcher = "researcher"
)

var skills = []skill{
	{
		name: "arithmetic", role: general,
		asked: func(text string) bool { return len(expressions(text)) > 0 },
		calls: func(text string) []call { return each(calculator, "expression", expressions(text)) },
	},
	{
		name: "time", role: general,
		asked:   timeAsked.MatchString,
		missing: unknownPlace,
		calls:   func(text string) []call { return each(currentTime, "timeZone", zones(text)) },
	},
	{
		name: "pages", role: researcher,
		asked: func(text string) bool { return len(urls(text)) > 0 },
		calls: func(text string) []call { return each(webFetch, "url", urls(text)) },
	},
	{
		name: "documents", role: researcher,
		asked: func(text string) bool { return documentsAsked.MatchString(text) && !aboutDocument(text) },
		calls: func(text string) []call { return each(searchDocuments, "query", []string{documentsTopic(text)}) },
	},
	{
		name: "one document", role: general,
		asked: aboutDocument,
		calls: documentCalls,
	},
	{
		name: "weather", role: researcher,
		asked: weatherAsked.MatchString,
		missing: func(text string) string {
			if len(placesIn(text)) > 0 || namedPlace.MatchString(text) || strings.Contains(strings.TrimSpace(text), "\n") {
				return ""
			}
			return "Which place do you want the weather for?"
		},
		calls: func(text string) []call {
			return search(strings.Join(strings.Fields(topic(text)+" "+afterFirstLine(text)), " "))
		},
	},
	{
		name: "comparison", role: researcher,
		asked: compares,
		missing: func(text string) string {
			switch compared := things(text); len(compared) {
			case 0:
				return "What should I compare?"
			case 1:
				return fmt.Sprintf("What should I compare %s with?", compared[0])
			}
			return ""
		},
		calls: func(text string) []call { return search(things(text)...) },
	},
	{
		name: "booking", role: general,
		asked: bookingAsked.MatchString,
		missing: func(text string) string {
			if datePhrase.MatchString(text) {
				return ""
			}
			return "For which day and time should I book?"
		},
		calls: noteBooking,
	},
	{
		name: "interview", role: general,
		asked:   interviewAsked.MatchString,
		missing: interviewQuestion,
	},
	{
		name: "research", role: researcher,
		asked: func(text string) bool {
			return researchAsked.MatchString(text) && len(urls(text)) == 0 &&
				!documentsAsked.MatchString(text) && !aboutDocument(text) && !weatherAsked.MatchString(text) && !compares(text)
		},
		calls: func(text string) []call { return search(topic(text)) },
	},
}

var (
	timeAsked = regexp.MustCompile(`(?i)\b(?:what(?:'s| is)? the (?:current |local |exact )?(?:time|date)|what time|what date|what day is|` +
		`current (?:time|date)|time (?:is it )?in|time now|time zones? of|today's date)\b`)
	documentsAsked = regexp.MustCompile(`(?i)\b(?:(?:my|our|the) (?:own )?(?:documents?|notes?|files?|docs)|search documents)\b`)
	weatherAsked   = regexp.MustCompile(`(?i)\b(?:weather|forecast)\b`)
	namedPlace     = regexp.MustCompile(`\b(?:in|for|at|of) [\p{Lu}]\p{L}+`)
	bookingAsked   = regexp.MustCompile(`(?i)\b(?:book|reserve)\s+(?:(?:me|us)\s+)?(?:an?|the|it|my|our|one|two|\d+)\b`)
	interviewAsked = regexp.MustCompile(`(?i)\bask me\b`)
	researchAsked  = regexp.MustCompile(`(?i)\b(?:research|investigate|find out|look up|look into|write (?:me )?an? (?:\w+ )?report|` +
		`report (?:on|about)|search (?:the web )?for|gather|summari[sz]e|plan (?:an?|my|our|the)|in depth|in detail)\b`)
	placeOfTime = regexp.MustCompile(`(?i:\btime\b[^\n]*?\bin\s+)(\p{Lu}\p{L}+(?:\s\p{Lu}\p{L}+)*)`)
)

// asked returns the skills that a text asks for.
func asked(text string) []skill {
	text = head(text)
	var found []skill
	for _, s := range skills {
		if s.asked(text) {
			found = append(found, s)
		}
	}
	return found
}

// attention is how many bytes of a text the rules look at, so that a pasted
// book costs no more than a page. Agents are given the whole of it.
const attention = 4 << 10

func head(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), attention)], "")
}

// roleFor is the kind of agent for a text.
func roleFor(text string) string {
	if slices.ContainsFunc(asked(text), func(s skill) bool { return s.role == researcher }) {
		return researcher
	}
	return general
}

// each makes one call of a tool per value, and none for an empty one.
func each(tool, param string, values []string) []call {
	var calls []call
	for _, v := range values {
		if v != "" {
			calls = append(calls, call{tool: tool, args: map[string]any{param: v}})
		}
	}
	return calls
}

// search looks for each query wherever it can.
func search(queries ...string) []call {
	return slices.Concat(each(tavilySearch, "query", queries), each(searchDocuments, "query", queries))
}

// zones returns the time zones of the places in a text, UTC if there are none.
func zones(text string) []string {
	var zones []string
	for _, p := range placesIn(text) {
		if !slices.Contains(zones, p.zone) {
			zones = append(zones, p.zone)
		}
	}
	if zones == nil {
		return []string{"UTC"}
	}
	return zones
}

// unknownPlace asks for the time zone of a place that is not in the table.
func unknownPlace(text string) string {
	m := placeOfTime.FindStringSubmatch(text)
	if m == nil || len(placesIn(text)) > 0 {
		return ""
	}
	return fmt.Sprintf("Which time zone is %s in? Please name it like Europe/Berlin.", m[1])
}

var documentsPhrase = regexp.MustCompile(`(?i)\b(?:in|from|of|about|on|for|through)?\s*(?:my|our|the) (?:own )?(?:documents?|notes?|files?|docs)\b(?:\s+(?:for|about|on|say about|that mention))?`)

func documentsTopic(text string) string {
	t := plain(requestVerb.ReplaceAllString(plain(firstLine(text)), ""))
	if rest := strings.Trim(documentsPhrase.ReplaceAllString(t, " "), " .?!:"); rest != "" {
		return strings.Join(strings.Fields(rest), " ")
	}
	return topic(text)
}

func afterFirstLine(text string) string {
	_, more, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return more
}

var (
	interview = regexp.MustCompile(`(?i)\bask me\s+(?:(about|for)\s+)?([^.?!\n]+)`)
	andThen   = regexp.MustCompile(`(?i)\s*,?\s*\b(?:and then|then|before|and (?:calculate|compute|tell|write|use|research|find))\b.*`)
	// statedQuestion is "which colour you like", which lacks a verb.
	statedQuestion = regexp.MustCompile(`(?i)^((?:which|what|how many)(?: \p{L}+)?|where|when|how|why) you (\p{Ll}+)`)
	pronouns       = strings.NewReplacer(" I ", " you ", " my ", " your ", " me ", " you ", " am ", " are ", " mine ", " yours ")
)

// interviewQuestion turns "ask me which colour I like" into the question.
func interviewQuestion(text string) string {
	m := interview.FindStringSubmatch(text)
	if m == nil {
		return "What would you like to tell me?"
	}
	what := andThen.ReplaceAllString(m[2], "")
	what = strings.TrimSpace(pronouns.Replace(" " + strings.TrimSpace(what) + " "))
	switch strings.ToLower(m[1]) {
	case "about":
		return fmt.Sprintf("What can you tell me about %s?", what)
	case "for":
		return fmt.Sprintf("Please tell me %s.", what)
	}
	return capitalize(statedQuestion.ReplaceAllString(what, "$1 do you $2")) + "?"
}
