package intake

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Hours of a working day and of a working week.
const hoursPerDay, hoursPerWeek = 8, 40

const (
	amount = `(\d{1,4}(?:[.,]\d{1,2})?)(?:\s*(?:-|–|to|bis)\s*(\d{1,4}(?:[.,]\d{1,2})?))?\s*`
	unit   = `(minutes?|minuten?|mins?|m|hours?|hrs?|h|std|stunden?|days?|tagen?|tage?|d|weeks?|wochen?|w)\b\.?`
)

var (
	// statedEffort is an estimate that cannot be anything else: "(2h)", "[1-2 days]",
	// "~30 min", "est: 1.5h", "Aufwand: 2 Std.".
	statedEffort = regexp.MustCompile(`(?i)[(\[]\s*(?:(?:est(?:imated?)?|effort|estimate|aufwand|ca)\b\.?[:=]?\s*)?[~≈]?\s*` + amount + unit + `\s*[)\]]` +
		`|(?:[~≈]\s*|\b(?:est(?:imated?)?|effort|estimate|aufwand)\.?\s*[:=]\s*[~≈]?)` + amount + unit)
	// plainEffort is a number with a unit anywhere: "3 days".
	plainEffort = regexp.MustCompile(`(?i)(?:^|[\s,;:–-])` + amount + `(minutes?|minuten?|mins?|hours?|hrs?|h|std|stunden?|days?|tagen?|tage?|weeks?|wochen?)\b`)
	// aDeadline before a number says when, not how long.
	aDeadline = regexp.MustCompile(`(?i)\b(?:in|within|after|before|every|each|last|past|next|first|than|ago|until|by|innerhalb|binnen|alle|jede|nach|vor|letzten|nächsten|ersten|bis|older|least|most)\s*(?:the|von|der|den|of|als)?\s*$`)
)

// Effort estimates a task in hours. An effort that the text states is taken as it
// is, within MinEffort and MaxEffort. Otherwise its verb, its length and words of
// size decide, from 0.25 to 16 hours.
func Effort(text string) float64 {
	if hours, ok := stated(text); ok {
		return math.Min(math.Max(hours, MinEffort), MaxEffort)
	}
	words := strings.Fields(text)
	hours := 1.0
	if class, ok := verbOf(text); ok {
		hours = class.hours
	}
	switch {
	case len(words) > 25:
		hours *= 2
	case len(words) > 12:
		hours *= 1.5
	}
	for _, w := range words {
		if factor, ok := sizeWords[bare(w)]; ok {
			hours *= factor
			break
		}
	}
	return math.Min(math.Max(math.Round(hours*4)/4, 0.25), 16)
}

// stated is the effort that a text states: a range counts as its middle.
func stated(text string) (hours float64, ok bool) {
	if !hasDigit(text) {
		return 0, false
	}
	m := statedEffort.FindStringSubmatch(text)
	if m == nil {
		at := plainEffort.FindStringSubmatchIndex(text)
		if at == nil || aDeadline.MatchString(text[:at[2]]) {
			return 0, false
		}
		m = plainEffort.FindStringSubmatch(text)
	} else if m[1] == "" {
		m = m[3:]
	}
	from, to := number(m[1]), number(m[2])
	if to > from {
		from = (from + to) / 2
	}
	switch u := strings.ToLower(m[3]); {
	case strings.HasPrefix(u, "m"):
		from /= 60
	case strings.HasPrefix(u, "d") || strings.HasPrefix(u, "t"):
		from *= hoursPerDay
	case strings.HasPrefix(u, "w"):
		from *= hoursPerWeek
	}
	return from, from > 0
}

// hasDigit is asked first because most texts state no effort, and looking for one
// takes a hundred times as long.
func hasDigit(text string) bool { return strings.ContainsAny(text, "0123456789") }

func number(s string) float64 {
	n, _ := strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64) // "" is 0
	return n
}
