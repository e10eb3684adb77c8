package openai

import "unicode/utf8"

// numbers are the sequence numbers of a response's events. A text takes one for each of
// its characters, and a piece of it has that of its last one. So the events have the same
// numbers however a text was cut into pieces, live or when it is told again, and a
// client that comes back in the middle of a text gets the rest of it.
//
//	0  response.created      1  response.in_progress
//	n  output_item.added   n+1  content_part.added   n+1+c  output_text.delta, up to the character c
//	   then output_text.done, content_part.done, output_item.done, and the next item
type numbers struct {
	// last is the last one that was given.
	last int
	// after is the number up to which the client has the events, -1 for none.
	after int
}

// take gives the next number, and reports whether the client lacks the event.
func (n *numbers) take() (int, bool) {
	n.last++
	return n.last, n.last > n.after
}

// takeText gives the number of a piece, and returns what the client lacks of it.
func (n *numbers) takeText(piece string) (int, string) {
	begin := n.last
	n.last += utf8.RuneCountInString(piece)
	if has := n.after - begin; has > 0 {
		if n.last <= n.after {
			return n.last, ""
		}
		piece = string([]rune(piece)[has:])
	}
	return n.last, piece
}

// event sends an event with the next number, unless the client has it.
func (t *told) event(name string, fields map[string]any) error {
	if t.out == nil {
		return nil
	}
	number, lacks := t.numbers.take()
	if !lacks {
		return nil
	}
	return t.number(name, number, fields)
}

func (t *told) number(name string, number int, fields map[string]any) error {
	fields["type"], fields["sequence_number"] = name, number
	return send(t.out, name, fields)
}

// begins tells that there is a response.
func (t *told) begins() error {
	t.numbers.last = -1
	if err := t.event("response.created", map[string]any{"response": t.response}); err != nil {
		return err
	}
	return t.event("response.in_progress", map[string]any{"response": t.response})
}

// ends tells how the response ended. A client that has later numbers gets that, too: it
// has them of a text that became shorter.
func (t *told) ends() error {
	if t.numbers.after > t.numbers.last+1 {
		t.numbers.after = t.numbers.last
	}
	return t.event(t.response.last(), map[string]any{"response": t.response})
}

// index is where the item that is told stands among the others.
func (t *told) index() int { return len(t.response.Output) }

func (t *told) began(s *said) error {
	if err := t.event("response.output_item.added", map[string]any{"output_index": t.index(), "item": t.item(s, "in_progress", "")}); err != nil {
		return err
	}
	return t.event("response.content_part.added", map[string]any{
		"output_index": t.index(), "item_id": "msg_" + s.path.ID(), "content_index": 0, "part": output(""),
	})
}

func (t *told) more(s *said, piece string) error {
	if t.out == nil {
		return nil
	}
	number, lacks := t.numbers.takeText(piece)
	if lacks == "" {
		return nil
	}
	return t.number("response.output_text.delta", number, map[string]any{
		"output_index": t.index(), "item_id": "msg_" + s.path.ID(), "content_index": 0, "delta": lacks, "logprobs": []string{},
	})
}

// ended tells the whole text, which counts if the pieces were others.
func (t *told) ended(s *said) error {
	t.numbers.last += max(0, utf8.RuneCountInString(s.draft)-utf8.RuneCountInString(s.told))
	item := t.item(s, "completed", s.draft)
	at := func(more map[string]any) map[string]any {
		more["output_index"], more["item_id"], more["content_index"] = t.index(), item.ID, 0
		return more
	}
	for _, e := range []struct {
		name   string
		fields map[string]any
	}{
		{"response.output_text.done", at(map[string]any{"text": s.draft, "logprobs": []string{}})},
		{"response.content_part.done", at(map[string]any{"part": output(s.draft)})},
		{"response.output_item.done", map[string]any{"output_index": t.index(), "item": item}},
	} {
		if err := t.event(e.name, e.fields); err != nil {
			return err
		}
	}
	t.response.Output = append(t.response.Output, item)
	return nil
}

// calls tells the calls that wait for the caller.
func (t *told) calls(a *answer) error {
	for _, c := range callsOf(t.chat, a.pending) {
		empty := ""
		item := outputItem{ID: "fc_" + c.id[len(callPrefix):], Type: "function_call", Status: "in_progress", CallID: c.id, Name: c.name, Arguments: &empty}
		if err := t.event("response.output_item.added", map[string]any{"output_index": t.index(), "item": item}); err != nil {
			return err
		}
		at := func(more map[string]any) map[string]any {
			more["output_index"], more["item_id"] = t.index(), item.ID
			return more
		}
		if err := t.event("response.function_call_arguments.delta", at(map[string]any{"delta": c.args})); err != nil {
			return err
		}
		if err := t.event("response.function_call_arguments.done", at(map[string]any{"arguments": c.args, "name": c.name})); err != nil {
			return err
		}
		item.Status, item.Arguments = "completed", &c.args
		if err := t.event("response.output_item.done", map[string]any{"output_index": t.index(), "item": item}); err != nil {
			return err
		}
		t.response.Output = append(t.response.Output, item)
	}
	return nil
}
