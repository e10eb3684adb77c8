package llm

import (
	"iter"

	"github.com/nestorhq/nestor"
)

// Reply is one complete answer of a model.
type Reply struct {
	// Message is what the model said, ready to be the next turn of the
	// conversation.
	Message Message
	Usage   Usage
	Reason  Reason
	// Detail says why a reply was refused, in the provider's words.
	Detail string
	// Model is the model that answered if that was a fallback, else empty.
	Model string
}

// Collect runs a model call to its end. On an error the reply holds what came
// until then. It takes time and memory in proportion to the reply.
func Collect(events iter.Seq2[Event, error]) (Reply, error) {
	c := collector{reply: Reply{Message: Message{Role: RoleAssistant}}}
	for ev, err := range events {
		if err != nil {
			c.close()
			return c.reply, err
		}
		c.add(ev)
	}
	c.close()
	if c.reply.Reason == "" {
		return c.reply, nestor.Errorf(nestor.CodeUnavailable, "the reply broke off before it was complete")
	}
	return c.reply, nil
}

// collector joins the pieces of a reply. The text that is being said grows in a
// buffer, and becomes a part when it ends.
type collector struct {
	reply Reply
	open  Part // Text, Reasoning or nil
	text  []byte
}

func (c *collector) add(ev Event) {
	switch ev := ev.(type) {
	case Text:
		if _, ok := c.open.(Text); !ok {
			c.close()
			c.open = Text{}
		}
		c.text = append(c.text, ev.Text...)
	case Reasoning:
		// A signature closes a block, and a redacted block is one by itself.
		if _, ok := c.open.(Reasoning); !ok || ev.Redacted != "" {
			c.close()
		}
		c.open = Reasoning{Signature: ev.Signature, Redacted: ev.Redacted}
		c.text = append(c.text, ev.Text...)
		if ev.Signature != "" || ev.Redacted != "" {
			c.close()
		}
	case ToolCall:
		c.close()
		c.reply.Message.Parts = append(c.reply.Message.Parts, ev)
	case Usage:
		c.reply.Usage = ev
	case Finish:
		c.reply.Reason, c.reply.Detail, c.reply.Model = ev.Reason, ev.Detail, ev.Model
	}
}

// close ends the part that is being said.
func (c *collector) close() {
	switch part := c.open.(type) {
	case Text:
		part.Text = string(c.text)
		c.reply.Message.Parts = append(c.reply.Message.Parts, part)
	case Reasoning:
		part.Text = string(c.text)
		c.reply.Message.Parts = append(c.reply.Message.Parts, part)
	}
	c.open, c.text = nil, c.text[:0]
}
