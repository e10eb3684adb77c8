package metrics

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/metrics/rollup"
)

const (
	wherePrefix = "where."
	// maxListed bounds how many dimensions, values and aggregates a query names.
	maxListed  = 20
	defaultAgg = "count,sum,avg,min,max"
)

// parseQuery reads a query from the URL.
func parseQuery(params url.Values, now time.Time) (q rollup.Query, err error) {
	q.Where = map[string][]string{}
	for name, values := range params {
		dimension, isWhere := strings.CutPrefix(name, wherePrefix)
		switch {
		case isWhere:
			for _, value := range values {
				if err := narrow(&q, dimension, value); err != nil {
					return q, err
				}
			}
		case name == "where":
			for _, text := range values {
				dimension, value, _ := strings.Cut(text, "=")
				if err := narrow(&q, dimension, value); err != nil {
					return q, err
				}
			}
		}
		if len(params) > 2*maxListed || len(values) > maxListed {
			return q, wrong(name, "a query has at most %d values of a parameter", maxListed)
		}
	}
	q.Name = params.Get("name")
	if err := rollup.CheckName(q.Name); err != nil {
		return q, err
	}
	if q.GroupBy, err = listed(params["groupBy"], "groupBy"); err != nil {
		return q, err
	}
	for _, dimension := range q.GroupBy {
		if err := rollup.CheckDimension(dimension); err != nil {
			return q, err
		}
	}
	wanted, err := listed(params["agg"], "agg")
	if err != nil {
		return q, err
	}
	if len(wanted) == 0 {
		wanted = strings.Split(defaultAgg, ",")
	}
	for _, name := range wanted {
		a, err := rollup.ParseAggregate(name)
		if err != nil {
			return q, err
		}
		q.Aggregates = append(q.Aggregates, a)
	}
	if text := params.Get("window"); text != "" {
		if q.Window, err = parseSpan(text, "window"); err != nil {
			return q, err
		}
		if q.Window <= 0 {
			return q, wrong("window", "a window is of whole minutes, from 1m to 30d")
		}
	}
	if q.To, err = parseMoment(params.Get("to"), "to", now); err != nil {
		return q, err
	}
	q.From, err = parseMoment(params.Get("from"), "from", time.UnixMilli(q.To).Add(-24*time.Hour))
	return q, err
}

// narrow asks for points whose dimension has a value.
func narrow(q *rollup.Query, dimension, value string) error {
	if err := rollup.CheckDimension(dimension); err != nil {
		return err
	}
	if value == "" {
		return wrong("where", "say which value dimension %s is to have: where.%s=VALUE", dimension, dimension)
	}
	q.Where[dimension] = append(q.Where[dimension], value)
	return nil
}

// listed splits values at commas, and drops those that are there already.
func listed(values []string, field string) (all []string, err error) {
	seen := map[string]bool{}
	for _, text := range values {
		for one := range strings.SplitSeq(text, ",") {
			if !seen[one] {
				seen[one], all = true, append(all, one)
			}
		}
	}
	if len(all) > maxListed {
		return nil, wrong(field, "%s has at most %d values", field, maxListed)
	}
	return all, nil
}

// parseSpan reads a duration such as 90m, 1h or 7d.
func parseSpan(text, field string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n > 0 && n <= 100_000 {
			return time.Duration(n) * 24 * time.Hour, nil
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, wrong(field, "%s is a duration such as 30m, 1h or 7d, not %.40q", field, text)
	}
	return d, nil
}

// parseMoment reads RFC 3339 or Unix milliseconds.
func parseMoment(text, field string, otherwise time.Time) (int64, error) {
	if text == "" {
		return nestor.Millis(otherwise), nil
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n >= 0 && n < maxMoment {
		return n, nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil && t.UnixMilli() >= 0 && t.UnixMilli() < maxMoment {
		return t.UnixMilli(), nil
	}
	return 0, wrong(field, "%s is a moment such as 2026-01-01T00:00:00Z, or Unix milliseconds, not %.40q", field, text)
}

// maxMoment is the beginning of the year 2100.
const maxMoment = 4_102_444_800_000

func wrong(field, format string, args ...any) error {
	return nestor.Errorf(nestor.CodeInvalid, format, args...).With("field", field)
}
