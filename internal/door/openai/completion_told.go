package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/sse"
)

// completion tells an answer as a chat completion: in pieces, or, without a writer, as a
// whole.
type completion struct {
	id, model string
	at        int64
	out       *sse.Writer
	usage     bool
	// text is what the client was told, which it sends back with its next request.
	text strings.Builder
}

type choice struct {
	Index        int     `json:"index"`
	Message      *reply  `json:"message,omitempty"`
	Delta        *reply  `json:"delta,omitempty"`
	Logprobs     *string `json:"logprobs"`
	FinishReason *string `json:"finish_reason"`
}

// reply is what the assistant says, or a piece of it.
type reply struct {
	Role      string     `json:"role,omitempty"`
	Content   *string    `json:"content,omitempty"`
	Refusal   *string    `json:"refusal,omitempty"`
	ToolCalls []toolCall `json:"tool_calls,omitempty"`
}

type toolCall struct {
	Index    *int   `json:"index,omitempty"`
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// body is a completion, or a chunk of one.
type body struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage,omitempty"`
}

func (c *completion) began(*said) error {
	if c.text.Len() == 0 {
		return nil
	}
	return c.say("\n\n")
}

func (c *completion) more(_ *said, text string) error { return c.say(text) }

// ended tells a text again that turned out otherwise: what is said cannot be unsaid.
func (c *completion) ended(t *said) error {
	if whole := strings.TrimSpace(t.draft); whole != strings.TrimSpace(t.told) {
		return c.say("\n\n" + whole)
	}
	return nil
}

func (c *completion) beats() error {
	if c.out == nil {
		return nil
	}
	c.out.Put(": \n\n")
	return c.out.Flush()
}

func (c *completion) say(text string) error {
	c.text.WriteString(text)
	if c.out == nil {
		return nil
	}
	return c.chunk(choice{Delta: &reply{Content: &text}})
}

func (c *completion) chunk(choices ...choice) error {
	return c.send(body{ID: c.id, Object: "chat.completion.chunk", Created: c.at, Model: c.model, Choices: choices})
}

func (c *completion) send(data any) error { return send(c.out, "", data) }

// send sends an event.
func send(out *sse.Writer, name string, data any) error {
	var b bytes.Buffer
	if name != "" {
		b.WriteString("event: " + name + "\n")
	}
	b.WriteString("data: ")
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(data); err != nil {
		return err
	}
	b.WriteByte('\n')
	out.Put(b.String())
	return out.Flush()
}

// streamed answers in pieces. From here on failures are told in the stream; a client
// that is gone is not told anything.
func (d *Door) streamed(ctx context.Context, req *httpapi.Request, a *ask, b *begun, c *completion) {
	defer c.out.Close()
	empty := ""
	if c.chunk(choice{Delta: &reply{Role: roleAssistant, Content: &empty}}) != nil {
		return
	}
	got := newAnswer(b.chat, c)
	o, err := d.follow(ctx, b.chat, b.place, got)
	if err != nil {
		_ = c.send(map[string]any{"error": interrupted(b)})
		return
	}
	if f := failureOf(o, got); f != nil {
		_ = c.send(map[string]any{"error": f})
		return
	}
	calls := callsOf(b.chat, got.pending)
	if err := remember(req, a, b, c.reply(calls), got); err != nil {
		_ = c.send(map[string]any{"error": interrupted(b)})
		return
	}
	for i := range calls {
		one := completionCall(calls[i])
		one.Index = &i
		if c.chunk(choice{Delta: &reply{ToolCalls: []toolCall{one}}}) != nil {
			return
		}
	}
	reason := finishReason(got)
	if c.chunk(choice{Delta: &reply{}, FinishReason: &reason}) != nil {
		return
	}
	if c.usage {
		used := usageOf(o.usage)
		if c.send(body{ID: c.id, Object: "chat.completion.chunk", Created: c.at, Model: c.model, Choices: []choice{}, Usage: &used}) != nil {
			return
		}
	}
	c.out.Put("data: [DONE]\n\n")
	_ = c.out.Flush() // the client has all of it, or is gone
}

// interrupted says that the run goes on without anybody who listens.
func interrupted(b *begun) *failure {
	return &failure{
		Message: "the stream was interrupted; the run " + b.place.Run + " goes on: repeat the request with its Idempotency-Key to get its end",
		Type:    "server_error", Code: orNull("interrupted"),
	}
}

// reply is what the client was told, as it will send it back.
func (c *completion) reply(calls []called) message {
	return message{role: roleAssistant, text: c.text.String(), calls: calls}
}

// mostWait is how long an answer as a whole may take: as long as the stock client waits.
const mostWait = 10 * time.Minute

// whole answers when all is said.
func (d *Door) whole(ctx context.Context, req *httpapi.Request, w http.ResponseWriter, a *ask, b *begun, c *completion) error {
	got, o, err := d.await(ctx, w, b, c)
	if err != nil {
		return err
	}
	if f := failureOf(o, got); f != nil {
		writeFailure(w, f)
		return nil
	}
	calls := callsOf(b.chat, got.pending)
	if err := remember(req, a, b, c.reply(calls), got); err != nil {
		return err
	}
	text, reason, used := c.text.String(), finishReason(got), usageOf(o.usage)
	said := &reply{Role: roleAssistant, Content: &text}
	for _, call := range calls {
		said.ToolCalls = append(said.ToolCalls, completionCall(call))
	}
	write(w, http.StatusOK, body{
		ID: c.id, Object: "chat.completion", Created: c.at, Model: c.model, Usage: &used, Choices: []choice{{Message: said, FinishReason: &reason}},
	})
	return nil
}

// writeFailure tells of a run without an answer. The run was tried again as often as that
// made sense, so the stock client is told not to.
func writeFailure(w http.ResponseWriter, f *failure) {
	w.Header().Set(shouldRetry, "false")
	write(w, http.StatusInternalServerError, map[string]any{"error": f})
}

func completionCall(c called) toolCall {
	t := toolCall{ID: c.id, Type: "function"}
	t.Function.Name, t.Function.Arguments = c.name, c.args
	return t
}
