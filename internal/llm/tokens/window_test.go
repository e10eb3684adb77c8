package tokens

import "testing"

func TestWindow(t *testing.T) {
	for model, want := range map[string]int{
		"gpt-5":                      400_000,
		"gpt-5-2025-08-07":           400_000,
		"gpt-5.4-mini":               400_000,
		"gpt-5-chat-latest":          128_000,
		"gpt-6.1-terra":              1_050_000,
		"gpt-4":                      8_192,
		"gpt-4-0613":                 8_192,
		"gpt-4-turbo-2024-04-09":     128_000,
		"gpt-4-1106-preview":         128_000,
		"gpt-4o-mini":                128_000,
		"gpt-4.1-nano":               1_047_576,
		"ft:gpt-4o:acme":             128_000,
		"o3-mini":                    200_000,
		"o1-mini":                    128_000,
		"claude-opus-5-5":            1_000_000,
		"claude-sonnet-4-6":          1_000_000,
		"claude-haiku-4-5-20251001":  200_000,
		"claude-3-5-haiku-latest":    200_000,
		"anthropic/claude-haiku-4-5": 200_000,
		"gemini-2.5-flash":           1_048_576,
		"gemini-4-argon":             1_048_576,
		"llama3":                     8_192,
		"llama3.1:8b":                131_072,
		"meta-llama/Llama-3.3-70B":   131_072,
		"qwen3:4b":                   40_960,
		// A name that merely starts alike is another model.
		"claudette": 128_000,
		"gpt-4x":    128_000,
		"unheard":   128_000,
		"":          128_000,
	} {
		if got := Window(model); got != want {
			t.Errorf("%q: %d, want %d", model, got, want)
		}
	}
}
