package priority

import (
	"errors"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// UserOutcome is an outcome as the API shows it.
type UserOutcome struct {
	ID                 string                  `json:"id"`
	UserID             string                  `json:"user_id"`
	Direction          record.Direction        `json:"direction"`
	Object             string                  `json:"object"`
	Metric             string                  `json:"metric"`
	Clarifier          string                  `json:"clarifier"`
	StatePreference    *record.StatePreference `json:"state_preference"`
	DailyCapacityHours *float64                `json:"daily_capacity_hours"`
	AssembledText      string                  `json:"assembled_text"`
	IsActive           bool                    `json:"is_active"`
	CreatedAt          string                  `json:"created_at"`
	UpdatedAt          string                  `json:"updated_at"`
}

func showOutcome(o *record.Outcome) UserOutcome {
	shown := UserOutcome{
		ID: o.ID, UserID: o.UserID, Direction: o.Direction, Object: o.Object, Metric: o.Metric, Clarifier: o.Clarifier,
		DailyCapacityHours: o.DailyCapacityHours, AssembledText: o.AssembledText, IsActive: o.Slot == record.SlotActive,
		CreatedAt: iso(o.CreatedAt), UpdatedAt: iso(o.UpdatedAt),
	}
	if o.StatePreference != "" {
		shown.StatePreference = &o.StatePreference
	}
	return shown
}

// outcomeFields are what a person says of a new outcome.
type outcomeFields struct {
	Direction          record.Direction       `json:"direction"`
	Object             string                 `json:"object"`
	Metric             string                 `json:"metric"`
	Clarifier          string                 `json:"clarifier"`
	StatePreference    record.StatePreference `json:"state_preference,omitempty"`
	DailyCapacityHours *float64               `json:"daily_capacity_hours,omitempty"`
}

// outcomeChange is what a person changes of one. What is absent stays; an empty
// state preference and a capacity of 0 are taken away.
type outcomeChange struct {
	Direction          *record.Direction       `json:"direction,omitempty"`
	Object             *string                 `json:"object,omitempty"`
	Metric             *string                 `json:"metric,omitempty"`
	Clarifier          *string                 `json:"clarifier,omitempty"`
	StatePreference    *record.StatePreference `json:"state_preference,omitempty"`
	DailyCapacityHours *float64                `json:"daily_capacity_hours,omitempty"`
	IsActive           *bool                   `json:"is_active,omitempty"`
}

// apply puts the change into an outcome.
func (c *outcomeChange) apply(o *record.Outcome) error {
	set(&o.Direction, c.Direction)
	set(&o.Object, c.Object)
	set(&o.Metric, c.Metric)
	set(&o.Clarifier, c.Clarifier)
	set(&o.StatePreference, c.StatePreference)
	if h := c.DailyCapacityHours; h != nil {
		o.DailyCapacityHours = h
		if *h == 0 {
			o.DailyCapacityHours = nil
		}
	}
	if c.IsActive != nil {
		o.Slot = ""
		if *c.IsActive {
			o.Slot = record.SlotActive
		}
	}
	return complete(o)
}

func set[T any](field, to *T) {
	if to != nil {
		*field = *to
	}
}

// complete checks what a person said and adds the sentence.
func complete(o *record.Outcome) error {
	if !slices.Contains(record.Directions, o.Direction) {
		return refuse("direction", "is increase, decrease, maintain, launch or ship, not %q", o.Direction)
	}
	if o.StatePreference != "" && o.StatePreference != record.Energized && o.StatePreference != record.LowEnergy {
		return refuse("state_preference", "is %q or %q, not %q", record.Energized, record.LowEnergy, o.StatePreference)
	}
	if h := o.DailyCapacityHours; h != nil && (*h < 0.25 || *h > 24) {
		return refuse("daily_capacity_hours", "is %v; 0.25 to 24 are allowed", *h)
	}
	if err := errors.Join(
		checkText("object", &o.Object, 3, 100), checkText("metric", &o.Metric, 3, 100), checkText("clarifier", &o.Clarifier, 3, 150),
	); err != nil {
		return err
	}
	o.AssembledText = o.Sentence()
	return nil
}

func outcomePath(r *httpapi.Request) nestor.Path {
	return ownOf(r).Child("outcomes", r.PathValue("outcome"))
}

func (p *Priority) postOutcome(r *httpapi.Request) (any, error) {
	var said outcomeFields
	if err := decode(r, &said); err != nil {
		return nil, err
	}
	o := record.Outcome{
		Direction: said.Direction, Object: said.Object, Metric: said.Metric, Clarifier: said.Clarifier,
		StatePreference: said.StatePreference, DailyCapacityHours: said.DailyCapacityHours, Slot: record.SlotActive, UserID: r.UserID(),
	}
	if err := complete(&o); err != nil {
		return nil, err
	}
	at := ownOf(r).Child("outcomes", nestor.NewID())
	return writeOutcome(r, at, func(tx store.Tx) (*nestor.Document, error) {
		if err := deactivate(tx, r.UserID()); err != nil {
			return nil, err
		}
		return tx.Create(at, o)
	})
}

func (p *Priority) patchOutcome(r *httpapi.Request) (any, error) {
	var said outcomeChange
	if err := decode(r, &said); err != nil {
		return nil, err
	}
	at := outcomePath(r)
	return writeOutcome(r, at, func(tx store.Tx) (*nestor.Document, error) {
		d, err := tx.Get(at)
		if err != nil {
			return nil, err
		}
		o, err := nestor.As[record.Outcome](d)
		if err != nil {
			return nil, err
		}
		was := o.Slot
		if err := said.apply(&o); err != nil {
			return nil, err
		}
		if o.Slot == record.SlotActive && was != o.Slot {
			if err := deactivate(tx, r.UserID()); err != nil {
				return nil, err
			}
		}
		return tx.Put(at, o, store.AnyVersion)
	})
}

// activations is how often a write is tried again that met another outcome which
// became active at the same moment. Each time one of those who compete is through.
const activations = 50

func writeOutcome(r *httpapi.Request, at nestor.Path, write func(store.Tx) (*nestor.Document, error)) (any, error) {
	var d *nestor.Document
	var err error
	for range activations {
		err = r.Act(at, func(tx store.Tx) (err error) {
			d, err = write(tx)
			return err
		})
		if !errors.Is(err, nestor.ErrExists) {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	o, err := nestor.As[record.Outcome](d)
	return showOutcome(&o), err
}

// deactivate takes the place from the outcome that is active.
func deactivate(tx store.Tx, userID string) error {
	active, err := findActive(tx, userID)
	if err != nil || active == nil {
		return err
	}
	_, err = tx.Patch(active.Path, map[string]any{"slot": nil}, store.AnyVersion)
	return err
}

// findActive is the active outcome of a user, nil if there is none.
func findActive(r store.Reader, userID string) (*nestor.Document, error) {
	page, err := r.Query(store.Query{
		Collection: string(record.Of(userID)) + "/outcomes", Where: store.Where("slot", store.Eq, string(record.SlotActive)), Limit: 1,
	})
	if err != nil || len(page.Items) == 0 {
		return nil, err
	}
	return page.Items[0], nil
}

func (p *Priority) listOutcomes(r *httpapi.Request) (any, error) {
	return list(r, "outcomes", showOutcome)
}

func (p *Priority) activeOutcome(r *httpapi.Request) (any, error) {
	var shown UserOutcome
	err := r.View(func(docs store.Reader) error {
		d, err := findActive(docs, r.UserID())
		if err != nil {
			return err
		}
		if d == nil {
			return httpapi.Because(reasonNoOutcome, nestor.Errorf(nestor.CodeNotFound, "no outcome is active: say first what you want to reach"))
		}
		o, err := nestor.As[record.Outcome](d)
		shown = showOutcome(&o)
		return err
	})
	return shown, err
}

func (p *Priority) getOutcome(r *httpapi.Request) (any, error) {
	return get(r, outcomePath(r), showOutcome)
}

// deleteOutcome deletes an outcome with the analyses that were made for it.
func (p *Priority) deleteOutcome(r *httpapi.Request) (any, error) {
	at := outcomePath(r)
	return nil, r.Act(at, func(tx store.Tx) error {
		if err := tx.Delete(at, store.AnyVersion); err != nil {
			return err
		}
		return forgetAnalyses(tx, at)
	})
}
