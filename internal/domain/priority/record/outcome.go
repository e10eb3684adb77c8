package record

import "github.com/nestorhq/nestor"

// Outcome is what a person wants to reach. Plans are made for the active one.
type Outcome struct {
	nestor.Meta
	UserID    string    `json:"userId"`
	Direction Direction `json:"direction"`
	Object    string    `json:"object"`
	Metric    string    `json:"metric"`
	Clarifier string    `json:"clarifier"`
	// StatePreference and DailyCapacityHours say how much the person takes on.
	StatePreference    StatePreference `json:"state_preference,omitempty"`
	DailyCapacityHours *float64        `json:"daily_capacity_hours,omitempty"`
	// AssembledText is the outcome as one sentence.
	AssembledText string `json:"assembled_text"`
	// Slot is [SlotActive] in at most one outcome of a user.
	Slot Slot `json:"slot,omitempty"`
}

// Slot is a place that one document of a user can have at a time. The database
// keeps it so.
type Slot string

const (
	SlotActive  Slot = "active"  // the outcome that plans are made for
	SlotRunning Slot = "running" // the session that is queued or running
	SlotCurrent Slot = "current" // the session whose plan is the latest good one
)

// Direction is what an outcome does to its object.
type Direction string

// Directions are all there are.
var Directions = []Direction{"increase", "decrease", "maintain", "launch", "ship"}

// StatePreference is how a person feels about work.
type StatePreference string

const (
	Energized StatePreference = "Energized"
	LowEnergy StatePreference = "Low energy" // small tasks come first
)

// Reflection is what a person noted. The older it is, the less it counts.
type Reflection struct {
	nestor.Meta
	UserID string `json:"userId"`
	Text   string `json:"text"`
}
