package demo

import (
	"fmt"
	"regexp"
	"strings"
)

// writerRules are for requests without tools.
var writerRules = []rule{
	{"write a title", titleAsked, writeTitle},
	{"write a summary", summaryAsked, writeSummary},
	{"draft a reply", func(sc *scene) bool { return replyAsked.MatchString(sc.req.System) }, draftReply},
	{"conclude from what the tools returned", func(sc *scene) bool { return len(sc.work.all) > 0 }, concludeEarly},
	{"answer directly", always, talk},
}

var (
	titleWord   = regexp.MustCompile(`(?i)\btitles?\b`)
	summaryWord = regexp.MustCompile(`(?i)\bsummar(?:y|ise|ize)\b`)
	replyAsked  = regexp.MustCompile(`(?i)\bdraft\b.*\breply\b`)
)

func titleAsked(sc *scene) bool {
	return len(sc.work.all) == 0 &&
		(titleWord.MatchString(sc.req.System) || titleWord.MatchString(firstLine(sc.said)))
}

// writeTitle names the chat after its first message.
func writeTitle(sc *scene) reply {
	text := sc.said
	if len(sc.earlier) > 0 {
		text = sc.earlier[0]
	} else if !titleWord.MatchString(sc.req.System) {
		// The message asks for the title of what follows in it.
		if _, after, ok := strings.Cut(text, ":"); ok {
			text = after
		} else if after := afterFirstLine(text); after != "" {
			text = after
		}
	}
	return say(title(text))
}

func summaryAsked(sc *scene) bool {
	return summaryWord.MatchString(sc.req.System) || summaryWord.MatchString(firstLine(sc.said))
}

// writeSummary lists what was said and found, shortened.
func writeSummary(sc *scene) reply {
	var b strings.Builder
	b.WriteString("Summary of the conversation so far:\n")
	for _, m := range sc.req.Messages {
		for line := range strings.Lines(readSections(textOf(m)).message) {
			if line = strings.TrimSpace(line); line != "" {
				fmt.Fprintf(&b, "\n- %s: %s", m.Role, excerpt(line, 160))
				break
			}
		}
	}
	for _, r := range sc.work.all {
		fmt.Fprintf(&b, "\n- %s", bullet(r))
	}
	return say(b.String())
}

// draftReply is polite and promises nothing.
func draftReply(sc *scene) reply {
	return say("Thank you for your message: “" + excerpt(firstLine(sc.said), 160) + "” I have read it and will answer soon.")
}

// concludeEarly sums up what there is. The last message may be the demand to.
func concludeEarly(sc *scene) reply {
	w := sc.work
	if len(w.results) == 0 {
		w.goal, w.results = w.before, w.all
	}
	return say("I had to stop here. This is what I have:\n\n" + summary(w))
}
