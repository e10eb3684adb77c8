package budget

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// By is what a report tells apart.
type By string

// What reports tell apart.
const (
	ByDay   By = "day"
	ByModel By = "model"
	ByRole  By = "role"
	ByChat  By = "chat"
	ByUser  By = "user"
)

// Report is what users used from one day to another, both included.
type Report struct {
	From    string `json:"from"`
	To      string `json:"to"`
	GroupBy []By   `json:"groupBy"`
	// Total is the sum of the rows, and of the books of these days.
	Total Totals      `json:"total"`
	Rows  []ReportRow `json:"rows"`
}

// ReportRow is what one group used.
type ReportRow struct {
	// Group has a value for each of what is told apart. A role or chat of "" is that of
	// calls which no agent made, or outside of chats, or before entries were kept.
	Group map[By]string `json:"group"`
	Totals
}

// maxRows bounds a report: who wants more asks for fewer days, or tells apart less.
const maxRows = 10_000

// Reporter adds up books.
type Reporter struct {
	report Report
	rows   map[string]*ReportRow
}

// NewReporter begins a report.
func NewReporter(from, to string, by ...By) (*Reporter, error) {
	for i, one := range by {
		switch one {
		case ByDay, ByModel, ByRole, ByChat, ByUser:
		default:
			return nil, nestor.Errorf(nestor.CodeInvalid, "usage is told by day, model, role, chat or user, not by %q", one).With("field", "groupBy")
		}
		if slices.Contains(by[:i], one) {
			return nil, nestor.Errorf(nestor.CodeInvalid, "groupBy has %s twice", one).With("field", "groupBy")
		}
	}
	return &Reporter{report: Report{From: from, To: to, GroupBy: append([]By{}, by...)}, rows: map[string]*ReportRow{}}, nil
}

// Add adds the books of a user.
func (r *Reporter) Add(docs store.Reader, userID string) error {
	err := eachBook(docs, userID, r.report.From, r.report.To, func(b *Book) {
		rest := b.Models
		if len(b.Entries) > 0 {
			rest = map[string]Totals{}
			for model, t := range b.Models {
				rest[model] = t
			}
		}
		for _, e := range b.Entries {
			r.count(userID, b.day(), e)
			rest[e.Model] = rest[e.Model].less(e.Totals)
		}
		for model, t := range rest {
			if !t.none() {
				r.count(userID, b.day(), Entry{Model: model, Totals: t})
			}
		}
	})
	if err == nil && len(r.rows) > maxRows {
		err = nestor.Errorf(nestor.CodeInvalid, "the answer has more than %d rows: ask for fewer days, or tell apart less", maxRows)
	}
	return err
}

func (r *Reporter) count(userID, day string, e Entry) {
	if e.Chat != "" && !strings.Contains(e.Chat, "/") {
		e.Chat = string(nestor.Path("users/"+userID).Child("orch-chats", e.Chat))
	}
	values := map[By]string{ByDay: day, ByModel: e.Model, ByRole: e.Role, ByChat: e.Chat, ByUser: userID}
	key, group := "", map[By]string{}
	for _, by := range r.report.GroupBy {
		group[by] = values[by]
		key += values[by] + "\x00"
	}
	row := r.rows[key]
	if row == nil {
		row = &ReportRow{Group: group}
		r.rows[key] = row
	}
	row.Totals, r.report.Total = row.plus(e.Totals), r.report.Total.plus(e.Totals)
}

// Report is the report, in the order of days, then of cost, the highest first.
func (r *Reporter) Report() Report {
	report := r.report
	report.Rows = make([]ReportRow, 0, len(r.rows))
	for _, row := range r.rows {
		report.Rows = append(report.Rows, *row)
	}
	slices.SortFunc(report.Rows, func(a, b ReportRow) int {
		order := cmp.Or(cmp.Compare(a.Group[ByDay], b.Group[ByDay]), cmp.Compare(b.CostMicros, a.CostMicros), cmp.Compare(b.Tokens(), a.Tokens()))
		for _, by := range report.GroupBy {
			order = cmp.Or(order, cmp.Compare(a.Group[by], b.Group[by]))
		}
		return order
	})
	return report
}

// less is what is left without u.
func (t Totals) less(u Totals) Totals {
	t.InputTokens -= u.InputTokens
	t.CachedInputTokens -= u.CachedInputTokens
	t.OutputTokens -= u.OutputTokens
	t.ReasoningTokens -= u.ReasoningTokens
	t.CostMicros -= u.CostMicros
	t.Calls -= u.Calls
	return t
}

// none reports whether nothing was used.
func (t Totals) none() bool {
	t.Estimated = false
	return t == Totals{}
}
