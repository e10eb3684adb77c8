package demo

import (
	"regexp"
	"slices"
	"strings"
)

var (
	asksDate  = regexp.MustCompile(`(?i)\b(?:day|date|when)\b`)
	asksPlace = regexp.MustCompile(`(?i)\b(?:place|city|town|where|location)\b`)
	sentence  = regexp.MustCompile(`[^.!?\n]+[.!?]?`)
	// statement is "my favourite colour is green".
	statement = regexp.MustCompile(`(?i)\b(?:my|our|the)\s+([\p{L}\s]+?)\s+(?:is|are|will be)\s+([^.,;!?\n]+)`)
)

// known looks for a plain answer to a question in what the user said, newest
// first, and returns it with the sentence it is based on.
func known(question string, said []string) (answer, basis string, ok bool) {
	for _, text := range slices.Backward(said) {
		for _, s := range sentence.FindAllString(head(text), -1) {
			s = strings.TrimSpace(s)
			if strings.HasSuffix(s, "?") {
				continue // asking is not telling
			}
			if answer := plainAnswer(question, s); answer != "" {
				return answer, s, true
			}
		}
	}
	return "", "", false
}

func plainAnswer(question, sentence string) string {
	if asksDate.MatchString(question) {
		if date := datePhrase.FindString(sentence); date != "" {
			return date
		}
	}
	if asksPlace.MatchString(question) {
		if places := placesIn(sentence); len(places) == 1 {
			return places[0].name
		}
	}
	if m := statement.FindStringSubmatch(sentence); m != nil && shared(m[1], question) > 0 {
		return strings.TrimSpace(m[2])
	}
	return ""
}
