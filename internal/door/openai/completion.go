package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
)

// completionRequest is what POST /v1/chat/completions takes. Fields that are not here are
// ignored.
type completionRequest struct {
	Model    string `json:"model"`
	Messages []struct {
		Role       string  `json:"role"`
		Content    content `json:"content"`
		ToolCallID string  `json:"tool_call_id"`
		ToolCalls  []struct {
			ID       string `json:"id"`
			Function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
			} `json:"function"`
		} `json:"tool_calls"`
	} `json:"messages"`
	Stream        bool `json:"stream"`
	StreamOptions *struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Tools      []toolSpec      `json:"tools"`
	ToolChoice json.RawMessage `json:"tool_choice"`
	Metadata   json.RawMessage `json:"metadata"`

	// What follows would change the answer's form or meaning, and is refused.
	N              *int            `json:"n"`
	Logprobs       *bool           `json:"logprobs"`
	TopLogprobs    *int            `json:"top_logprobs"`
	LogitBias      json.RawMessage `json:"logit_bias"`
	Stop           json.RawMessage `json:"stop"`
	Audio          json.RawMessage `json:"audio"`
	Modalities     []string        `json:"modalities"`
	ResponseFormat *format         `json:"response_format"`
	Functions      json.RawMessage `json:"functions"`
	FunctionCall   json.RawMessage `json:"function_call"`
	WebSearch      json.RawMessage `json:"web_search_options"`
}

// format is the form that an answer is to have.
type format struct {
	Type string `json:"type"`
}

// isSet reports whether a field was sent with a value.
func isSet(raw json.RawMessage) bool {
	switch string(bytes.TrimSpace(raw)) {
	case "", "null", "{}", "[]":
		return false
	}
	return true
}

// check refuses what is not here.
func (r *completionRequest) check() error {
	switch {
	case r.N != nil && *r.N != 1:
		return unsupported("n", "there is one answer to a request: n is 1")
	case r.Logprobs != nil && *r.Logprobs, r.TopLogprobs != nil && *r.TopLogprobs > 0:
		return unsupported("logprobs", "log probabilities are not told")
	case isSet(r.LogitBias):
		return unsupported("logit_bias", "logit_bias is not passed on to models")
	case isSet(r.Stop):
		return unsupported("stop", "stop sequences are not passed on to models")
	case isSet(r.Audio):
		return unsupported("audio", "answers are text")
	case isSet(r.Functions), isSet(r.FunctionCall):
		return unsupported("functions", "functions are passed as tools")
	case isSet(r.WebSearch):
		return unsupported("web_search_options", "participants search with tools of their own")
	}
	for _, m := range r.Modalities {
		if m != "text" {
			return unsupported("modalities", "answers are text, not %.100q", m)
		}
	}
	return r.ResponseFormat.check("response_format")
}

// check refuses every form but text.
func (f *format) check(param string) error {
	if f == nil || f.Type == "" || f.Type == "text" {
		return nil
	}
	return unsupported(param, "an answer is text; %.100q cannot be promised", f.Type)
}

// ask is the request in the form that both calls share.
func (r *completionRequest) ask() (*ask, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	var all []message
	for i, m := range r.Messages {
		param := fmt.Sprintf("messages[%d]", i)
		text, files, err := m.Content.said(param + ".content")
		if err != nil {
			return nil, err
		}
		if len(files) > 0 && m.Role != roleUser {
			return nil, unsupported(param+".content", "only what a user says can have images and files")
		}
		add := message{role: m.Role, text: text, files: files}
		switch m.Role {
		case roleSystem, roleDeveloper, roleUser:
		case roleAssistant:
			for _, c := range m.ToolCalls {
				add.calls = append(add.calls, called{c.ID, c.Function.Name, c.Function.Arguments})
			}
		case roleTool:
			add.callID = m.ToolCallID
		default:
			return nil, nestor.Errorf(nestor.CodeInvalid, "%.100q is no role: there are system, developer, user, assistant and tool", m.Role).With("field", param+".role")
		}
		all = append(all, add)
	}
	talk, err := arrange(all, "messages")
	if err != nil {
		return nil, err
	}
	a := &ask{model: r.Model, conversation: talk, metadata: r.Metadata, system: talk.system}
	a.tools, err = toolsOf(r.Model, r.Tools, r.ToolChoice)
	return a, err
}

// completionID is the id of a completion: that of its run, and a number if it is not
// the run's first.
func completionID(b *begun) string {
	if b.place.From == "" {
		return "chatcmpl-" + b.place.Run
	}
	return "chatcmpl-" + b.place.Run + "-" + b.place.From
}

func (d *Door) postCompletion(req *httpapi.Request, w http.ResponseWriter) (err error) {
	var r completionRequest
	try := newAttempt(req)
	if err := req.DecodeLoosely(&r); err != nil {
		return err
	}
	a, err := r.ask()
	if err != nil {
		return err
	}
	// First, so that a caller who has too many streams begins nothing.
	ctx, out, done, err := req.OpenStream(w)
	if err != nil {
		return err
	}
	defer done()
	b, err := d.begin(req, a, try)
	if err != nil {
		return err
	}
	defer func() {
		if err == nil {
			try.answered()
		}
	}()
	c := &completion{id: completionID(&b), model: r.Model, at: b.at}
	if !r.Stream {
		return d.whole(ctx, req, w, a, &b, c)
	}
	c.out, c.usage = out, r.StreamOptions != nil && r.StreamOptions.IncludeUsage
	d.streamed(ctx, req, a, &b, c)
	return nil
}

// usage is what was used, in the form of chat completions.
type usage struct {
	Prompt        int64           `json:"prompt_tokens"`
	Completion    int64           `json:"completion_tokens"`
	Total         int64           `json:"total_tokens"`
	PromptDetails json.RawMessage `json:"prompt_tokens_details"`
	Details       json.RawMessage `json:"completion_tokens_details"`
}

func usageOf(u *nestor.Usage) usage {
	if u == nil {
		u = &nestor.Usage{}
	}
	return usage{
		Prompt: u.InputTokens, Completion: u.OutputTokens, Total: u.Tokens(),
		PromptDetails: json.RawMessage(`{"cached_tokens":` + strconv.FormatInt(u.CachedInputTokens, 10) + `}`),
		Details:       json.RawMessage(`{"reasoning_tokens":` + strconv.FormatInt(u.ReasoningTokens, 10) + `}`),
	}
}

// finishReason is why an answer ended, in OpenAI's words.
func finishReason(a *answer) string {
	switch {
	case len(a.pending) > 0:
		return "tool_calls"
	case a.finish == "length":
		return "length"
	}
	return "stop"
}

// failureOf says why there is no answer, nil if there is one.
func failureOf(o outcome, a *answer) *failure {
	switch {
	case o.status == nestor.RunFailed:
		return &failure{Message: a.failure, Type: "server_error", Code: orNull("run_failed")}
	case o.status == nestor.RunCancelled && a.text() == "":
		return &failure{Message: "somebody cancelled the run", Type: "server_error", Code: orNull("run_cancelled")}
	}
	return nil
}
