package view

import (
	"github.com/nestorhq/nestor/internal/llm"
)

// RunPrompt is what a model was asked, made again from the documents of then.
type RunPrompt struct {
	ID       string       `json:"id"`
	System   string       `json:"system"`
	Messages []PromptPart `json:"messages"`
	// Tools are the names of those that it was offered, as far as they are known.
	Tools []string `json:"tools"`
}

// PromptPart is a message of a prompt: what was said, called or answered.
type PromptPart struct {
	Role  string    `json:"role"`
	Text  string    `json:"text,omitempty"`
	Calls []RunCall `json:"calls,omitempty"`
	// Tool is the call that this answers.
	Tool  string   `json:"tool,omitempty"`
	Files []string `json:"files,omitempty"`
}

// Prompt is how a request to a model is shown. What providers get back of their own, such
// as signatures, is left out, and so is what the model thought: the step before tells that.
func Prompt(row string, req *llm.Request) RunPrompt {
	p := RunPrompt{ID: row, System: req.System, Messages: []PromptPart{}, Tools: []string{}}
	for _, t := range req.Tools {
		p.Tools = append(p.Tools, t.Name)
	}
	for _, m := range req.Messages {
		part := PromptPart{Role: string(m.Role)}
		for _, piece := range m.Parts {
			switch piece := piece.(type) {
			case llm.Text:
				part.Text += piece.Text
			case llm.ToolCall:
				part.Calls = append(part.Calls, RunCall{piece.Name, piece.Arguments})
			case llm.Media:
				part.Files = append(part.Files, piece.Name)
			case llm.ToolResult:
				answer := PromptPart{Role: string(m.Role), Tool: piece.Name, Text: piece.Content}
				for _, f := range piece.Media {
					answer.Files = append(answer.Files, f.Name)
				}
				p.Messages = append(p.Messages, answer)
			}
		}
		if part.Text != "" || part.Calls != nil || part.Files != nil {
			p.Messages = append(p.Messages, part)
		}
	}
	return p
}
