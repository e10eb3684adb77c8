package record

// PrioritizedTaskPlan is the order of tasks.
type PrioritizedTaskPlan struct {
	OrderedTaskIDs []string         `json:"ordered_task_ids"`
	ExecutionWaves []ExecutionWave  `json:"execution_waves"`
	Dependencies   []TaskDependency `json:"dependencies"`
	// ConfidenceScores has exactly the ordered ids.
	ConfidenceScores map[string]float64 `json:"confidence_scores"`
	SynthesisSummary string             `json:"synthesis_summary"`
	// Pinned holds tasks where a person put them, by the number of their wave.
	Pinned map[string]int `json:"pinned,omitempty"`
	// Done are the tasks that need no work any more. They stand in no wave.
	Done []string `json:"done,omitempty"`
	// PutLast are tasks that the model forgot. They stand behind all others until a person
	// pins them, but not behind those that wait for them.
	PutLast []string `json:"put_last,omitempty"`
	// BrokenCycles are the dependencies that were left out so that there is an order.
	BrokenCycles []TaskDependency `json:"broken_cycles,omitempty"`
}

// ExecutionWave is tasks that depend only on earlier waves.
type ExecutionWave struct {
	WaveNumber             int      `json:"wave_number"`
	TaskIDs                []string `json:"task_ids"`
	ParallelExecution      bool     `json:"parallel_execution"`
	EstimatedDurationHours *float64 `json:"estimated_duration_hours"`
}

// TaskDependency says that Source depends on Target, which comes first.
type TaskDependency struct {
	SourceTaskID     string           `json:"source_task_id"`
	TargetTaskID     string           `json:"target_task_id"`
	RelationshipType RelationshipType `json:"relationship_type"`
	Confidence       float64          `json:"confidence"`
	DetectionMethod  DetectionMethod  `json:"detection_method"`
}
