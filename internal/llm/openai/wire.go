package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// The wire format, as far as it is used. The types of the official SDK can hold
// all of it, and cost ten times as much to encode and decode, for every agent
// at every step. Tests compare what both read.

// settings are a request without its messages and tools.
type settings struct {
	Model               string         `json:"model"`
	ToolChoice          any            `json:"tool_choice,omitempty"` // a word or a tool
	MaxTokens           int            `json:"max_tokens,omitempty"`
	MaxCompletionTokens int            `json:"max_completion_tokens,omitempty"`
	Temperature         *float64       `json:"temperature,omitempty"`
	ReasoningEffort     string         `json:"reasoning_effort,omitempty"`
	Stream              bool           `json:"stream"`
	StreamOptions       *streamOptions `json:"stream_options,omitempty"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type message struct {
	Role             string `json:"role"`
	Content          any    `json:"content,omitempty"` // a string or a list of parts
	ReasoningContent string `json:"reasoning_content,omitempty"`
	ToolCalls        []call `json:"tool_calls,omitempty"`
	ToolCallID       string `json:"tool_call_id,omitempty"`
}

// part is a piece of what a user says: one of its fields beside the type.
type part struct {
	Type       string `json:"type"`
	Text       string `json:"text,omitempty"`
	ImageURL   *image `json:"image_url,omitempty"`
	File       *file  `json:"file,omitempty"`
	InputAudio *audio `json:"input_audio,omitempty"`
}

type image struct {
	URL string `json:"url"`
}

type file struct {
	FileData string `json:"file_data"`
	Filename string `json:"filename"`
}

type audio struct {
	Data   string `json:"data"`
	Format string `json:"format"`
}

type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

// call is a tool call, or in a stream a piece of one.
type call struct {
	Index    int64        `json:"index,omitempty"`
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function functionCall `json:"function"`
}

type functionCall struct {
	Name      string    `json:"name"`
	Arguments arguments `json:"arguments"`
}

// chunk is one event of a stream, or the whole answer of a server that does not
// stream.
type chunk struct {
	ID      string          `json:"id"`
	Error   json.RawMessage `json:"error"`
	Choices []choice        `json:"choices"`
	Usage   *usage          `json:"usage"`
}

type choice struct {
	Delta delta `json:"delta"`
	// Message is what a whole answer has in place of the delta.
	Message      *delta `json:"message"`
	FinishReason string `json:"finish_reason"`
}

type delta struct {
	Content   content `json:"content"`
	Refusal   string  `json:"refusal"`
	ToolCalls []call  `json:"tool_calls"`
	// Compatible servers have not agreed on the name of reasoning, and some send
	// it under both.
	ReasoningContent json.RawMessage `json:"reasoning_content"`
	Reasoning        json.RawMessage `json:"reasoning"`
}

type usage struct {
	PromptTokens        int64 `json:"prompt_tokens"`
	CompletionTokens    int64 `json:"completion_tokens"`
	PromptTokensDetails struct {
		CachedTokens     int64 `json:"cached_tokens"`
		CacheWriteTokens int64 `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionTokensDetails struct {
		ReasoningTokens int64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// decodeChunk leaves out fields of an unexpected type: servers that are nearly
// compatible are worth listening to.
func decodeChunk(data []byte) (chunk, error) {
	var c chunk
	err := json.Unmarshal(data, &c)
	var odd *json.UnmarshalTypeError
	if errors.As(err, &odd) {
		err = nil
	}
	return c, err
}

// arguments are a text. Some servers send the object itself.
type arguments string

func (a *arguments) UnmarshalJSON(data []byte) error {
	*a = ""
	switch {
	case len(data) > 0 && data[0] == '"':
		return decodeText(data, (*string)(a))
	case len(data) > 0 && data[0] == '{':
		*a = arguments(data)
	}
	return nil
}

// decodeText reads a JSON text. Most have nothing to decode: a reply comes in hundreds.
func decodeText(data []byte, into *string) error {
	if last := len(data) - 1; last > 0 && data[last] == '"' && bytes.IndexByte(data, '\\') < 0 && utf8.Valid(data) {
		*into = string(data[1:last])
		return nil
	}
	return json.Unmarshal(data, into)
}

// content is what is said. Some servers send a list of parts, among which may be
// what the model thinks.
type content struct {
	Text, Thinking string
}

func (c *content) UnmarshalJSON(data []byte) error {
	*c = content{}
	switch {
	case len(data) > 0 && data[0] == '"':
		return decodeText(data, &c.Text)
	case len(data) > 0 && data[0] == '[':
		var parts []struct {
			Text     string          `json:"text"`
			Thinking json.RawMessage `json:"thinking"` // a text or a list of parts
		}
		var odd *json.UnmarshalTypeError
		if err := json.Unmarshal(data, &parts); err != nil && !errors.As(err, &odd) {
			return err
		}
		var text, thinking strings.Builder
		for _, p := range parts {
			text.WriteString(p.Text)
			if len(p.Thinking) > 0 {
				var inner content
				if err := inner.UnmarshalJSON(p.Thinking); err != nil {
					return err
				}
				thinking.WriteString(inner.Text)
			}
		}
		*c = content{text.String(), thinking.String()}
	}
	return nil
}

// failed reports whether a chunk is an error.
func (c *chunk) failed() bool { return len(c.Error) > 0 && string(c.Error) != "null" }
