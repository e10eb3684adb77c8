package priority

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
)

// outcomeFlags are what an outcome says beside its sentence.
type outcomeFlags struct {
	energy   string
	capacity *float64 // nil if nothing is said
}

// energies are the words for a preference.
var energies = map[string]record.StatePreference{"low": record.LowEnergy, "high": record.Energized, "any": ""}

func (f *outcomeFlags) setCapacity(text string) error {
	hours, err := strconv.ParseFloat(text, 64)
	f.capacity = &hours
	return err
}

// change is what the flags say, as the API takes it.
func (f outcomeFlags) change() (map[string]any, error) {
	fields := map[string]any{}
	if f.energy != "" {
		state, ok := energies[f.energy]
		if !ok {
			return nil, nestor.Errorf(nestor.CodeInvalid, "--energy is low, high or any, not %q", f.energy)
		}
		fields["state_preference"] = state
	}
	if f.capacity != nil {
		fields["daily_capacity_hours"] = *f.capacity
	}
	return fields, nil
}

func outcomeRoute(id string) string { return "/outcomes/" + url.PathEscape(id) }

// outcome makes an outcome the active one, changes the active one, or prints it.
func (s shell) outcome(ctx context.Context, f outcomeFlags) error {
	fields, err := f.change()
	if err != nil {
		return err
	}
	var o *UserOutcome
	switch {
	case len(s.Args) == 4:
		fields["direction"], fields["object"], fields["metric"], fields["clarifier"] = s.Args[0], s.Args[1], s.Args[2], s.Args[3]
		o, err = call[UserOutcome](ctx, s, http.MethodPost, "/outcomes", fields)
	case len(s.Args) != 0:
		return nestor.Errorf(nestor.CodeInvalid, "an outcome has four parts: direction, object, metric and clarifier; put quotes around those of several words")
	default:
		if o, err = call[UserOutcome](ctx, s, http.MethodGet, "/outcomes/active", nil); err == nil && len(fields) > 0 {
			o, err = call[UserOutcome](ctx, s, http.MethodPatch, outcomeRoute(o.ID), fields)
		}
	}
	if reason(err) == reasonNoOutcome {
		return nestor.Errorf(nestor.CodeNotFound, "%w, for example\n  nestor plan outcome launch \"the shop\" orders \"20 by June\"", err)
	}
	if err != nil {
		return err
	}
	s.say("%s", o.AssembledText)
	if o.StatePreference != nil {
		s.say("%s.", *o.StatePreference)
	}
	if o.DailyCapacityHours != nil {
		s.say("%g hours a day.", *o.DailyCapacityHours)
	}
	return nil
}
