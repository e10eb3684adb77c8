package plan_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/plan"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
)

func TestEditsChangeThePlan(t *testing.T) {
	// c depends on b, which depends on a; d and e are free.
	chain := []record.TaskDependency{on("b", "a", 0.9), on("c", "b", 0.8)}
	all := tasks("abcde", 2, 2, 2, 2, 2)
	for _, c := range []struct {
		name    string
		circle  bool // a depends on c, too
		limits  plan.Limits
		edits   []plan.Edit
		want    string
		done    []string
		notices []string // of the last edit
	}{
		{name: "nothing", edits: []plan.Edit{{}}, want: "a d e|b|c"},
		{name: "move to a later wave", edits: []plan.Edit{{Pin: map[string]int{"d": 2}}}, want: "a e|d b|c"},
		{name: "move and what depends follows", edits: []plan.Edit{{Pin: map[string]int{"b": 3}}}, want: "a d e|b|c", notices: []string{
			`This pinned task stands earlier, because there is no work for the waves between: “Do b” (pinned to wave 3, stands in wave 2).`,
		}},
		{name: "a new wave", edits: []plan.Edit{{Pin: map[string]int{"d": 4}}}, want: "a e|b|c|d"},
		{name: "too early for its dependencies", edits: []plan.Edit{{Pin: map[string]int{"c": 1}}}, want: "a d e|b|c", notices: []string{
			`This pinned task stands later, because of what it waits for or because the day is full: “Do c” (pinned to wave 1, stands in wave 3).`,
		}},
		{name: "pinned and let go", edits: []plan.Edit{{Pin: map[string]int{"d": 3}}, {Unpin: []string{"d"}}}, want: "a e d|b|c"},
		{name: "pinned once more", edits: []plan.Edit{{Pin: map[string]int{"d": 3}}, {Pin: map[string]int{"d": 2}}}, want: "a e|b d|c"},
		{name: "done", edits: []plan.Edit{{Done: []string{"a"}}}, want: "d e b|c", done: []string{"a"}},
		{name: "done twice", edits: []plan.Edit{{Done: []string{"a"}}, {Done: []string{"a"}}}, want: "d e b|c", done: []string{"a"}},
		{name: "done out of turn", edits: []plan.Edit{{Done: []string{"b"}}}, want: "a d e c", done: []string{"b"}},
		{name: "all done", edits: []plan.Edit{{Done: []string{"e", "a", "b", "c", "d"}}}, want: "", done: []string{"e", "a", "b", "c", "d"}},
		{name: "done and undone", edits: []plan.Edit{{Done: []string{"a", "d"}}, {Undo: []string{"d", "a"}}}, want: "a d e|b|c"},
		{name: "a pin outlives being done", edits: []plan.Edit{{Pin: map[string]int{"d": 2}}, {Done: []string{"d"}}, {Undo: []string{"d"}}}, want: "a e|d b|c"},
		{name: "order in a wave", edits: []plan.Edit{{Order: []string{"e", "d", "a"}}}, want: "e d a|b|c"},
		{name: "order cannot beat dependencies", edits: []plan.Edit{{Order: []string{"c", "b", "a"}}}, want: "d e a|b|c"},
		{name: "order outlives other edits", limits: plan.Limits{LowEnergy: true}, edits: []plan.Edit{{Order: []string{"e", "a"}}, {Done: []string{"c"}}}, want: "e d a|b", done: []string{"c"}},
		{name: "move to a place in a wave", edits: []plan.Edit{{Pin: map[string]int{"d": 2}, Order: []string{"b", "d"}}}, want: "a e|b d|c"},
		{
			name: "pinned tasks have room before others", limits: plan.Limits{DailyCapacityHours: 4},
			edits: []plan.Edit{{Pin: map[string]int{"e": 1}}}, want: "a e|d b|c",
		},
		{
			name: "no room for all that are pinned", limits: plan.Limits{DailyCapacityHours: 4},
			edits: []plan.Edit{{Pin: map[string]int{"d": 1, "e": 1, "a": 1}}}, want: "a d|b e|c",
			notices: []string{`This pinned task stands later, because of what it waits for or because the day is full: “Do e” (pinned to wave 1, stands in wave 2).`},
		},
		{
			name: "one that came early makes no other come early", limits: plan.Limits{DailyCapacityHours: 2},
			edits: []plan.Edit{{Done: []string{"e"}}, {Pin: map[string]int{"a": 5, "d": 5}}}, want: "a|b|c|d", done: []string{"e"},
			notices: []string{`These pinned tasks stand earlier, because there is no work for the waves between: “Do a” (pinned to wave 5, stands in wave 1), “Do d” (pinned to wave 5, stands in wave 4).`},
		},
		{name: "a circle stays open", circle: true, edits: []plan.Edit{{Pin: map[string]int{"d": 2}}}, want: "a e|d b|c"},
		{name: "a dependency counts again when its circle is gone", circle: true, edits: []plan.Edit{{Done: []string{"b"}}}, want: "d e c|a", done: []string{"b"}},
		{
			name: "and is left out when it is back", circle: true, edits: []plan.Edit{{Done: []string{"b"}}, {Undo: []string{"b"}}}, want: "d e a|b|c",
			notices: []string{`Tasks waited for each other in a circle; the least sure was left out: “Do c” must come before “Do a” (10% sure).`},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			dependencies := chain
			if c.circle {
				dependencies = append(dependencies[:2:2], on("a", "c", 0.1))
			}
			p, _, err := plan.Verify(good("abcde", dependencies...), all, nil, c.limits)
			var notices []string
			for _, e := range c.edits {
				if err == nil {
					p, notices, err = plan.Apply(p, e, all, c.limits)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			if shape(p) != c.want || !reflect.DeepEqual(p.Done, c.done) || !reflect.DeepEqual(notices, c.notices) {
				t.Errorf("%s, done %q, notices %q", shape(p), p.Done, notices)
			}
			checkPlan(t, p, all, c.limits)
		})
	}
}

func TestAnEditThatCannotBeIsRefusedWithAllReasons(t *testing.T) {
	all := tasks("abc")
	p, _, err := plan.Verify(good("abc"), all, nil, plan.Limits{})
	if err == nil {
		p, _, err = plan.Apply(p, plan.Edit{Done: []string{"c"}}, all, plan.Limits{})
	}
	if err != nil {
		t.Fatal(err)
	}
	before := *p
	_, _, err = plan.Apply(p, plan.Edit{
		Pin: map[string]int{"x": 1, "a": 0, "b": 3, "c": 1}, Unpin: []string{"y"}, Done: []string{"z", "a"}, Undo: []string{"a", "v"}, Order: []string{"a", "w", "a"},
	}, all, plan.Limits{})
	var refused *nestor.Error
	if !errors.As(err, &refused) || refused.Code != nestor.CodeInvalid {
		t.Fatalf("%v", err)
	}
	want := []string{
		`pin names "x", which is not in the plan`, `unpin names "y", which is not in the plan`, `done names "z", which is not in the plan`,
		`undo names "v", which is not in the plan`, `order names "w", which is not in the plan`, `order names "a" twice`,
		`pin puts "a" in wave 0; waves are 1 to 2`, `pin puts "b" in wave 3; waves are 1 to 2`,
		`"c" is done, so it stands in no wave`, `"a" is to be done and not to be`,
	}
	if !reflect.DeepEqual(refused.Details["reasons"], want) {
		t.Errorf("%q", refused.Details["reasons"])
	}
	if _, _, err := plan.Apply(p, plan.Edit{Pin: map[string]int{"a": 1}, Unpin: []string{"a"}}, all, plan.Limits{}); !errors.Is(err, nestor.ErrInvalid) {
		t.Errorf("pin and unpin: %v", err)
	}
	if !reflect.DeepEqual(*p, before) {
		t.Error("the plan was changed")
	}
}

func TestRecomputeTakesTasksOutThatAreGone(t *testing.T) {
	all := tasks("abc")
	p, _, err := plan.Verify(good("abc", on("b", "a", 1), on("c", "b", 1)), all, nil, plan.Limits{})
	if err == nil {
		p, _, err = plan.Apply(p, plan.Edit{Pin: map[string]int{"b": 2}}, all, plan.Limits{})
	}
	if err != nil {
		t.Fatal(err)
	}
	got, notices, err := plan.Recompute(p, tasks("ca"), plan.Limits{})
	if err != nil || shape(got) != "a c" || len(got.Dependencies)+len(got.Pinned) > 0 || strings.Join(notices, "") != `A task that is no longer in your documents left the plan.` {
		t.Errorf("%+v %q %v", got, notices, err)
	}
	if _, _, err := plan.Recompute(p, tasks("x"), plan.Limits{}); !errors.Is(err, nestor.ErrInvalid) {
		t.Errorf("without any of its tasks: %v", err)
	}
}
