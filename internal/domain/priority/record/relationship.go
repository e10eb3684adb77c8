package record

import "github.com/nestorhq/nestor"

// TaskRelationship says that Source depends on Target: Target comes first. Related
// tasks have no order.
type TaskRelationship struct {
	nestor.Meta
	UserID          string           `json:"userId"`
	SourceTaskID    string           `json:"source_task_id"`
	TargetTaskID    string           `json:"target_task_id"`
	Type            RelationshipType `json:"type"`
	Confidence      float64          `json:"confidence"`
	DetectionMethod DetectionMethod  `json:"detection_method"`
	Origin          Origin           `json:"origin"`
	Reasoning       string           `json:"reasoning,omitempty"`
}

// RelationshipAt is where a relationship of a user lies. Its id is made of what it says, so
// whoever says it again changes nothing.
func RelationshipAt(userID, source, target string, t RelationshipType) nestor.Path {
	return Of(userID).Child("task-relationships", nestor.DeriveID("relationship", source, target, string(t)))
}

// Dependency is the relationship as plans have it. What a person said is sure.
func (r *TaskRelationship) Dependency() TaskDependency {
	d := TaskDependency{
		SourceTaskID: r.SourceTaskID, TargetTaskID: r.TargetTaskID, RelationshipType: r.Type,
		Confidence: r.Confidence, DetectionMethod: AIInference,
	}
	if r.Origin == OriginManual {
		d.Confidence, d.DetectionMethod = 1, StoredRelationship
	}
	return d
}

// RelationshipType is what one task is to another.
type RelationshipType string

const (
	Prerequisite RelationshipType = "prerequisite" // the target must be done before the source
	Blocks       RelationshipType = "blocks"       // the target blocks the source
	Related      RelationshipType = "related"      // no order
)

// Orders reports whether the target has to come before the source.
func (t RelationshipType) Orders() bool { return t == Prerequisite || t == Blocks }

// DetectionMethod is how a dependency became known.
type DetectionMethod string

const (
	AIInference        DetectionMethod = "ai_inference"        // a model found it
	StoredRelationship DetectionMethod = "stored_relationship" // a person said it
)

// Origin is who made a relationship. What a person made nothing else changes.
type Origin string

const (
	OriginManual   Origin = "manual"
	OriginDetected Origin = "detected"
)
