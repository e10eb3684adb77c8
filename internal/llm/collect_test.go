package llm

import (
	"errors"
	"reflect"
	"testing"

	"github.com/nestorhq/nestor"
)

func TestCollect(t *testing.T) {
	m := &fake{turns: [][]any{{
		Reasoning{Text: "Let "},
		Reasoning{Text: "me."},
		Reasoning{Signature: "s1"},
		Reasoning{Text: "More.", Signature: "s2"},
		Reasoning{Redacted: "r1"},
		Reasoning{Redacted: "r2"},
		Text{"Hel"},
		Text{"lo"},
		Reasoning{Signature: "s3"},
		Text{"!"},
		ToolCall{ID: "a", Name: "one", Arguments: "{}"},
		ToolCall{ID: "b", Name: "one", Arguments: "{}"},
		Usage{Input: 3, Output: 4},
		Finish{Reason: ReasonToolCalls, Model: "other"},
	}}}
	got, err := Collect(m.Generate(t.Context(), nil))
	if err != nil {
		t.Fatal(err)
	}
	want := Reply{
		Message: Message{Role: RoleAssistant, Parts: []Part{
			Reasoning{Text: "Let me.", Signature: "s1"},
			Reasoning{Text: "More.", Signature: "s2"},
			Reasoning{Redacted: "r1"},
			Reasoning{Redacted: "r2"},
			Text{"Hello"},
			Reasoning{Signature: "s3"},
			Text{"!"},
			ToolCall{ID: "a", Name: "one", Arguments: "{}"},
			ToolCall{ID: "b", Name: "one", Arguments: "{}"},
		}},
		Usage:  Usage{Input: 3, Output: 4},
		Reason: ReasonToolCalls,
		Model:  "other",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("\n got %+v\nwant %+v", got, want)
	}
}

func TestCollectKeepsWhatCameBeforeAnError(t *testing.T) {
	m := &fake{turns: [][]any{{Text{"Hel"}, Text{"lo"}, errBusy}}}
	got, err := Collect(m.Generate(t.Context(), nil))
	if !errors.Is(err, errBusy) {
		t.Errorf("error %v, want %v", err, errBusy)
	}
	if want := []Part{Text{"Hello"}}; !reflect.DeepEqual(got.Message.Parts, want) {
		t.Errorf("parts %v, want %v", got.Message.Parts, want)
	}
}

func TestCollectRejectsAReplyWithoutAnEnd(t *testing.T) {
	m := &fake{turns: [][]any{{Text{"Hello"}}}}
	if _, err := Collect(m.Generate(t.Context(), nil)); nestor.CodeOf(err) != nestor.CodeUnavailable {
		t.Errorf("error %v, want code %q", err, nestor.CodeUnavailable)
	}
}
