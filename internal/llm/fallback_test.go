package llm

import (
	"errors"
	"slices"
	"testing"
)

func TestFallback(t *testing.T) {
	reply := []any{Text{"hi"}, finished}
	for _, tt := range []struct {
		name       string
		primary    []any
		wantErr    error
		wantEvents []Event
		wantCalls  int // of the secondary
	}{
		{
			name:       "leaves a healthy primary alone",
			primary:    reply,
			wantEvents: []Event{Text{"hi"}, finished},
		},
		{
			name:       "asks the secondary, which the finish names",
			primary:    []any{errBusy},
			wantEvents: []Event{Text{"hi"}, Finish{Reason: ReasonStop, Model: "b"}},
			wantCalls:  1,
		},
		{
			name:    "does not hide a lasting reason",
			primary: []any{errInvalid},
			wantErr: errInvalid,
		},
		{
			name:       "does not continue a reply that has begun",
			primary:    []any{Text{"On"}, errBusy},
			wantErr:    errBusy,
			wantEvents: []Event{Text{"On"}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			secondary := &fake{name: "b", turns: [][]any{reply}}
			m := Fallback(&fake{name: "a", turns: [][]any{tt.primary}}, secondary)
			events, err := play(t.Context(), m)
			if !errors.Is(err, tt.wantErr) {
				t.Errorf("error %v, want %v", err, tt.wantErr)
			}
			if !slices.Equal(events, tt.wantEvents) {
				t.Errorf("events %v, want %v", events, tt.wantEvents)
			}
			if secondary.calls != tt.wantCalls {
				t.Errorf("%d calls of the secondary, want %d", secondary.calls, tt.wantCalls)
			}
			if m.Name() != "a" {
				t.Errorf("name %q, want that of the primary", m.Name())
			}
		})
	}
}

func TestFallbackPassesOnTheErrorOfTheSecondary(t *testing.T) {
	m := Fallback(&fake{turns: [][]any{{errBusy}}}, &fake{turns: [][]any{{errInvalid}}})
	if _, err := play(t.Context(), m); !errors.Is(err, errInvalid) {
		t.Errorf("error %v, want %v", err, errInvalid)
	}
}
