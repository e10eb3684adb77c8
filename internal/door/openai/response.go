package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// responseRequest is what POST /v1/responses takes. Fields that are not here are ignored.
type responseRequest struct {
	Model        string          `json:"model"`
	Input        input           `json:"input"`
	Instructions string          `json:"instructions"`
	Previous     string          `json:"previous_response_id"`
	Background   bool            `json:"background"`
	Stream       bool            `json:"stream"`
	Tools        []toolSpec      `json:"tools"`
	ToolChoice   json.RawMessage `json:"tool_choice"`
	Metadata     json.RawMessage `json:"metadata"`

	// What follows would change the answer's form or meaning, and is refused.
	TopLogprobs  *int            `json:"top_logprobs"`
	Conversation json.RawMessage `json:"conversation"`
	Prompt       json.RawMessage `json:"prompt"`
	Text         *struct {
		Format *format `json:"format"`
	} `json:"text"`
}

// input is a text, or items.
type input struct{ items []inputItem }

type inputItem struct {
	Type    string  `json:"type"`
	Role    string  `json:"role"`
	Content content `json:"content"`
	// Of calls and their results.
	CallID    string  `json:"call_id"`
	Name      string  `json:"name"`
	Arguments string  `json:"arguments"`
	Output    content `json:"output"`
}

func (in *input) UnmarshalJSON(raw []byte) error {
	if raw = bytes.TrimSpace(raw); len(raw) > 0 && raw[0] == '"' {
		in.items = []inputItem{{Role: roleUser}}
		return json.Unmarshal(raw, &in.items[0].Content.text)
	}
	return json.Unmarshal(raw, &in.items)
}

// messages are the items in the form that both calls share.
func (in *input) messages() (all []message, err error) {
	for i, item := range in.items {
		param := fmt.Sprintf("input[%d]", i)
		switch item.Type {
		case "", "message":
			m := message{role: item.Role}
			if m.text, m.files, err = item.Content.said(param + ".content"); err != nil {
				return nil, err
			}
			if len(m.files) > 0 && m.role != roleUser {
				return nil, unsupported(param+".content", "only what a user says can have images and files")
			}
			switch m.role {
			case roleUser, roleAssistant, roleSystem, roleDeveloper:
			default:
				return nil, nestor.Errorf(nestor.CodeInvalid, "%.100q is no role: there are user, assistant, system and developer", m.role).With("field", param+".role")
			}
			all = append(all, m)
		case "function_call":
			call := called{item.CallID, item.Name, item.Arguments}
			if n := len(all); n > 0 && all[n-1].role == roleAssistant { // one reply, as it was made
				all[n-1].calls = append(all[n-1].calls, call)
				continue
			}
			all = append(all, message{role: roleAssistant, calls: []called{call}})
		case "function_call_output":
			m := message{role: roleTool, callID: item.CallID}
			if m.text, err = item.Output.plain(param + ".output"); err != nil {
				return nil, err
			}
			all = append(all, m)
		case "reasoning": // a model here keeps its own
		default:
			return nil, unsupported(param+".type", "an item of the type %.100q cannot be said here", item.Type)
		}
	}
	return all, nil
}

// ask is the request in the form that both calls share.
func (r *responseRequest) ask(req *httpapi.Request) (*ask, error) {
	switch {
	case r.TopLogprobs != nil && *r.TopLogprobs > 0:
		return nil, unsupported("top_logprobs", "log probabilities are not told")
	case isSet(r.Conversation):
		return nil, unsupported("conversation", "a thread goes on by previous_response_id")
	case isSet(r.Prompt):
		return nil, unsupported("prompt", "there are no stored prompts: roles have instructions")
	}
	if r.Text != nil {
		if err := r.Text.Format.check("text.format"); err != nil {
			return nil, err
		}
	}
	all, err := r.Input.messages()
	if err != nil {
		return nil, err
	}
	talk, err := arrange(all, "input")
	if err != nil {
		return nil, err
	}
	a := &ask{model: r.Model, conversation: talk, metadata: r.Metadata}
	if r.Previous != "" {
		previous, err := readResponse(req, r.Previous, "previous_response_id")
		if err != nil {
			return nil, err
		}
		if a.previous = &previous; len(a.before) > 0 && a.speaks() {
			a.said, a.before = transcript(a.before)+a.said, nil // what the thread does not have
		}
		a.conversation.system = joined(previous.System, a.conversation.system)
	}
	a.system = joined(r.Instructions, a.conversation.system)
	a.tools, err = toolsOf(r.Model, r.Tools, r.ToolChoice)
	return a, err
}

func joined(texts ...string) string {
	var all []string
	for _, t := range texts {
		if t != "" {
			all = append(all, t)
		}
	}
	return strings.Join(all, "\n\n")
}

func (d *Door) postResponse(req *httpapi.Request, w http.ResponseWriter) (err error) {
	var r responseRequest
	try := newAttempt(req)
	if err := req.DecodeLoosely(&r); err != nil {
		return err
	}
	a, err := r.ask(req)
	if err != nil {
		return err
	}
	var open opened
	if r.Stream || !r.Background { // first, so that a caller who has too many streams begins nothing
		if open.ctx, open.out, open.done, err = req.OpenStream(w); err != nil {
			return err
		}
		defer open.done()
	}
	b, err := d.begin(req, a, try)
	if err != nil {
		return err
	}
	defer func() {
		if err == nil {
			try.answered()
		}
	}()
	is := OpenAIResponse{
		ChatID: b.chat.ID(), Place: b.place, System: a.conversation.system,
		Model: r.Model, Previous: r.Previous, Instructions: r.Instructions, Metadata: r.Metadata, Background: r.Background,
	}
	if len(a.tools) > 0 {
		if is.Tools, err = json.Marshal(toldTools(a.tools)); err != nil {
			return err
		}
	}
	if is, err = d.record(req, b.id, is, a.previous); err != nil {
		return err
	}
	told := newTold(&is, b.at)
	told.remember = func(reply message, got *answer) error { return remember(req, a, &b, reply, got) }
	switch {
	case r.Stream:
		d.streamResponse(open, &b, told, -1)
		return nil
	case r.Background:
		told.response.Status = "queued"
		write(w, http.StatusOK, told.response)
		return nil
	}
	return d.wholeResponse(open, w, &b, told)
}

// record writes the document of a response. One that is there already is that of the
// same request. It says in the response before up to where that one's answer goes.
func (d *Door) record(req *httpapi.Request, id string, is OpenAIResponse, previous *OpenAIResponse) (OpenAIResponse, error) {
	p := responseAt(req.UserID(), id)
	err := req.Act(p, func(tx store.Tx) error {
		old, err := store.Find[OpenAIResponse](tx, p)
		if err != nil || old != nil {
			if old != nil {
				is = *old
			}
			return err
		}
		doc, err := tx.Put(p, is, store.AnyVersion)
		if err != nil {
			return err
		}
		if is, err = nestor.As[OpenAIResponse](doc); err != nil || previous == nil {
			return err
		}
		return closeBefore(tx, responseAt(req.UserID(), previous.ID), &is)
	})
	return is, err
}

// closeBefore notes in the response before where its runs waited when this one went on.
func closeBefore(tx store.Tx, p nestor.Path, is *OpenAIResponse) error {
	before, err := store.Find[OpenAIResponse](tx, p)
	if err != nil || before == nil || before.Place.over() {
		return err
	}
	for _, now := range is.Place.stands() {
		if now.From == "" {
			continue // it begins with this one
		}
		if before.Place.Run == now.Run {
			before.Place.Until = &now.Resumes
		}
		for i := range before.Place.Also {
			if before.Place.Also[i].Run == now.Run {
				before.Place.Also[i].Until = &now.Resumes
			}
		}
	}
	if before.Place.over() {
		_, err = tx.Put(p, before, store.AnyVersion)
	}
	return err
}
