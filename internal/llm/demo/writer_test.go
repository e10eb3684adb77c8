package demo

import (
	"testing"

	"github.com/nestorhq/nestor/internal/llm"
)

func TestWriter(t *testing.T) {
	tests := []struct {
		name, system string
		messages     []llm.Message
		want         string
	}{
		{"a title of the first message", "Write a title of 3 to 5 words.", []llm.Message{user("Compare Go and Rust for servers")}, "Compare Go and Rust"},
		{"a title asked for in the message", "", []llm.Message{user("Write a title for this chat: Compare Go and Rust for servers")}, "Compare Go and Rust"},
		{"a title asked for after the conversation", "", []llm.Message{user("Compare Go and Rust for servers"), assistant("Sure"), user("Give this chat a title")}, "Compare Go and Rust"},
		{
			"a conclusion from the results so far", "You are an agent. Give a title to your answer.",
			[]llm.Message{user("What is 6*7?"), assistant("", called("1", "calculator", `{"expression":"6*7"}`)), returned("1", "42"), user("Conclude now.")},
			"I had to stop here. This is what I have:\n\n**What is 6*7?**\n\n- `6*7` = **42**",
		},
		{"a summary", "Write a summary of the conversation.", []llm.Message{user("What is 6*7?\nPlease."), assistant("42")}, "Summary of the conversation so far:\n\n- user: What is 6*7?\n- assistant: 42"},
		{"a reply", "Draft a short, friendly reply to this message.", []llm.Message{user("Could we meet on Tuesday?\nBob")}, "Thank you for your message: “Could we meet on Tuesday?” I have read it and will answer soon."},
		{"talk", "", []llm.Message{user("hello")}, "Hello! What can I do for you?…"},
		{"an empty request", "", nil, "I have no rule for that. …"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := answerTo(t, &llm.Request{System: tt.system, Messages: tt.messages})
			if !like(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}
