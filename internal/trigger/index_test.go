package trigger_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/nestorhq/nestor"
)

// truth is CEL's three-valued logic.
type truth int

const (
	no truth = iota
	yes
	failed
)

func truthOf(b bool) truth {
	if b {
		return yes
	}
	return no
}

// formula is a condition and, written independently, what it means.
type formula struct {
	text          string
	before, state bool // what it refers to
	eval          func(m moment) truth
}

// moment is what a formula is evaluated on; before is nil for a create.
type moment struct {
	id, event    string
	body, before map[string]any
}

func TestPlanningAgreesWithEvaluatingEveryTrigger(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		formulas := map[string]formula{}
		var triggers []nestor.Trigger
		for i := range rapid.IntRange(1, 12).Draw(t, "triggers") {
			f := drawFormula(t, 3)
			tr := nestor.Trigger{
				ID: fmt.Sprintf("t%d", i), Action: "POST /webhook/x", Condition: f.text,
				Collection: rapid.SampledFrom([]nestor.Glob{"notes", "*", "**", "notes/*/parts", "notes/n1/parts", "notes/**"}).Draw(t, "collection"),
				Events: rapid.SliceOfNDistinct(rapid.SampledFrom([]nestor.ChangeType{nestor.Create, nestor.Update, nestor.Delete}),
					1, 3, rapid.ID).Draw(t, "events"),
			}
			formulas[tr.ID] = f
			triggers = append(triggers, tr)
		}
		set := newSet(t, triggers...)
		for range 8 {
			path := rapid.SampledFrom([]nestor.Path{"notes/n1", "notes/n2", "notes/n1/parts/n2", "other/n1"}).Draw(t, "path")
			kind := rapid.IntRange(0, 2).Draw(t, "kind")
			before, after := drawBody(t), drawBody(t)
			e := event(path, map[bool]string{true: encode(before)}[kind > 0], map[bool]string{true: encode(after)}[kind < 2])

			want := []string{}
			for _, tr := range triggers {
				if !tr.Collection.Match(path.Collection()) || !slices.Contains(tr.Events, e.Type) {
					continue
				}
				m := moment{id: path.ID(), event: string(e.Type), body: after}
				if kind > 0 {
					m.before = before
				}
				if kind == 2 {
					m.body = before
				}
				f := formulas[tr.ID]
				fires := f.eval(m) == yes
				if kind == 1 && f.state && !f.before {
					m.body = before
					fires = fires && f.eval(m) != yes
				}
				if fires {
					want = append(want, tr.ID)
				}
			}
			if got := fired(set.Plan(e)); !reflect.DeepEqual(got, want) {
				t.Fatalf("on %s of %s from %s to %s\ngot  %v\nwant %v\ntriggers %+v", e.Type, path, encode(before), encode(after), got, want, triggers)
			}
			explained := []string{}
			for _, v := range set.Explain(e) {
				if v.Fires {
					explained = append(explained, v.Trigger)
				}
			}
			if !reflect.DeepEqual(explained, want) {
				t.Fatalf("explained %v, want %v", explained, want)
			}
		}
	})
}

func drawFormula(t *rapid.T, depth int) formula {
	if depth > 0 {
		switch rapid.IntRange(0, 4).Draw(t, "operator") {
		case 0, 1:
			a, b := drawFormula(t, depth-1), drawFormula(t, depth-1)
			return join(a, b, "&&", func(a, b truth) truth {
				switch {
				case a == no || b == no:
					return no
				case a == yes && b == yes:
					return yes
				}
				return failed
			})
		case 2:
			a, b := drawFormula(t, depth-1), drawFormula(t, depth-1)
			return join(a, b, "||", func(a, b truth) truth {
				switch {
				case a == yes || b == yes:
					return yes
				case a == no && b == no:
					return no
				}
				return failed
			})
		case 3:
			a := drawFormula(t, depth-1)
			return formula{"!(" + a.text + ")", a.before, a.state, func(m moment) truth {
				return map[truth]truth{no: yes, yes: no, failed: failed}[a.eval(m)]
			}}
		}
	}
	return drawComparison(t)
}

func join(a, b formula, operator string, eval func(a, b truth) truth) formula {
	return formula{
		"(" + a.text + " " + operator + " " + b.text + ")", a.before || b.before, a.state || b.state,
		func(m moment) truth { return eval(a.eval(m), b.eval(m)) },
	}
}

func drawComparison(t *rapid.T) formula {
	name := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "field")
	values := rapid.SliceOfN(rapid.SampledFrom([]string{"x", "y", "z"}), 1, 3).Draw(t, "values")
	field := rapid.SampledFrom([]string{"event.document.", "event.document.data."}).Draw(t, "form") + name
	quoted := "'" + values[0] + "'"
	among := func(body map[string]any, values ...string) truth {
		if body == nil {
			return failed
		}
		v, ok := body[name]
		if !ok {
			return failed
		}
		s, ok := v.(string)
		return truthOf(ok && slices.Contains(values, s))
	}
	switch rapid.IntRange(0, 7).Draw(t, "comparison") {
	case 0:
		return formula{field + " == " + quoted, false, true, func(m moment) truth { return among(m.body, values[0]) }}
	case 1:
		return formula{quoted + " == " + field, false, true, func(m moment) truth { return among(m.body, values[0]) }}
	case 2:
		return formula{field + " in ['" + strings.Join(values, "', '") + "']", false, true, func(m moment) truth { return among(m.body, values...) }}
	case 3:
		return formula{field + " != " + quoted, false, true, func(m moment) truth {
			return map[truth]truth{no: yes, yes: no, failed: failed}[among(m.body, values[0])]
		}}
	case 4:
		return formula{"has(" + field + ")", false, true, func(m moment) truth {
			_, ok := m.body[name]
			return truthOf(ok)
		}}
	case 5:
		return formula{"event.before." + name + " == " + quoted, true, false, func(m moment) truth { return among(m.before, values[0]) }}
	case 6:
		return formula{"event.document.id == 'n1'", false, false, func(m moment) truth { return truthOf(m.id == "n1") }}
	default:
		return formula{"event.type == 'update'", false, false, func(m moment) truth { return truthOf(m.event == "update") }}
	}
}

func drawBody(t *rapid.T) map[string]any {
	return rapid.MapOfN(
		rapid.SampledFrom([]string{"a", "b", "c"}),
		rapid.SampledFrom([]any{"x", "y", "z", 1, nil}), 0, 3).Draw(t, "body")
}

func encode(body map[string]any) string {
	b, _ := json.Marshal(body)
	return string(b)
}

func TestManyFieldsAreLookedUpByTheDocument(t *testing.T) {
	var triggers []nestor.Trigger
	for i := range 50 {
		triggers = append(triggers, nestor.Trigger{
			ID: fmt.Sprintf("t%d", i), Collection: "notes", Action: "POST /webhook/x",
			Condition: fmt.Sprintf("event.document.f%d == 'x'", i),
		})
	}
	triggers = append(triggers,
		nestor.Trigger{ID: "id", Collection: "notes", Action: "POST /webhook/x", Condition: "event.document.id == 'n1'"},
		nestor.Trigger{ID: "path", Collection: "notes", Action: "POST /webhook/x", Condition: "event.document.path == 'notes/n1'"},
	)
	set := newSet(t, triggers...)
	got := fired(set.Plan(event("notes/n1", "", `{"f7":"x","f3":"x","f4":"y","f5":1,"id":"no"}`)))
	if want := []string{"t3", "t7", "id", "path"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
