package plan

import (
	"cmp"
	"encoding/json"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/lenient"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
)

// Proposal is what a model says the plan should be.
type Proposal struct {
	OrderedTaskIDs   []string
	ExecutionWaves   [][]string // the tasks of each
	Dependencies     []record.TaskDependency
	ConfidenceScores map[string]float64
	SynthesisSummary string
	// Unreadable are the parts, in words, of which something is not of the form that was
	// asked for. That is left out.
	Unreadable []string
}

// Read reads the proposal that a model wrote as a JSON object. A part of the wrong form
// is left out; the rest counts. Numbers of waves, durations and methods of detection are
// not read, since they are computed.
func Read(text json.RawMessage) (Proposal, error) {
	var said struct {
		OrderedTaskIDs lenient.List[string] `json:"ordered_task_ids"`
		ExecutionWaves lenient.List[struct {
			TaskIDs lenient.List[string] `json:"task_ids"`
		}] `json:"execution_waves"`
		Dependencies lenient.List[struct {
			SourceTaskID     string                         `json:"source_task_id"`
			TargetTaskID     string                         `json:"target_task_id"`
			RelationshipType record.RelationshipType        `json:"relationship_type"`
			Confidence       *lenient.Value[lenient.Number] `json:"confidence"`
		}] `json:"dependencies"`
		ConfidenceScores lenient.Value[map[string]lenient.Value[lenient.Number]] `json:"confidence_scores"`
		SynthesisSummary lenient.Value[string]                                   `json:"synthesis_summary"`
	}
	if err := json.Unmarshal(text, &said); err != nil {
		return Proposal{}, nestor.Errorf(nestor.CodeInvalid, "the plan is no JSON object")
	}
	p := Proposal{
		OrderedTaskIDs: said.OrderedTaskIDs.Items, ConfidenceScores: map[string]float64{}, SynthesisSummary: said.SynthesisSummary.Of,
	}
	p.unreadable("its order", said.OrderedTaskIDs.Wrong > 0)
	waves := said.ExecutionWaves.Wrong
	for _, w := range said.ExecutionWaves.Items {
		p.ExecutionWaves = append(p.ExecutionWaves, w.TaskIDs.Items)
		waves += w.TaskIDs.Wrong
	}
	p.unreadable("its waves", waves > 0)
	p.unreadable("its relations", said.Dependencies.Wrong > 0)
	unsure := false
	for _, d := range said.Dependencies.Items {
		confidence := notScored
		switch {
		case d.Confidence == nil:
		case d.Confidence.Wrong:
			unsure = true
		default:
			confidence = float64(d.Confidence.Of)
		}
		p.Dependencies = append(p.Dependencies, record.TaskDependency{
			SourceTaskID: d.SourceTaskID, TargetTaskID: d.TargetTaskID,
			RelationshipType: cmp.Or(d.RelationshipType, record.Prerequisite), Confidence: confidence,
		})
	}
	p.unreadable("how sure it is of relations", unsure)
	scores := said.ConfidenceScores.Wrong
	for id, score := range said.ConfidenceScores.Of {
		if scores = scores || score.Wrong; !score.Wrong {
			p.ConfidenceScores[id] = float64(score.Of)
		}
	}
	p.unreadable("how sure it is of tasks", scores)
	p.unreadable("its reasons", said.SynthesisSummary.Wrong)
	return p, nil
}

func (p *Proposal) unreadable(part string, is bool) {
	if is {
		p.Unreadable = append(p.Unreadable, part)
	}
}
