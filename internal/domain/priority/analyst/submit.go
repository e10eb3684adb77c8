package analyst

import (
	"encoding/json"

	"github.com/nestorhq/nestor/internal/domain/priority/plan"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
)

// planKey is the field by which a plan is known in a text.
const planKey = "ordered_task_ids"

const submitDescription = "Gives the plan and ends the analysis."

// submitParameters ask for less than a plan has. What must come before what is asked in words that
// cannot be read backwards; [names.idsIn] makes the fields of a plan of them.
var submitParameters = json.RawMessage(`{"type":"object","required":["ordered_task_ids","confidence_scores","synthesis_summary"],"properties":{
	"ordered_task_ids":{"type":"array","items":{"type":"string"},"description":"all tasks, in order"},
	"dependencies":{"type":"array","description":"what is not stored yet: the task in first must be done before the one in then can begin","items":{"type":"object","required":["first","then","confidence"],"properties":{
		"first":{"type":"string"},"then":{"type":"string"},"confidence":{"type":"number"}}}},
	"confidence_scores":{"type":"object","additionalProperties":{"type":"number"},"description":"by task, 0 to 1: how sure you are that it matters there"},
	"synthesis_summary":{"type":"string","description":"why this order, in a few sentences to the person"}}}`)

// verify makes a plan of what the model submitted. An error of code invalid tells the
// model everything that is wrong. Parts that are not readable are left out, since the
// rest is of use without them.
func (s *situation) verify(submitted json.RawMessage) (*record.PrioritizedTaskPlan, []string, error) {
	p, err := plan.Read(submitted)
	if err != nil {
		return nil, nil, err
	}
	return s.plan(p)
}

// withoutModel makes a plan from the stored dependencies alone.
func (s *situation) withoutModel() (*record.PrioritizedTaskPlan, []string, error) {
	p := plan.Proposal{
		ConfidenceScores: map[string]float64{},
		SynthesisSummary: "The model gave no plan that could be used, so this one was made without it: from the dependencies that are stored, and otherwise in the order of your documents.",
	}
	for _, t := range s.tasks.Open() {
		p.OrderedTaskIDs = append(p.OrderedTaskIDs, t.ID)
		p.ConfidenceScores[t.ID] = withoutModelConfidence
	}
	return s.plan(p)
}

// withoutModelConfidence is the confidence in an order that nobody thought about.
const withoutModelConfidence = 0.3

func (s *situation) plan(p plan.Proposal) (*record.PrioritizedTaskPlan, []string, error) {
	var tasks []plan.Task
	for _, t := range s.tasks.Open() {
		tasks = append(tasks, plan.TaskOf(&t.ExtractedTask))
	}
	made, notices, err := plan.Verify(p, tasks, storedDependencies(s.relationships), plan.LimitsOf(s.outcome, s.began()))
	if err != nil {
		return nil, nil, err
	}
	made.SynthesisSummary = storable(made.SynthesisSummary)
	return made, notices, nil
}

// storedDependencies are the relationships as a plan takes them: those of people
// first, and sure.
func storedDependencies(all []record.TaskRelationship) (deps []record.TaskDependency) {
	for _, manual := range []bool{true, false} {
		for _, r := range all {
			if (r.Origin == record.OriginManual) == manual {
				deps = append(deps, r.Dependency())
			}
		}
	}
	return deps
}
