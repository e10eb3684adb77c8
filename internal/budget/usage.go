package budget

import (
	"fmt"
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

// Day is what a user used on one day, or a share of that. Shares lie at
// users/{userId}/usage/{yyyy-mm-dd}.{share}, and [Days] adds them up.
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

// usageShares is over how many documents the usage of a user's day is spread: work
// that goes on at once would wait for a single one.
const usageShares = 128

// Record adds what a user used to the day of at, in one write. Work that gives the
// same key adds to the same share of the day, and waits for its other work: give a
// chat's path for what is done in the chat.
func Record(tx store.Tx, at time.Time, userID, key string, used ...Used) error {
	if len(used) == 0 {
		return nil
	}
	p := nestor.Path(fmt.Sprintf("%s/%s.%02d", usageOf(userID), at.UTC().Format(time.DateOnly), shareOf(key, usageShares)))
	day, err := hold[Day](tx, p)
	if err != nil {
		return err
	}
	for _, u := range used {
		day.add(u.Model, Totals{Usage: u.Usage, CostMicros: u.CostMicros, Calls: u.Calls})
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
		Where:      &store.Filter{And: []store.Filter{*store.Where("id", store.Ge, from), *store.Where("id", store.Le, to+".99")}},
		OrderBy:    []store.Order{{Field: "id"}},
		Limit:      store.MaxLimit,
	}
	for {
		page, err := r.Query(q)
		if err != nil {
			return nil, err
		}
		for _, d := range page.Items {
			share, err := nestor.As[Day](d)
			if err != nil {
				return nil, err
			}
			// The usage of a day was one document once, named by the day alone.
			share.ID = share.ID[:len(time.DateOnly)]
			if n := len(days); n > 0 && days[n-1].ID == share.ID {
				days[n-1].merge(share)
			} else {
				days = append(days, share)
			}
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return days, nil
		}
	}
}

func usageOf(userID string) string { return "users/" + userID + "/usage" }

// merge adds another share of the day.
func (d *Day) merge(share Day) {
	for model, t := range share.Models {
		d.add(model, t)
	}
	d.CreatedAt, d.UpdatedAt = min(d.CreatedAt, share.CreatedAt), max(d.UpdatedAt, share.UpdatedAt)
	d.Version, d.Seq = d.Version+share.Version, max(d.Seq, share.Seq)
}

// add adds what a model used.
func (d *Day) add(model string, t Totals) {
	if d.Models == nil {
		d.Models = map[string]Totals{}
	}
	d.Totals, d.Models[model] = d.plus(t), d.Models[model].plus(t)
}

// plus adds what was used. That is never less than nothing, whatever the
// documents say from which it was computed.
func (t Totals) plus(u Totals) Totals {
	for _, n := range []*int64{&u.InputTokens, &u.CachedInputTokens, &u.OutputTokens, &u.ReasoningTokens, &u.CostMicros} {
		*n = max(*n, 0)
	}
	return Totals{Usage: *t.Usage.Add(&u.Usage), CostMicros: t.CostMicros + u.CostMicros, Calls: t.Calls + u.Calls}
}
