package httpapi

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/httpapi/openapi"
	"github.com/nestorhq/nestor/internal/store"
)

// getUsageReport tells what a user used, by what the caller wants told apart.
func (s *server) getUsageReport(r *http.Request) (response, error) {
	user, err := subject(r)
	if err != nil {
		return response{}, err
	}
	return reported(r, func(read func(store.Reader) error) error { return s.view(r, read) }, func(docs store.Reader, sum *budget.Reporter) error {
		return sum.Add(docs, user.ID())
	})
}

// getServerUsage tells what all users used. Chats are their users': it tells of none.
func (s *server) getServerUsage(r *http.Request) (response, error) {
	if slices.Contains(grouping(r), budget.ByChat) {
		return response{}, nestor.Errorf(nestor.CodeInvalid, "the usage of all users is told by day, model, role or user: chats are their users' own").With("field", "groupBy")
	}
	return reported(r, func(read func(store.Reader) error) error { return s.Store.View(r.Context(), read) }, func(docs store.Reader, sum *budget.Reporter) error {
		q := store.Query{Collection: "users", Limit: store.MaxLimit}
		for {
			page, err := docs.Query(q)
			if err != nil {
				return err
			}
			for _, d := range page.Items {
				if err := sum.Add(docs, d.Path.ID()); err != nil {
					return err
				}
			}
			if q.Cursor = page.Next; q.Cursor == "" {
				return nil
			}
		}
	})
}

// reported is the report that a request asks for, of the books that add adds to it, all as
// they are at one moment.
func reported(r *http.Request, view func(func(store.Reader) error) error, add func(store.Reader, *budget.Reporter) error) (response, error) {
	from, to := usageSpan(r, time.Now())
	var report budget.Report
	err := view(func(docs store.Reader) error {
		sum, err := budget.NewReporter(from, to, grouping(r)...)
		if err != nil {
			return err
		}
		if err := add(docs, sum); err != nil {
			return err
		}
		report = sum.Report()
		return nil
	})
	return response{body: report}, err
}

// usageSpan is the first and the last day that a request asks about.
func usageSpan(r *http.Request, now time.Time) (from, to string) {
	params, today := r.URL.Query(), now.UTC()
	return cmp.Or(params.Get("from"), today.AddDate(0, 0, 1-usageDays).Format(time.DateOnly)), cmp.Or(params.Get("to"), today.Format(time.DateOnly))
}

// grouping is what a request wants told apart: repeated, or with commas.
func grouping(r *http.Request) (by []budget.By) {
	for _, text := range r.URL.Query()["groupBy"] {
		for one := range strings.SplitSeq(text, ",") {
			by = append(by, budget.By(one))
		}
	}
	return by
}

// spanParameters are those of [usageSpan].
func spanParameters() []openapi.Parameter {
	return []openapi.Parameter{
		{Name: "from", Description: "The first day, such as 2026-11-01. Defaults to 29 days ago.", Schema: openapi.Text(), Example: "2026-11-01"},
		{Name: "to", Description: "The last day. Defaults to today.", Schema: openapi.Text(), Example: "2026-11-30"},
	}
}

// reportParameters are those of a report that tells this apart.
func reportParameters(by string) []openapi.Parameter {
	return append(spanParameters(), openapi.Parameter{
		Name: "groupBy", Description: by + ", or several with commas. Without it there is one row.", Schema: openapi.Text(), Example: "day,model", Repeated: true,
	})
}
