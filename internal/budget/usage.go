package budget

import (
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Used is what calls of one model used.
type Used struct {
	Model      string
	Usage      nestor.Usage
	CostMicros int64
	Calls      int
}

// Amount is what that counts for in a budget.
func (u Used) Amount() Amount { return Amount{Tokens: u.Usage.Tokens(), Micros: u.CostMicros} }

// Day is what a user used on one day.
type Day struct {
	nestor.Meta // its ID is the day, yyyy-mm-dd in UTC
	Totals
	// Models holds the same by the name of the model.
	Models map[string]Totals `json:"models"`
}

// Totals add up what several calls used.
type Totals struct {
	nestor.Usage
	CostMicros int64 `json:"costMicros"`
	Calls      int   `json:"calls"`
}

// Record adds what a user used to the day of at, in one write.
func Record(tx store.Tx, at time.Time, userID string, used ...Used) error {
	if len(used) == 0 {
		return nil
	}
	p := nestor.Path(usageOf(userID) + "/" + at.UTC().Format(time.DateOnly))
	day, err := hold[Day](tx, p)
	if err != nil {
		return err
	}
	if day.Models == nil {
		day.Models = map[string]Totals{}
	}
	for _, u := range used {
		day.Totals = day.plus(u)
		day.Models[u.Model] = day.Models[u.Model].plus(u)
	}
	_, err = tx.Put(p, day, store.AnyVersion)
	return err
}

// Days returns the days from one to another, both included, on which a user
// used anything, in order. Days are written yyyy-mm-dd.
func Days(r store.Reader, userID, from, to string) ([]Day, error) {
	for _, day := range []string{from, to} {
		if _, err := time.Parse(time.DateOnly, day); err != nil {
			return nil, nestor.Errorf(nestor.CodeInvalid, "%q is not a day such as 2006-01-02", day)
		}
	}
	var days []Day
	q := store.Query{
		Collection: usageOf(userID),
		Where:      &store.Filter{And: []store.Filter{*store.Where("id", store.Ge, from), *store.Where("id", store.Le, to)}},
		OrderBy:    []store.Order{{Field: "id"}},
		Limit:      store.MaxLimit,
	}
	for {
		page, err := r.Query(q)
		if err != nil {
			return nil, err
		}
		for _, d := range page.Items {
			day, err := nestor.As[Day](d)
			if err != nil {
				return nil, err
			}
			days = append(days, day)
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return days, nil
		}
	}
}

func usageOf(userID string) string { return "users/" + userID + "/usage" }

// plus adds what was used. That is never less than nothing, whatever the
// documents say from which it was computed.
func (t Totals) plus(u Used) Totals {
	for _, n := range []*int64{&u.Usage.InputTokens, &u.Usage.CachedInputTokens, &u.Usage.OutputTokens, &u.Usage.ReasoningTokens, &u.CostMicros} {
		*n = max(*n, 0)
	}
	return Totals{Usage: *t.Usage.Add(&u.Usage), CostMicros: t.CostMicros + u.CostMicros, Calls: t.Calls + u.Calls}
}
