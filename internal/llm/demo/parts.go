package demo

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxParts bounds how many agents one message starts. The last of them gets
// what is left over.
const maxParts = 6

var (
	listItem = regexp.MustCompile(`^\s*(?:[-*•]|\d{1,2}[.)])\s+(\S.*)$`)
	// breaks end a part wherever they stand; joints only before a new request.
	breaks     = regexp.MustCompile(`(?i)\n+|;\s+|[.?!]\s+|,?\s+and also\s+|,?\s+as well as\s+`)
	joints     = regexp.MustCompile(`(?i)(?:,\s*(?:and\s+)?(?:then\s+)?|\s+and\s+(?:then\s+)?)`)
	newRequest = regexp.MustCompile(`(?i)^(?:please\s+)?(?:research|investigate|compare|find|look|calculate|compute|work out|tell|what|which|who|when|where|how|` +
		`write|fetch|read|search|plan|book|reserve|summari[sz]e|check|ask|give|show|translate)\b`)
	researchList = regexp.MustCompile(`(?i)^(.*?\b(?:research|investigate|find out about|look up|look into|report (?:on|about)|summari[sz]e)\s+)(.+)$`)
)

// parts divides a message into the requests that can be worked on separately.
// It returns none if there is nothing to delegate.
func parts(text string) []string {
	if len(text) > attention {
		if len(asked(text)) == 0 {
			return nil
		}
		return []string{text}
	}
	if items := listed(text); len(items) > 1 {
		return limit(items)
	}
	var found []string
	for _, sentence := range splitKeeping(text, breaks, func(string) bool { return true }) {
		for _, request := range splitKeeping(sentence, joints, newRequest.MatchString) {
			if request = strings.TrimSpace(request); len(asked(request)) > 0 {
				found = append(found, topics(request)...)
			}
		}
	}
	if found == nil && len(asked(text)) > 0 {
		return []string{strings.TrimSpace(text)}
	}
	return limit(found)
}

// listed returns the items of a list, each with the line that introduces the
// list unless it is a request of its own.
func listed(text string) []string {
	var intro, items []string
	for line := range strings.Lines(text) {
		if m := listItem.FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
			items = append(items, strings.TrimSpace(m[1]))
		} else if items == nil {
			intro = append(intro, strings.TrimSpace(line))
		}
	}
	lead := strings.TrimRight(strings.TrimSpace(strings.Join(intro, " ")), ": ")
	for i, item := range items {
		if lead != "" && len(asked(item)) == 0 {
			items[i] = lead + ": " + item
		}
	}
	return items
}

// splitKeeping splits at the separators after which ok holds. A separator's
// closing mark stays with the part before it.
func splitKeeping(text string, separator *regexp.Regexp, ok func(rest string) bool) []string {
	var found []string
	start := 0
	for _, loc := range separator.FindAllStringIndex(text, -1) {
		if !ok(text[loc[1]:]) {
			continue
		}
		end := loc[0]
		if strings.IndexByte(".?!", text[end]) >= 0 {
			end++
		}
		found = append(found, text[start:end])
		start = loc[1]
	}
	return append(found, text[start:])
}

// topics divides "Research X, Y and Z" into one request for each.
func topics(request string) []string {
	m := researchList.FindStringSubmatch(request)
	if m == nil || compares(request) || !strings.Contains(m[2], ",") || !strings.Contains(m[2], " and ") {
		return []string{request}
	}
	var found []string
	for _, t := range enumerated(m[2]) {
		if len(strings.Fields(t)) > 6 {
			return []string{request} // a sentence with commas
		}
		found = append(found, m[1]+t)
	}
	return found
}

func limit(parts []string) []string {
	if len(parts) <= maxParts {
		return parts
	}
	rest := strings.Join(parts[maxParts-1:], "\n")
	return append(parts[:maxParts-1:maxParts-1], rest)
}

func capitalize(s string) string {
	if s == "" {
		return ""
	}
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}
