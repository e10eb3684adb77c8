package budget

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Used is what calls of one model used.
type Used struct {
	Model      string
	Usage      nestor.Usage
	CostMicros int64
	Calls      int
	// Role is whose calls they were: an agent's role, or that of the orchestrator. ""
	// for calls that no agent made, such as those of a graph's nodes.
	Role string
	// Chat is in which chat, "" for none.
	Chat nestor.Path
}

// As says whose calls they were.
func (u Used) As(role string) Used {
	u.Role = role
	return u
}

// Amount is what that counts for in a budget.
func (u Used) Amount() Amount { return Amount{Tokens: u.Usage.Tokens(), Micros: u.CostMicros} }

// Day is what a user used on one day. [Days] adds it up from the day's books.
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

// Days returns the days from one to another, both included, on which a user
// used anything, in order. Days are written yyyy-mm-dd.
func Days(r store.Reader, userID, from, to string) ([]Day, error) {
	var days []Day
	err := eachBook(r, userID, from, to, func(b *Book) {
		// The usage of a day was one document once, named by the day alone.
		b.ID = b.day()
		if n := len(days); n > 0 && days[n-1].ID == b.ID {
			days[n-1].merge(b.Day)
		} else {
			days = append(days, b.Day)
		}
	})
	return days, err
}

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
