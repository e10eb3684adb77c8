package analyst

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/domain/priority/tasks"
)

// names are what tasks are called in a conversation with a model: T1, T2 and so on, the open
// ones first. They follow from the documents alone, so that all prompts about the same tasks use
// the same. What is stored has the ids: [names.idsIn] and [names.handlesIn] translate.
type names struct {
	ids     []string
	handles map[string]string
	texts   map[string]string // by id
	byText  map[string]string // ids by text, "" for a text that several tasks have
	// own are words of the person that look like handles, and so are none in texts.
	own map[string]bool
}

func newNames(k *tasks.List, own ...string) *names {
	n := &names{handles: map[string]string{}, texts: map[string]string{}, byText: map[string]string{}, own: map[string]bool{}}
	for _, done := range []bool{false, true} {
		for _, t := range k.All {
			if t.Done == done {
				n.ids = append(n.ids, t.ID)
				n.handles[t.ID], n.texts[t.ID] = "T"+strconv.Itoa(len(n.ids)), t.Text
				if _, twice := n.byText[t.Text]; twice {
					n.byText[t.Text] = ""
				} else {
					n.byText[t.Text] = t.ID
				}
				own = append(own, t.Text, t.DocumentTitle)
			}
		}
	}
	for _, text := range own {
		for _, word := range handle.FindAllString(text, -1) {
			n.own[word] = true
		}
	}
	return n
}

var (
	// handle is one as it stands in a text.
	handle = regexp.MustCompile(`\bT[1-9]\d{0,5}\b`)
	// slip is a handle as a model may write it: "t3", "[T3]", "Task 3", "T3: Design the shop".
	slip = regexp.MustCompile(`^[\[("#]*(?:[Tt]ask\s*)?[Tt]?0*([1-9]\d{0,5})[\])"]*(?:\s*[:|–-].*)?$`)
	// word is what may be an id.
	word = regexp.MustCompile(`[\pL\pN_-]+`)
)

// id is that of the task that a model names, or what it said if that names none.
func (n *names) id(said string) string {
	if n.handles[said] != "" {
		return said
	}
	if m := slip.FindStringSubmatch(strings.TrimSpace(said)); m != nil {
		if at, _ := strconv.Atoi(m[1]); at <= len(n.ids) {
			return n.ids[at-1]
		}
	}
	return cmp.Or(n.byText[strings.TrimSpace(said)], said)
}

// handlesIn has the handles of tasks in place of their ids.
func (n *names) handlesIn(text string) string {
	return word.ReplaceAllStringFunc(text, func(w string) string {
		if h := n.handles[w]; h != "" {
			return h
		}
		return w
	})
}

// spoken is a text for people: tasks are called by what they are.
func (n *names) spoken(text string) string {
	quote := func(id string) string { return "“" + excerpt(n.texts[id], 60) + "”" }
	text = handle.ReplaceAllStringFunc(text, func(h string) string {
		if at, _ := strconv.Atoi(h[1:]); at <= len(n.ids) && !n.own[h] {
			return quote(n.ids[at-1])
		}
		return h
	})
	return word.ReplaceAllStringFunc(text, func(w string) string {
		if n.handles[w] != "" {
			return quote(w)
		}
		return w
	})
}

// The fields of inputs that name tasks, and those whose text people read.
var (
	idFields     = []string{"task_id", "task_ids", "ordered_task_ids", "source_task_id", "target_task_id", "first", "then"}
	spokenFields = []string{"synthesis_summary", "reasoning"}
)

// idsIn is an input of a tool as it is stored: with ids, and dependencies as plans have them.
func (n *names) idsIn(input json.RawMessage) json.RawMessage {
	return rewritten(input, func(field string, v any) any {
		switch v := v.(type) {
		case string:
			switch {
			case slices.Contains(idFields, field):
				return n.id(v)
			case slices.Contains(spokenFields, field):
				return n.spoken(v)
			}
		case json.Number:
			if id := n.id(v.String()); slices.Contains(idFields, field) && id != v.String() {
				return id
			}
		case map[string]any:
			if field == "confidence_scores" {
				return renamed(v, n.id)
			}
			if first, then := v["first"], v["then"]; first != nil && then != nil && v["source_task_id"] == nil {
				delete(v, "first")
				delete(v, "then")
				v["source_task_id"], v["target_task_id"] = then, first
				if v["relationship_type"] == nil {
					v["relationship_type"] = string(record.Prerequisite)
				}
			}
		}
		return v
	})
}

// inputOf is a stored input as the model wrote it.
func (n *names) inputOf(input json.RawMessage) string {
	return n.handlesIn(string(rewritten(input, func(field string, v any) any {
		m, _ := v.(map[string]any)
		if source, target := m["source_task_id"], m["target_task_id"]; source != nil && target != nil {
			m["first"], m["then"] = target, source
			delete(m, "source_task_id")
			delete(m, "target_task_id")
			delete(m, "relationship_type")
		}
		return v
	})))
}

func renamed(m map[string]any, to func(string) string) map[string]any {
	out := map[string]any{}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if _, twice := out[to(k)]; !twice {
			out[to(k)] = m[k]
		}
	}
	return out
}

// rewritten is JSON in which fn has replaced each value, from the inside. It is called with the name of
// the field that the value, or the list that it is in, stands in.
func rewritten(text json.RawMessage, fn func(field string, v any) any) json.RawMessage {
	v, ok := decoded(string(text))
	if !ok {
		return text
	}
	var walk func(field string, v any) any
	walk = func(field string, v any) any {
		switch v := v.(type) {
		case []any:
			for i := range v {
				v[i] = walk(field, v[i])
			}
		case map[string]any:
			for k, x := range v {
				v[k] = walk(k, x)
			}
		}
		return fn(field, v)
	}
	return encode(walk("", v))
}

// meaning says in words which of two tasks comes first.
func meaning(source, target string, is record.RelationshipType) string {
	if is.Orders() {
		return fmt.Sprintf("%s must come before %s", target, source)
	}
	return fmt.Sprintf("%s and %s belong together, in any order", source, target)
}
