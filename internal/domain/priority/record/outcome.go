package record

import (
	"strings"
	"time"

	"github.com/nestorhq/nestor"
)

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
	LowEnergy StatePreference = "Low energy" // easier tasks come first where they matter alike
)

// Reflection is what a person noted. The older it is, the less it counts.
type Reflection struct {
	nestor.Meta
	UserID string `json:"userId"`
	Text   string `json:"text"`
}

// Weight is how much the reflection counts at a time: all of it for a week, half of
// it for another, then a quarter.
func (r *Reflection) Weight(now time.Time) float64 {
	const week = 7 * 24 * time.Hour
	switch age := now.Sub(time.UnixMilli(r.CreatedAt)); {
	case age <= week:
		return 1
	case age <= 2*week:
		return 0.5
	}
	return 0.25
}

// Sentence is the outcome as one sentence: "Increase weekly signups, measured by new
// accounts: 20% more by June."
func (o *Outcome) Sentence() string {
	verb := string(o.Direction)
	text := strings.ToUpper(verb[:1]) + verb[1:] + " " + o.Object + ", measured by " + o.Metric + ": " + o.Clarifier
	if strings.ContainsAny(text[len(text)-1:], ".!?") {
		return text
	}
	return text + "."
}
