package plan_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/domain/priority/plan"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
)

// dated gives tasks their days, such as "a<2026-11-20 b>2027-01-20" for due and not before.
func dated(list []plan.Task, days string) []plan.Task {
	for _, said := range strings.Fields(days) {
		for i := range list {
			if list[i].ID != said[:1] {
				continue
			}
			if said[1] == '<' {
				list[i].DueDate = said[2:]
			} else {
				list[i].NotBefore = said[2:]
			}
		}
	}
	return list
}

func TestDaysShapeThePlan(t *testing.T) {
	for _, c := range []struct {
		name, days   string
		dependencies []record.TaskDependency
		limits       plan.Limits
		hours        []float64
		want         string
		notices      []string
	}{
		{
			name: "what is not possible yet stands after what is", days: "a>2027-01-20 b>2026-12-01 d>2026-11-18", want: "c d|b|a",
			notices: []string{"These tasks are not possible yet, so they stand after those that are: “Do a” (not before 20 January 2027), “Do b” (not before 1 December 2026)."},
		},
		{
			name: "and also after what waits for others", days: "a>2027-01-20", dependencies: []record.TaskDependency{on("c", "b", 1), on("d", "c", 1)}, want: "b|c|d|a",
			notices: []string{"This task is not possible yet, so it stands after those that are: “Do a” (not before 20 January 2027)."},
		},
		{
			name: "what waits for it stands behind it", days: "a>2027-01-20", dependencies: []record.TaskDependency{on("b", "a", 1)}, want: "c d|a|b",
			notices: []string{"This task is not possible yet, so it stands after those that are: “Do a” (not before 20 January 2027)."},
		},
		{name: "if nothing is possible yet, the day alone counts", days: "a>2027-01-20 b>2027-01-20 c>2027-01-20 d>2027-01-20", want: "a b c d"},
		{name: "what is due soon comes first", days: "d<2026-11-20 c<2026-11-26 b<2027-11-20", want: "d c a b"},
		{name: "what is due later keeps the place, in the order of the days", days: "b<2027-03-03 d<2027-02-02", want: "a d c b"},
		{
			name: "a task is due when what waits for it is", days: "d<2026-11-20", dependencies: []record.TaskDependency{on("d", "c", 1)}, want: "c a b|d",
		},
		{
			name: "a day's work is filled with what is due", days: "d<2026-11-20", limits: plan.Limits{DailyCapacityHours: 2}, hours: []float64{1, 1, 1, 1}, want: "d a|b c",
		},
		{
			name: "a task that is due before one that it waits for", days: "a<2027-01-05 b<2027-01-09", dependencies: []record.TaskDependency{on("a", "b", 1)}, want: "b c d|a",
			notices: []string{"“Do a” is due on 5 January 2027, but waits for “Do b”, which is due on 9 January 2027."},
		},
		{
			name: "a task that is due before it is possible", days: "a<2027-01-05 a>2027-01-20 b<2027-01-06", dependencies: []record.TaskDependency{on("b", "a", 1)}, want: "c d|a|b",
			notices: []string{
				"This task is not possible yet, so it stands after those that are: “Do a” (not before 20 January 2027).",
				"“Do a” is due on 5 January 2027, but not possible before 20 January 2027.",
				"“Do b” is due on 6 January 2027, but waits for something that is not possible before 20 January 2027.",
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := dated(tasks("abcd", c.hours...), c.days)
			c.limits.Today = "2026-11-19"
			got, notices, err := plan.Verify(good("abcd", c.dependencies...), list, nil, c.limits)
			if err != nil || shape(got) != c.want || strings.Join(notices, "\n") != strings.Join(c.notices, "\n") {
				t.Errorf("%s, %v\n%s", shape(got), err, strings.Join(notices, "\n"))
			}
			checkPlan(t, got, list, c.limits)
		})
	}
}

// The day comes, or the person decides.
func TestATaskComesForwardWhenItIsPossible(t *testing.T) {
	list, today := dated(tasks("abc"), "a>2027-01-20"), plan.Limits{Today: "2026-11-19"}
	p, _, err := plan.Verify(good("abc"), list, nil, today)
	if err != nil || shape(p) != "b c|a" {
		t.Fatalf("%v %v", p, err)
	}
	if later, _, err := plan.Recompute(p, list, plan.Limits{Today: "2027-01-20"}); err != nil || shape(later) != "b c a" {
		t.Errorf("on the day: %v %v", later, err)
	}
	if moved, notices, err := plan.Apply(p, plan.Edit{Pin: map[string]int{"a": 1}}, list, today); err != nil || shape(moved) != "b c a" || notices != nil {
		t.Errorf("moved: %v %q %v", moved, notices, err)
	}
}

func TestWhatTheModelForgotStandsLast(t *testing.T) {
	known := []record.TaskDependency{on("b", "a", 1), on("e", "d", 1)}
	p := good("bc")
	p.Dependencies = []record.TaskDependency{on("c", "b", 1)}
	list := dated(tasks("abcdef"), "c>2027-01-20")
	got, notices, err := plan.Verify(p, list, known, plan.Limits{Today: "2026-11-19"})
	want := []string{
		"The model forgot this task; it stands before what waits for it: “Do a”.",
		"The model forgot these tasks; they were put last: “Do d”, “Do e”, “Do f”.",
		"This task is not possible yet, so it stands after those that are: “Do c” (not before 20 January 2027).",
	}
	if err != nil || shape(got) != "a|b|c|d f|e" || !reflect.DeepEqual(notices, want) || !reflect.DeepEqual(got.PutLast, []string{"a", "d", "f", "e"}) {
		t.Fatalf("%s %q %v\n%s", shape(got), got.PutLast, err, strings.Join(notices, "\n"))
	}
	again, _, err := plan.Recompute(got, list, plan.Limits{Today: "2026-11-19"})
	if err != nil || !reflect.DeepEqual(again, got) {
		t.Errorf("computed again it is %+v, %v", again, err)
	}
	moved, _, err := plan.Apply(got, plan.Edit{Pin: map[string]int{"f": 1}}, list, plan.Limits{})
	if err != nil || shape(moved) != "a f|b|c|d|e" || !reflect.DeepEqual(moved.PutLast, []string{"a", "d", "e"}) {
		t.Errorf("moved it is %s %q, %v", shape(moved), moved.PutLast, err)
	}
}

func TestLowEnergyOrdersWhatMattersAlike(t *testing.T) {
	low := plan.Limits{LowEnergy: true, Today: "2026-11-19"}
	for _, c := range []struct {
		name, days string
		hours      []float64
		scores     string // of a to d, in tenths
		capacity   float64
		want       string
	}{
		{"easier ones first", "", []float64{3, 1, 2, 4}, "9999", 0, "b c a d"},
		{"of unknown effort last", "", []float64{3, 0, 2, 4}, "9999", 0, "c a d b"},
		{"a trifle is not before what the model is surer of", "", []float64{8, 1, 2, 0.5}, "9559", 0, "d a b c"},
		{"nor before what is due soon", "a<2026-11-21 c<2026-11-20", []float64{8, 1, 9, 0.5}, "5999", 0, "c a d b"},
		{"what is due some day is as all others", "a<2027-11-21", []float64{8, 1, 2, 0.5}, "9999", 0, "d b c a"},
		{"no task changes its wave", "", []float64{3, 2, 2, 0.5}, "9999", 4, "a|b c|d"},
		{"but its place there", "", []float64{4, 3, 0.5, 0.25}, "9999", 4, "a|b d c"},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, p := dated(tasks("abcd", c.hours...), c.days), good("abcd")
			for i, id := range p.OrderedTaskIDs {
				p.ConfidenceScores[id] = float64(c.scores[i]-'0') / 10
			}
			limits := low
			limits.DailyCapacityHours = c.capacity
			got, _, err := plan.Verify(p, list, nil, limits)
			if err != nil || shape(got) != c.want {
				t.Errorf("%s %v", shape(got), err)
			}
			if again, _, err := plan.Recompute(got, list, limits); err != nil || !reflect.DeepEqual(again, got) {
				t.Errorf("computed again it is %s %v", shape(again), err)
			}
		})
	}
}
