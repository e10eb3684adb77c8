package demo

import (
	"regexp"
	"strings"

	"github.com/nestorhq/nestor/internal/llm"
)

const (
	disclosure = "I am Nestor's demo model: a set of rules, not an AI."
	advice     = "Connect a real model for real answers, for example by setting OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY."
	offer      = "I can show how Nestor works, though. Try one of these:\n\n" +
		"- What is 15% of 80, and what time is it in Tokyo?\n" +
		"- Research Go, Rust and Zig.\n" +
		"- Compare PostgreSQL and SQLite.\n" +
		"- Book a table for two.\n" +
		"- Read https://example.org and also search my documents for plans."
)

// pleasantry is something to answer without work.
type pleasantry struct {
	when *regexp.Regexp
	text string
}

var pleasantries = []pleasantry{
	{regexp.MustCompile(`(?i)\b(?:who|what) are you\b|\bare you (?:an? |really )*(?:ai|llm|human|person|robot|bot|real|chatgpt|model)\b|\bwhich model\b|\bwhat model\b`), disclosure + " " + advice},
	{regexp.MustCompile(`(?i)\bwhat can you do\b|^help\b|\bhow does this work\b|\bhow do you work\b`), disclosure + " " + offer},
	{regexp.MustCompile(`(?i)^(?:many )?(?:thanks|thank you|thx|cheers|great|perfect|nice|cool|awesome)\b[^?]*$`), "You are welcome!"},
	{regexp.MustCompile(`(?i)^(?:bye|goodbye|see you|good night)\b`), "Goodbye!"},
	{regexp.MustCompile(`(?i)\bhow are you\b|\bhow's it going\b|\bhow do you do\b`), "All my rules are in order, thank you. How can I help?"},
	{regexp.MustCompile(`(?i)^(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|greetings|hallo|moin|servus)\b[^?]{0,40}$`), "Hello! What can I do for you?"},
}

func smallTalk(text string) *pleasantry {
	for i := range pleasantries {
		if pleasantries[i].when.MatchString(strings.TrimSpace(text)) {
			return &pleasantries[i]
		}
	}
	return nil
}

// talk answers directly. The first such answer of a conversation says that
// rules wrote it.
func talk(sc *scene) reply {
	text := "I have no rule for that. " + offer
	if p := smallTalk(sc.said); p != nil {
		text = p.text
	}
	if !strings.Contains(text, disclosure) && !disclosed(sc) {
		text += "\n\n" + disclosure + " " + advice
	}
	return say(text)
}

func disclosed(sc *scene) bool {
	for _, m := range sc.req.Messages {
		if m.Role == llm.RoleAssistant && strings.Contains(textOf(m), disclosure) {
			return true
		}
	}
	return false
}
