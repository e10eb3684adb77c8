package llm

import (
	"regexp"
	"strconv"
	"strings"
)

// Servers have no common code for a conversation that exceeds the model's
// window, which the caller can cure by shortening it. These are their words.

// tooLongCodes are codes and types of errors.
var tooLongCodes = map[string]bool{
	"context_length_exceeded":   true, // OpenAI, Groq, xAI
	"exceed_context_size_error": true, // llama.cpp
	"request_too_large":         true, // Anthropic
	"string_above_max_length":   true, // OpenAI, one message
}

// tooLongWords are parts of messages, in small letters.
var tooLongWords = []string{
	"maximum context length",                 // OpenAI, vLLM, DeepSeek, Mistral, OpenRouter
	"exceeds the context window",             // OpenAI
	"exceed the configured limit",            // OpenAI
	"maximum prompt length",                  // xAI
	"maximum model length",                   // vLLM, its engine
	"prompt is too long",                     // Anthropic, Fireworks
	"exceed context limit",                   // Anthropic, with max_tokens
	"input is too long for requested model",  // Bedrock
	"exceeds the maximum number of tokens",   // Gemini
	"exceeds the available context size",     // llama.cpp
	"context size has been exceeded",         // LM Studio
	"greater than the context length",        // LM Studio
	"exceeds the model's context",            // various gateways
	"reduce the length of the messages",      // OpenAI, Groq
	"input tokens exceed",                    // OpenAI, SGLang
	"longer than the model's context length", // SGLang
}

func (r report) tooLong() bool {
	if tooLongCodes[strings.Trim(string(r.Code), `"`)] || tooLongCodes[r.Type] {
		return true
	}
	message := strings.ToLower(r.Message)
	for _, words := range tooLongWords {
		if strings.Contains(message, words) {
			return true
		}
	}
	return false
}

// contextSize finds the size of the window in a message.
var contextSize = []*regexp.Regexp{
	regexp.MustCompile(`> ([0-9]{3,9})`), // Anthropic: 210000 tokens > 200000 maximum
	regexp.MustCompile(`(?i)(?:context length|prompt length|model length|context size|context window|context limit|maximum number of tokens|configured limit)[^0-9>]{0,40}?([0-9]{3,9})`),
	regexp.MustCompile(`(?i)([0-9]{3,9}) (?:tokens )?maximum`),
}

// contextTokens is how many tokens the model takes, 0 if the report does not
// tell.
func (r report) contextTokens() int {
	if r.Context > 0 {
		return r.Context
	}
	for _, expr := range contextSize {
		if m := expr.FindStringSubmatch(r.Message); m != nil {
			if n, err := strconv.Atoi(m[1]); err == nil {
				return n
			}
		}
	}
	return 0
}
