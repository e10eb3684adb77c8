package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/nestorhq/nestor"
)

// message is something said in a conversation, in whichever of the two forms it came.
type message struct {
	role string
	text string
	// files are what is attached to what a user says.
	files []attached
	// calls are those that an assistant asked for.
	calls []called
	// callID is the call that a message of role tool is the result of.
	callID string
}

// called is a call of a tool, as the caller was told it.
type called struct{ id, name, args string }

// The roles of messages. A developer is who was system before.
const (
	roleSystem    = "system"
	roleDeveloper = "developer"
	roleUser      = "user"
	roleAssistant = "assistant"
	roleTool      = "tool"
)

// content is a text, or parts.
type content struct {
	text  string
	files []attached
	// failure says what is wrong with a part.
	failure *nestor.Error
}

// part is a part of a content. Chat completions and responses name them differently.
type part struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Refusal string `json:"refusal"`
	filePart
}

func (c *content) UnmarshalJSON(raw []byte) error {
	*c = content{}
	switch raw = bytes.TrimSpace(raw); {
	case bytes.Equal(raw, []byte("null")):
		return nil
	case len(raw) > 0 && raw[0] == '"':
		return json.Unmarshal(raw, &c.text)
	}
	var parts []part
	if err := json.Unmarshal(raw, &parts); err != nil {
		return fmt.Errorf("content is a text or a list of parts: %w", err)
	}
	var texts []string
	for _, p := range parts {
		switch p.Type {
		case "text", "input_text", "output_text":
			texts = append(texts, p.Text)
		case "refusal":
			texts = append(texts, p.Refusal)
		default:
			f, err := p.attachment()
			if err != nil {
				c.failure = err
				return nil
			}
			c.files = append(c.files, *f)
		}
	}
	c.text = strings.Join(texts, "\n\n")
	return nil
}

// said is what a content says. Param is where it stands.
func (c *content) said(param string) (string, []attached, error) {
	if c.failure != nil {
		return "", nil, unsupported(param, "%s", c.failure.Message)
	}
	return c.text, c.files, nil
}

// plain is the text of a content that can have nothing else.
func (c *content) plain(param string) (string, error) {
	text, files, err := c.said(param)
	if err == nil && len(files) > 0 {
		err = unsupported(param, "only what a user says can have images and files")
	}
	return text, err
}

// conversation is what a request says.
type conversation struct {
	// system is what system and developer messages say.
	system string
	// before is what was said, without those.
	before []message
	// results are those of calls, which come last, or before what is said.
	results []message
	// said is what the user says now, and files are what is attached to it. There is
	// neither if results are all there is.
	said  string
	files []attached
}

// arrange tells what is said now from what was said before.
func arrange(all []message, param string) (c conversation, err error) {
	var system []string
	for _, m := range all {
		if m.role == roleSystem || m.role == roleDeveloper {
			system = append(system, m.text)
			continue
		}
		c.before = append(c.before, m)
	}
	c.system = strings.Join(system, "\n\n")
	cut := func(role string) (last []message) {
		n := len(c.before)
		for n > 0 && c.before[n-1].role == role {
			n--
		}
		c.before, last = c.before[:n:n], c.before[n:]
		return last
	}
	var said []string
	for _, m := range cut(roleUser) {
		said = append(said, m.text)
		c.files = append(c.files, m.files...)
	}
	c.said = strings.TrimSpace(strings.Join(said, "\n\n"))
	if c.results = cut(roleTool); len(c.results) == 0 && !c.speaks() {
		return c, nestor.Errorf(nestor.CodeInvalid, "the last message is one of the user that says something, or the result of a tool").With("field", param)
	}
	return c, nil
}

// all is what was said with this request.
func (c *conversation) all() []message {
	all := c.history()
	if c.speaks() {
		all = append(all, message{role: roleUser, text: c.said, files: c.files})
	}
	return all
}

// speaks reports whether the user says something.
func (c *conversation) speaks() bool { return c.said != "" || len(c.files) > 0 }

// history is what was said before what the user says now.
func (c *conversation) history() []message {
	return append(c.before[:len(c.before):len(c.before)], c.results...)
}
