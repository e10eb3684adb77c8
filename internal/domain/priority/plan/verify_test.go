package plan_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/plan"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
)

// on says that source depends on target, as a model does.
func on(source, target string, confidence float64) record.TaskDependency {
	return record.TaskDependency{
		SourceTaskID: source, TargetTaskID: target, RelationshipType: record.Prerequisite,
		Confidence: confidence, DetectionMethod: record.AIInference,
	}
}

func stored(d record.TaskDependency) record.TaskDependency {
	d.DetectionMethod = record.StoredRelationship
	return d
}

func typed(kind record.RelationshipType, d record.TaskDependency) record.TaskDependency {
	d.RelationshipType = kind
	return d
}

// tasks makes a task of each letter.
func tasks(letters string, hours ...float64) (list []plan.Task) {
	for i, id := range strings.Split(letters, "") {
		t := plan.Task{ID: id, Text: "Do " + id}
		if i < len(hours) {
			t.EffortHours = hours[i]
		}
		list = append(list, t)
	}
	return list
}

// shape is the waves of a plan: "a b|c".
func shape(p *record.PrioritizedTaskPlan) string {
	var waves []string
	for _, w := range p.ExecutionWaves {
		waves = append(waves, strings.Join(w.TaskIDs, " "))
	}
	return strings.Join(waves, "|")
}

// good is a proposal with nothing wrong.
func good(order string, dependencies ...record.TaskDependency) plan.Proposal {
	p := plan.Proposal{
		OrderedTaskIDs: strings.Split(order, ""), Dependencies: dependencies,
		ConfidenceScores: map[string]float64{}, SynthesisSummary: "First things first.",
	}
	for _, id := range p.OrderedTaskIDs {
		p.ConfidenceScores[id] = 0.9
	}
	return p
}

// Every way in which a proposal can be wrong is repaired and told.
func TestVerifyRepairsWhatAModelGetsWrong(t *testing.T) {
	abc := tasks("abc")
	for _, c := range []struct {
		name   string
		change func(*plan.Proposal)
		stored []record.TaskDependency
		want   string // the waves
		notice []string
	}{
		{name: "nothing is wrong", want: "a b c"},
		{
			name: "an id of no task in the order", want: "a b c",
			change: func(p *plan.Proposal) { p.OrderedTaskIDs = []string{"x", "a", "y", "b", "c"} },
			notice: []string{`The model named tasks that do not exist, which were left out: "x", "y".`},
		},
		{
			name: "an id of no task in a wave", want: "a b c",
			change: func(p *plan.Proposal) { p.ExecutionWaves = [][]string{{"a", "x"}} },
			notice: []string{`The model named a task that does not exist, which was left out: "x".`},
		},
		{
			name: "an id of no task in a dependency", want: "a b c",
			change: func(p *plan.Proposal) {
				p.Dependencies = []record.TaskDependency{on("a", "x", 1), on("y", "b", 1), on("z", "z", 1)}
			},
			notice: []string{`The model named tasks that do not exist, which were left out: "x", "y", "z".`},
		},
		{
			name: "an id of no task in the scores", want: "a b c",
			change: func(p *plan.Proposal) { p.ConfidenceScores["x"] = 1 },
			notice: []string{`The model named a task that does not exist, which was left out: "x".`},
		},
		{
			name: "an id that is almost one", want: "b c|a",
			change: func(p *plan.Proposal) { p.OrderedTaskIDs[0] = " A" },
			notice: []string{
				`The model named a task that does not exist, which was left out: " A".`,
				`The model forgot this task; it was put last: “Do a”.`,
			},
		},
		{
			name: "an id twice", want: "b a c",
			change: func(p *plan.Proposal) { p.OrderedTaskIDs = []string{"b", "a", "b", "c"} },
			notice: []string{`The model named this task more than once; it counts once: “Do b”.`},
		},
		{
			name: "a task in two waves", want: "a b c",
			change: func(p *plan.Proposal) {
				p.ExecutionWaves = [][]string{{"a"}, {"b", "a"}}
			},
			notice: []string{`The model named this task more than once; it counts once: “Do a”.`},
		},
		{
			name: "forgotten tasks", want: "c|a b",
			change: func(p *plan.Proposal) { p.OrderedTaskIDs = []string{"c"} },
			notice: []string{`The model forgot these tasks; they were put last: “Do a”, “Do b”.`},
		},
		{
			name: "no order, but waves", want: "c b a",
			change: func(p *plan.Proposal) {
				p.OrderedTaskIDs = nil
				p.ExecutionWaves = [][]string{{"c"}, {"b", "a"}}
			},
		},
		{
			name: "waves against the dependencies", want: "a|b|c",
			change: func(p *plan.Proposal) {
				p.Dependencies = []record.TaskDependency{on("c", "b", 1), on("b", "a", 1)}
				p.ExecutionWaves = [][]string{{"c", "b", "a"}}
			},
		},
		{
			name: "an order against the dependencies", want: "c|a|b",
			change: func(p *plan.Proposal) {
				p.Dependencies = []record.TaskDependency{on("a", "c", 1), on("b", "a", 1)}
			},
		},
		{
			name: "a task that depends on itself", want: "a b c",
			change: func(p *plan.Proposal) { p.Dependencies = []record.TaskDependency{on("a", "a", 1)} },
			notice: []string{`The model let this task wait for itself, which was left out: “Do a”.`},
		},
		{
			name: "a type of dependency that there is not", want: "a b c",
			change: func(p *plan.Proposal) { p.Dependencies = []record.TaskDependency{typed("needs", on("a", "b", 1))} },
			notice: []string{`The model related tasks in a way that does not exist, which was left out: “Do a” and “Do b” ("needs").`},
		},
		{
			name: "a dependency twice", want: "a c|b",
			change: func(p *plan.Proposal) { p.Dependencies = []record.TaskDependency{on("b", "a", 1), on("b", "a", 0.5)} },
			notice: []string{`The model said more than once: “Do a” must come before “Do b”.`},
		},
		{
			name: "a dependency that is not stored as it says", want: "a c|b",
			change: func(p *plan.Proposal) { p.Dependencies = []record.TaskDependency{stored(on("b", "a", 1))} },
		},
		{
			name: "confidences that cannot be", want: "a c|b",
			change: func(p *plan.Proposal) {
				p.ConfidenceScores = map[string]float64{"a": 7, "b": math.NaN(), "c": -0.1}
				p.Dependencies = []record.TaskDependency{on("b", "a", math.Inf(1))}
			},
			notice: []string{`How sure the model is was not between 0 and 1, and was put right: “Do a”, “Do b”, “Do c”, “Do a” must come before “Do b”.`},
		},
		{
			name: "a score that is missing", want: "a b c",
			change: func(p *plan.Proposal) { delete(p.ConfidenceScores, "b") },
			notice: []string{`The model did not say how sure it is about this task; 50% is assumed: “Do b”.`},
		},
		{
			name: "no scores and no summary", want: "a b c",
			change: func(p *plan.Proposal) { p.ConfidenceScores, p.SynthesisSummary = nil, " \n" },
			notice: []string{`The model did not say how sure it is about these tasks; 50% is assumed: “Do a”, “Do b”, “Do c”.`, `The model gave no reasons for this order.`},
		},
		{
			name: "a circle", want: "b|c|a",
			change: func(p *plan.Proposal) {
				p.Dependencies = []record.TaskDependency{on("a", "c", 0.9), on("c", "b", 0.8), on("b", "a", 0.3)}
			},
			notice: []string{`Tasks waited for each other in a circle; the least sure was left out: “Do a” must come before “Do b” (30% sure).`},
		},
		{
			name: "a circle with what a person said", want: "a c|b",
			change: func(p *plan.Proposal) { p.Dependencies = []record.TaskDependency{on("a", "b", 1)} },
			stored: []record.TaskDependency{on("b", "a", 1)},
			notice: []string{`Tasks waited for each other in a circle; the least sure was left out: “Do b” must come before “Do a” (100% sure).`},
		},
		{
			name: "related tasks in a circle have no order", want: "a b c",
			change: func(p *plan.Proposal) {
				p.Dependencies = []record.TaskDependency{typed(record.Related, on("a", "b", 1)), typed(record.Related, on("b", "a", 1))}
			},
		},
		{
			name: "stored dependencies that the model left out", want: "b c|a",
			stored: []record.TaskDependency{on("a", "b", 1), on("a", "gone", 1), on("c", "c", 1)},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := good("abc")
			if c.change != nil {
				c.change(&p)
			}
			got, notices, err := plan.Verify(p, abc, c.stored, plan.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if shape(got) != c.want {
				t.Errorf("the waves are %s, not %s", shape(got), c.want)
			}
			if !reflect.DeepEqual(notices, c.notice) {
				t.Errorf("the notices are\n%s\nnot\n%s", strings.Join(notices, "\n"), strings.Join(c.notice, "\n"))
			}
			checkPlan(t, got, abc, plan.Limits{})
		})
	}
}

// What a model detected before is stored, and still is an inference.
func TestStoredDependenciesTakeThePlaceOfTheModels(t *testing.T) {
	p := good("abc", on("b", "a", 0.2), typed(record.Blocks, on("b", "a", 0.4)), stored(on("c", "a", 0.1)))
	got, notices, err := plan.Verify(p, tasks("abc"), []record.TaskDependency{on("b", "a", 0.7), stored(on("c", "a", 1.5))}, plan.Limits{})
	want := []record.TaskDependency{on("b", "a", 0.7), stored(on("c", "a", 1)), typed(record.Blocks, on("b", "a", 0.4))}
	if err != nil || len(notices) > 0 || !reflect.DeepEqual(got.Dependencies, want) {
		t.Errorf("%v %q %+v", err, notices, got.Dependencies)
	}
}

func TestVerifyKeepsScoresWithinBounds(t *testing.T) {
	p := good("abc")
	p.ConfidenceScores = map[string]float64{"a": 7, "b": math.NaN(), "x": 1}
	got, _, err := plan.Verify(p, tasks("abcd"), nil, plan.Limits{})
	if want := map[string]float64{"a": 1, "b": 0, "c": 0.5, "d": 0}; err != nil || !reflect.DeepEqual(got.ConfidenceScores, want) {
		t.Errorf("%v %v", got, err)
	}
}

func TestAProposalOfNoUseIsRefusedWithAllReasons(t *testing.T) {
	for _, c := range []struct {
		name     string
		proposal plan.Proposal
		reasons  []string
	}{
		{"empty", plan.Proposal{}, []string{"There is nothing in: ordered_task_ids.", "Name each task as it is named in the list of tasks."}},
		{
			"no id is known",
			plan.Proposal{OrderedTaskIDs: []string{"x"}, ExecutionWaves: [][]string{{"y"}}},
			[]string{
				`The model named tasks that do not exist, which were left out: "x", "y".`,
				"Name each task as it is named in the list of tasks.",
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, err := plan.Verify(c.proposal, tasks("abc"), nil, plan.Limits{})
			var refused *nestor.Error
			if !errors.As(err, &refused) || refused.Code != nestor.CodeInvalid {
				t.Fatalf("%v", err)
			}
			if !reflect.DeepEqual(refused.Details["reasons"], c.reasons) {
				t.Errorf("%q", refused.Details["reasons"])
			}
			for _, r := range c.reasons {
				if !strings.Contains(err.Error(), r) {
					t.Errorf("%q lacks %q", err, r)
				}
			}
		})
	}
	if _, _, err := plan.Verify(good("a"), nil, nil, plan.Limits{}); !errors.Is(err, nestor.ErrInvalid) {
		t.Errorf("without tasks: %v", err)
	}
}

func TestANoticeStaysShortWhateverTheModelSays(t *testing.T) {
	p := good("a")
	for i := range 1000 {
		p.OrderedTaskIDs = append(p.OrderedTaskIDs, fmt.Sprint(i, strings.Repeat("é", 1000)))
	}
	_, notices, err := plan.Verify(p, tasks("a"), nil, plan.Limits{})
	if err != nil || len(notices) != 1 || len(notices[0]) > 2000 || !strings.HasSuffix(notices[0], " and 990 more.") {
		t.Errorf("%v %q", err, notices)
	}
}

func TestLimitsShapeTheWaves(t *testing.T) {
	chain := []record.TaskDependency{on("d", "a", 1)}
	for _, c := range []struct {
		name   string
		hours  []float64
		limits plan.Limits
		want   string
		notice string
	}{
		{"no limits", []float64{3, 1, 2, 1}, plan.Limits{}, "a b c|d", ""},
		{"small tasks first when energy is low", []float64{3, 1, 2, 1}, plan.Limits{LowEnergy: true}, "b c a|d", ""},
		{"unknown efforts last when energy is low", []float64{3, 0, 2, 1}, plan.Limits{LowEnergy: true}, "c a b|d", ""},
		{"a wave is a day's work", []float64{3, 1, 2, 1}, plan.Limits{DailyCapacityHours: 4}, "a b|c d", ""},
		{"the next that does not fit opens a wave", []float64{3, 2, 1, 1}, plan.Limits{DailyCapacityHours: 4}, "a|b c d", ""},
		{
			"a task larger than a day stands alone",
			[]float64{1, 9, 1, 0},
			plan.Limits{DailyCapacityHours: 4},
			"a|b|c d", `This task is more than a day's work, so it has a wave of its own: “Do b”.`,
		},
		{"tenths add up", []float64{0.1, 0.2, 0.3, 0}, plan.Limits{DailyCapacityHours: 0.6}, "a b c|d", ""},
		{"what is no effort counts as none", []float64{math.NaN(), -5, math.Inf(1), 4}, plan.Limits{DailyCapacityHours: 1}, "a b c|d", `This task is more than a day's work, so it has a wave of its own: “Do d”.`},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := tasks("abcd", c.hours...)
			got, notices, err := plan.Verify(good("abcd", chain...), list, nil, c.limits)
			if err != nil {
				t.Fatal(err)
			}
			if shape(got) != c.want || strings.Join(notices, " ") != c.notice {
				t.Errorf("%s %q", shape(got), notices)
			}
		})
	}
}

func TestAWaveSaysHowLongItTakes(t *testing.T) {
	got, _, err := plan.Verify(good("abcd", on("c", "a", 1), on("d", "c", 1)), tasks("abcd", 3, 4, 2), nil, plan.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	four, two := 4.0, 2.0
	want := []record.ExecutionWave{
		{WaveNumber: 1, TaskIDs: []string{"a", "b"}, ParallelExecution: true, EstimatedDurationHours: &four},
		{WaveNumber: 2, TaskIDs: []string{"c"}, EstimatedDurationHours: &two},
		{WaveNumber: 3, TaskIDs: []string{"d"}},
	}
	if !reflect.DeepEqual(got.ExecutionWaves, want) {
		t.Errorf("%+v", got.ExecutionWaves)
	}
}
