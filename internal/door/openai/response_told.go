package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/sse"
)

// responseBody is a response as the caller is told it.
type responseBody struct {
	ID                string           `json:"id"`
	Object            string           `json:"object"`
	CreatedAt         int64            `json:"created_at"`
	Status            string           `json:"status"`
	Background        bool             `json:"background"`
	Error             *responseFailure `json:"error"`
	IncompleteDetails json.RawMessage  `json:"incomplete_details"`
	Instructions      *string          `json:"instructions"`
	Metadata          json.RawMessage  `json:"metadata"`
	Model             string           `json:"model"`
	Output            []outputItem     `json:"output"`
	Parallel          bool             `json:"parallel_tool_calls"`
	Previous          *string          `json:"previous_response_id"`
	Store             bool             `json:"store"`
	Temperature       *float64         `json:"temperature"`
	TopP              *float64         `json:"top_p"`
	Text              json.RawMessage  `json:"text"`
	ToolChoice        string           `json:"tool_choice"`
	Tools             json.RawMessage  `json:"tools"`
	Truncation        string           `json:"truncation"`
	Usage             *responseUsage   `json:"usage"`
}

type responseFailure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// outputItem is a message or a call.
type outputItem struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	Status string `json:"status"`
	// Of a message.
	Role    string       `json:"role,omitempty"`
	Content *[]textOfOut `json:"content,omitempty"`
	// Of a call.
	CallID    string  `json:"call_id,omitempty"`
	Name      string  `json:"name,omitempty"`
	Arguments *string `json:"arguments,omitempty"`
}

type textOfOut struct {
	Type        string   `json:"type"`
	Text        string   `json:"text"`
	Annotations []string `json:"annotations"`
	Logprobs    []string `json:"logprobs"`
}

type responseUsage struct {
	Input         int64           `json:"input_tokens"`
	InputDetails  json.RawMessage `json:"input_tokens_details"`
	Output        int64           `json:"output_tokens"`
	OutputDetails json.RawMessage `json:"output_tokens_details"`
	Total         int64           `json:"total_tokens"`
}

// told tells an answer as a response: as events, or, without a writer, as a whole.
type told struct {
	response responseBody
	chat     nestor.Path
	numbers  numbers
	out      *sse.Writer
	// remember notes what the client was told, if it is told it for the first time.
	remember func(message, *answer) error
}

func newTold(is *OpenAIResponse, at int64) *told {
	object := func(raw json.RawMessage, otherwise string) json.RawMessage {
		if len(raw) == 0 {
			return json.RawMessage(otherwise)
		}
		return raw
	}
	return &told{chat: chatAt(is.UserID, is.ChatID), response: responseBody{
		ID: responsePrefix + is.ID, Object: "response", CreatedAt: cmp.Or(at, is.CreatedAt/1000), Status: "in_progress", Background: is.Background,
		Instructions: orNull(is.Instructions), Metadata: object(is.Metadata, "{}"), Model: is.Model, Output: []outputItem{}, Parallel: true,
		Previous: orNull(is.Previous), Store: true, Text: json.RawMessage(`{"format":{"type":"text"}}`), ToolChoice: "auto", Tools: object(is.Tools, "[]"), Truncation: "disabled",
	}}
}

// toldTools are the tools of a request in the form of responses.
func toldTools(tools []nestor.ClientTool) (all []map[string]any) {
	for _, t := range tools {
		all = append(all, map[string]any{"type": "function", "name": t.Name, "description": t.Description, "parameters": t.Parameters, "strict": false})
	}
	return all
}

func (t *told) beats() error {
	if t.out == nil {
		return nil
	}
	t.out.Put(": \n\n")
	return t.out.Flush()
}

// item is the message that a text is.
func (t *told) item(s *said, status, text string) outputItem {
	parts := []textOfOut{}
	if status != "in_progress" || text != "" {
		parts = append(parts, output(text))
	}
	return outputItem{ID: "msg_" + s.path.ID(), Type: "message", Status: status, Role: roleAssistant, Content: &parts}
}

func output(text string) textOfOut {
	return textOfOut{Type: "output_text", Text: text, Annotations: []string{}, Logprobs: []string{}}
}

// finish sets how a response ended.
func (t *told) finish(o outcome, a *answer) {
	r := &t.response
	used := usageOf(o.usage)
	r.Usage = &responseUsage{
		Input: used.Prompt, InputDetails: used.PromptDetails, Output: used.Completion, OutputDetails: used.Details, Total: used.Total,
	}
	switch {
	case a.patient && len(a.approvals) > 0:
		r.Usage = nil // it goes on when somebody has approved
	case o.status == nestor.RunFailed:
		r.Status, r.Error = "failed", &responseFailure{Code: "server_error", Message: a.failure}
	case o.status == nestor.RunCancelled:
		r.Status = "cancelled"
	case finishReason(a) == "length":
		r.Status, r.IncompleteDetails = "incomplete", json.RawMessage(`{"reason":"max_output_tokens"}`)
	default:
		r.Status = "completed"
	}
}

// last is the event that ends the stream of a response.
func (r *responseBody) last() string {
	switch r.Status {
	case "failed", "incomplete", "completed":
		return "response." + r.Status
	}
	return "response.incomplete" // there is no event of its own for one that was cancelled
}

// opened is a stream that counts among those of the caller; see
// [httpapi.Request.OpenStream].
type opened struct {
	ctx  context.Context
	out  *sse.Writer
	done func()
}

// streamResponse tells a response as events, those after a number only.
func (d *Door) streamResponse(open opened, b *begun, t *told, after int) {
	defer open.out.Close()
	t.out, t.numbers.after = open.out, after
	if t.begins() != nil {
		return // the client is gone, here and below
	}
	a := newAnswer(b.chat, t)
	a.patient, a.stays = t.response.Background, t.response.Background
	o, err := d.follow(open.ctx, b.chat, b.place, a)
	if err == nil {
		err = t.complete(o, a)
	}
	if err != nil {
		// No event ends the stream: the response is not over. The client comes back with
		// the number of the last event that it has.
		return
	}
	_ = t.ends() // the client has it, or is gone
}

// wholeResponse answers when all is said.
func (d *Door) wholeResponse(open opened, w http.ResponseWriter, b *begun, t *told) error {
	a, o, err := d.await(open.ctx, w, b, t)
	if err == nil {
		err = t.complete(o, a)
	}
	if err != nil {
		return err
	}
	write(w, http.StatusOK, t.response)
	return nil
}

// complete adds the calls and how the response ended, once all was said.
func (t *told) complete(o outcome, a *answer) error {
	if err := t.calls(a); err != nil {
		return err
	}
	if t.remember != nil && o.status != nestor.RunFailed {
		if err := t.remember(message{role: roleAssistant, text: t.text(), calls: callsOf(t.chat, a.pending)}, a); err != nil {
			return err
		}
	}
	t.finish(o, a)
	return nil
}

// text is what was told, as the client would send it back.
func (t *told) text() string {
	var texts []string
	for _, item := range t.response.Output {
		if item.Content != nil {
			for _, p := range *item.Content {
				texts = append(texts, p.Text)
			}
		}
	}
	return joined(texts...)
}

// startingAfter is the number of the last event that the caller has, -1 for none.
func startingAfter(req *httpapi.Request) (int, error) {
	text := req.URL.Query().Get("starting_after")
	if text == "" {
		return -1, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, nestor.Errorf(nestor.CodeInvalid, "starting_after is the sequence number of an event, not %.100q", text).With("field", "starting_after")
	}
	return n, nil
}
