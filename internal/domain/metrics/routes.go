package metrics

import (
	"reflect"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/domain/metrics/record"
	"github.com/nestorhq/nestor/internal/domain/metrics/rollup"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/httpapi/openapi"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
)

type route = module.Route[*Metrics]

func routes() []route {
	return []route{
		{Do: (*Metrics).query, Route: httpapi.Route{
			Pattern: "GET /api/v1/metrics/query", ID: "queryMetrics", Summary: "What the caller's points of a metric add up to, by window and group",
			Description: "Count, least and greatest value are exact, percentiles within 1%. Windows without points are left out.",
			Query:       queryParameters(), Answer: rollup.Answer{},
		}},
		{Do: (*Metrics).names, Route: httpapi.Route{
			Pattern: "GET /api/v1/metrics/names", ID: "listMetricNames", Summary: "The caller's metrics, with their dimensions",
			Description: "Those of the runtime are among them, as far as they are about the caller.",
			Answer:      rollup.Named{}, Lists: true,
		}},
		{Do: (*Metrics).addPoints, Route: httpapi.Route{
			Pattern: "POST /api/v1/metrics/points", ID: "addMetricPoints", Summary: "Record many points, which count and are no documents",
			Description: "At most 1,000 points are recorded in one write, all or none. If one of them is wrong, details.index says which.",
			Body:        newPoints{}, Example: `{"points":[{"name":"shop.order","dimensions":{"country":"pt"},"value":12.5,"at":1767225600000}]}`, Answer: RecordedPoints{}, Creates: true,
		}},
		{Do: (*Metrics).serverQuery, Route: httpapi.Route{
			Pattern: "GET /api/v1/metrics/server/query", ID: "queryServerMetrics", Summary: "What the runtime's points of all users add up to",
			Description: "They are told apart by user, and not by chat. What users record themselves is not in them.",
			Needs:       httpapi.Administrator, Query: queryParameters(), Answer: rollup.Answer{},
		}},
		{Do: (*Metrics).serverNames, Route: httpapi.Route{
			Pattern: "GET /api/v1/metrics/server/names", ID: "listServerMetricNames", Summary: "The metrics that the runtime records, with their dimensions",
			Description: "What users record themselves is not among them.",
			Needs:       httpapi.Administrator, Answer: rollup.Named{}, Lists: true,
		}},
	}
}

func schemas() openapi.Schemas {
	return openapi.Schemas{Types: map[string]reflect.Type{
		"MetricAnswer":    reflect.TypeFor[rollup.Answer](),
		"MetricRow":       reflect.TypeFor[rollup.Row](),
		"MetricName":      reflect.TypeFor[rollup.Named](),
		"NewMetricPoints": reflect.TypeFor[newPoints](),
		"NewMetricPoint":  reflect.TypeFor[newPoint](),
		"RecordedPoints":  reflect.TypeFor[RecordedPoints](),
	}}
}

func queryParameters() []httpapi.Parameter {
	more := func(name, description, example string) httpapi.Parameter {
		return httpapi.Parameter{Name: name, Description: description, Schema: openapi.Text(), Example: example, Repeated: true}
	}
	where := more("where", "Only points whose dimension has this value: DIMENSION=VALUE. Of several values of one dimension any will do. where.DIMENSION=VALUE says the same.", "model=small")
	where.Family = true
	return []httpapi.Parameter{
		httpapi.RequiredParameter("name", "The metric.", "nestor.model.duration_ms"),
		where,
		more("groupBy", "A dimension whose values are told apart, or several with commas.", "model"),
		httpapi.TextParameter("window", "How long the windows are, 1m to 30d. Defaults to one from from to to.", "1h"),
		more("agg", "sum, avg, min, max, count or a percentile such as p95, or several with commas. Defaults to count,sum,avg,min,max.", "sum,p95"),
		httpapi.TextParameter("from", "The first moment, as RFC 3339 or Unix milliseconds. Defaults to a day before to.", "2026-01-01T00:00:00Z"),
		httpapi.TextParameter("to", "The first moment that is not wanted. Defaults to now.", "2026-01-02T00:00:00Z"),
	}
}

func (m *Metrics) query(r *httpapi.Request) (any, error) {
	if err := mayRead(r); err != nil {
		return nil, err
	}
	return m.ask(r, record.OfUser(r.UserID()))
}

func (m *Metrics) serverQuery(r *httpapi.Request) (any, error) { return m.ask(r, record.Server) }

// mayRead reports why the caller may not read their points one by one. Who may do that
// may know what they add up to.
func mayRead(r *httpapi.Request) error {
	return r.View(func(docs store.Reader) error {
		_, err := docs.Query(store.Query{Collection: string(record.OfUser(r.UserID())) + "/metrics", Limit: 1})
		return err
	})
}

// ask answers from what there is, also of what waits in this process.
func (m *Metrics) ask(r *httpapi.Request, owner record.Owner) (any, error) {
	now := m.recorder.now()
	q, err := parseQuery(r.URL.Query(), now)
	if err != nil {
		return nil, err
	}
	if err := m.flush(r.Context()); err != nil {
		return nil, err
	}
	var answer *rollup.Answer
	err = m.store.View(r.Context(), func(docs store.Reader) (err error) {
		answer, err = rollup.Ask(docs, owner, q, m.roller.Keep, now)
		return err
	})
	return answer, err
}

func (m *Metrics) names(r *httpapi.Request) (any, error) {
	if err := mayRead(r); err != nil {
		return nil, err
	}
	return m.list(r, record.OfUser(r.UserID()))
}

func (m *Metrics) serverNames(r *httpapi.Request) (any, error) { return m.list(r, record.Server) }

func (m *Metrics) list(r *httpapi.Request, owner record.Owner) (any, error) {
	if err := m.flush(r.Context()); err != nil {
		return nil, err
	}
	var all []rollup.Named
	err := m.store.View(r.Context(), func(docs store.Reader) (err error) {
		all, err = rollup.Names(docs, owner)
		return err
	})
	return httpapi.List[rollup.Named]{Items: all}, err
}

// maxPoints bounds how many points one request has.
const maxPoints = 1000

type newPoints struct {
	Points []newPoint `json:"points"`
}

type newPoint struct {
	Name       string            `json:"name"`
	Dimensions map[string]string `json:"dimensions,omitempty"`
	Value      float64           `json:"value"`
	// At is Unix milliseconds. Defaults to now.
	At int64 `json:"at,omitempty"`
}

// RecordedPoints says how many points were recorded.
type RecordedPoints struct {
	Recorded int `json:"recorded"`
}

// addPoints records points of the caller. All are in the database when it answers, or
// none is.
func (m *Metrics) addPoints(r *httpapi.Request) (any, error) {
	var said newPoints
	if err := r.Decode(&said); err != nil {
		return nil, err
	}
	if len(said.Points) == 0 || len(said.Points) > maxPoints {
		return nil, nestor.Errorf(nestor.CodeInvalid, "a request has 1 to %d points, not %d", maxPoints, len(said.Points)).With("field", "points")
	}
	set, now := &rollup.Set{}, m.recorder.now()
	for i, one := range said.Points {
		p, err := rollup.NewPoint(one.Name, one.Dimensions, one.Value, one.At, now)
		if err != nil {
			return nil, err.With("index", i)
		}
		set.Add(p)
	}
	r.Charge(set.Groups() - 1 + len(said.Points)/100)
	owner := record.OfUser(r.UserID())
	write := func(tx store.Tx) error { return rollup.Write(tx, owner, set) }
	var err error
	if r.Caller().Kind == access.AsWebhook {
		// Its token is for other documents. Points of its user are all that it can add
		// beside these, and it cannot read them.
		err = m.store.Update(r.Context(), write)
	} else {
		err = r.Act(nestor.Path(owner).Child("metrics", "points"), write)
	}
	return RecordedPoints{len(said.Points)}, err
}
