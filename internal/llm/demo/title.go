package demo

import (
	"regexp"
	"slices"
	"strings"
)

const leastWords, mostWords = 3, 5 // of a title

var (
	courtesy = regexp.MustCompile(`(?i)^(?:(?:hi|hello|hey|please|thanks|thank you)\b[\s,.!]*|(?:can|could|would|will) you (?:please )?|(?:i|we) (?:want|need|would like)(?: you)? to )`)
	// clauseEnd is where a text goes on with something else. A comma is not: it may be in a list.
	clauseEnd = regexp.MustCompile(`[.:;?!](?:\s|$)|\n`)
	quotes    = strings.NewReplacer(`"`, "", "“", "", "”", "", "„", "", "«", "", "»", "", "`", "")
	// droppable are words without which a heading reads as well.
	droppable = strings.Fields("a an the my our your his her their its this these that those some any")
	// trailing are words that a heading does not end with.
	trailing = append(strings.Fields("and or but of to in on at by for with about from as into than is are was were what which who when where how i me you it"), droppable...)
)

// title is three to five words that a text begins with, as they are written there, less
// courtesies and, where it is too long, less articles.
func title(text string) string {
	text = urlPattern.ReplaceAllString(head(text), "web page")
	text = strings.TrimSpace(quotes.Replace(text))
	for said := courtesy.FindString(text); said != ""; said = courtesy.FindString(text) {
		text = strings.TrimSpace(text[len(said):])
	}
	if end := clauseEnd.FindStringIndex(text); end != nil {
		text = text[:end[0]]
	}
	words := strings.Fields(text)
	if len(words) > mostWords {
		words = slices.DeleteFunc(words, func(w string) bool { return slices.Contains(droppable, strings.ToLower(w)) })
		words = words[:min(len(words), mostWords)]
		for len(words) > leastWords && slices.Contains(trailing, strings.ToLower(words[len(words)-1])) {
			words = words[:len(words)-1]
		}
	}
	heading := capitalize(strings.TrimRight(strings.Join(words, " "), ",;-– "))
	switch len(strings.Fields(heading)) {
	case 0:
		return "A short chat"
	case 1:
		return "Chat about " + heading
	case 2:
		return "Chat: " + heading
	}
	return heading
}
