package analyst

import (
	"context"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/domain/priority/tasks"
	"github.com/nestorhq/nestor/internal/store"
)

type graphInput struct {
	TaskID  string   `json:"task_id"`
	TaskIDs []string `json:"task_ids"`
	Type    string   `json:"type"`
}

type graphOutput struct {
	Relationships  []shownRelationship `json:"relationships"`
	Statistics     graphStatistics     `json:"statistics"`
	UnknownTaskIDs []string            `json:"unknown_task_ids"`
}

type shownRelationship struct {
	SourceTaskID string                  `json:"source_task_id"`
	TargetTaskID string                  `json:"target_task_id"`
	Type         record.RelationshipType `json:"relationship_type"`
	// Meaning says in words which of the two comes first.
	Meaning    string        `json:"meaning"`
	Confidence float64       `json:"confidence"`
	Origin     record.Origin `json:"origin"`
	Reasoning  string        `json:"reasoning,omitempty"`
}

type graphStatistics struct {
	Total             int                             `json:"total"`
	Shown             int                             `json:"shown"`
	ByType            map[record.RelationshipType]int `json:"by_type"`
	ByOrigin          map[record.Origin]int           `json:"by_origin"`
	AverageConfidence float64                         `json:"average_confidence"`
	// WithoutPrerequisite are the tasks asked about that depend on nothing.
	WithoutPrerequisite int `json:"without_prerequisite"`
}

// shownRelationships is how many a call shows. All are counted.
const shownRelationships = 500

func (a *Analyst) graph(ctx context.Context, u *use, in graphInput) (any, error) {
	ids := in.TaskIDs
	if in.TaskID != "" {
		ids = append([]string{in.TaskID}, ids...)
	}
	if len(ids) == 0 {
		return nil, nestor.Errorf(nestor.CodeInvalid, "give task_id or task_ids")
	}
	var out graphOutput
	return &out, a.store.View(ctx, func(r store.Reader) error {
		out = graphOutput{
			Relationships: []shownRelationship{},
			Statistics:    graphStatistics{ByType: map[record.RelationshipType]int{}, ByOrigin: map[record.Origin]int{}},
		}
		k, err := tasks.Read(r, u.userID)
		if err != nil {
			return err
		}
		var known []string
		if known, out.UnknownTaskIDs = k.Sort(ids); len(known) == 0 {
			return nestor.Errorf(nestor.CodeNotFound, "none of these tasks exists: %s", excerpt(joined(ids), 500))
		}
		all, err := k.Relationships(r, u.userID)
		if err != nil {
			return err
		}
		sum, waiting := 0.0, map[string]bool{}
		for _, rel := range all {
			asked := slices.Contains(known, rel.SourceTaskID)
			if asked && rel.Type.Orders() {
				waiting[rel.SourceTaskID] = true
			}
			if !asked && !slices.Contains(known, rel.TargetTaskID) || in.Type != "" && in.Type != "all" && in.Type != string(rel.Type) {
				continue
			}
			s := &out.Statistics
			s.Total++
			s.ByType[rel.Type]++
			s.ByOrigin[rel.Origin]++
			sum += rel.Confidence
			if s.Shown < shownRelationships {
				s.Shown++
				out.Relationships = append(out.Relationships, shownRelationship{
					rel.SourceTaskID, rel.TargetTaskID, rel.Type, meaning(rel.SourceTaskID, rel.TargetTaskID, rel.Type), rel.Confidence, rel.Origin, rel.Reasoning,
				})
			}
		}
		if n := out.Statistics.Total; n > 0 {
			out.Statistics.AverageConfidence = rounded(sum / float64(n))
		}
		out.Statistics.WithoutPrerequisite = len(known) - len(waiting)
		return nil
	})
}

func joined(ids []string) string { return strings.Join(ids, ", ") }
