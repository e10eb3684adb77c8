package openai

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/openai/openai-go/v3"
)

// Our own decoder, with and without what it remembers of chunks before, reads
// frames, written after the formats of known servers, as the official SDK's types do.
func TestFramesAreReadAsTheOfficialTypesReadThem(t *testing.T) {
	files, err := filepath.Glob("testdata/frames/*.jsonl")
	if err != nil || len(files) < 2 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var seen repeats
		for frame := range bytes.Lines(data) {
			frame = bytes.TrimSpace(frame)
			var official openai.ChatCompletionChunk
			if err := json.Unmarshal(frame, &official); err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second time it may be one that is known
				ours, err := seen.decode(frame)
				if err != nil {
					t.Fatal(err)
				}
				agree(t, frame, ours, &official)
			}
		}
	}
}

func agree(t *testing.T, frame []byte, ours *chunk, official *openai.ChatCompletionChunk) {
	t.Helper()
	same := func(what string, got, want any) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %s is %v, want %v", frame, what, got, want)
		}
	}
	same("id", ours.ID, official.ID)
	same("choices", len(ours.Choices), len(official.Choices))
	for i := range ours.Choices {
		got, want := &ours.Choices[i], &official.Choices[i]
		same("content", got.Delta.Content.Text, want.Delta.Content)
		same("refusal", got.Delta.Refusal, want.Delta.Refusal)
		same("finish_reason", got.FinishReason, want.FinishReason)
		same("tool_calls", len(got.Delta.ToolCalls), len(want.Delta.ToolCalls))
		for j := range got.Delta.ToolCalls {
			call, official := &got.Delta.ToolCalls[j], &want.Delta.ToolCalls[j]
			same("index", call.Index, official.Index)
			same("call id", call.ID, official.ID)
			same("name", call.Function.Name, official.Function.Name)
			same("arguments", string(call.Function.Arguments), official.Function.Arguments)
		}
	}
	same("usage", ours.Usage != nil, official.JSON.Usage.Valid())
	if ours.Usage != nil {
		same("prompt_tokens", ours.Usage.PromptTokens, official.Usage.PromptTokens)
		same("completion_tokens", ours.Usage.CompletionTokens, official.Usage.CompletionTokens)
		same("cached_tokens", ours.Usage.PromptTokensDetails.CachedTokens, official.Usage.PromptTokensDetails.CachedTokens)
		same("reasoning_tokens", ours.Usage.CompletionTokensDetails.ReasoningTokens, official.Usage.CompletionTokensDetails.ReasoningTokens)
	}
}
