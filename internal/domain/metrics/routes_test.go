package metrics_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

func TestPointsAreCountedAndQueried(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		hour := time.Now().Add(-3 * time.Hour).Truncate(time.Hour).UnixMilli()
		var points []string
		for i := range 100 {
			points = append(points, fmt.Sprintf(`{"name":"shop.order","dimensions":{"country":"%s","kind":"%s"},"value":%d,"at":%d}`,
				[]string{"pt", "de"}[i%2], []string{"web", "phone", "mail"}[i%3], i+1, hour+int64(i)*72_000))
		}
		p.wants(201, "POST", "metrics/points", `{"points":[`+strings.Join(points, ",")+`]}`, `{"recorded":100}`)
		p.wants(201, "POST", "records/metrics", `{"id":"m1","name":"shop.order","value":1000,"dimensions":{"country":"pt"}}`, `"value":1000`)
		p.wants(201, "POST", "records/metrics/batch", `{"records":[{"name":"shop.order","value":2000},{"name":"shop.return","value":-1}]}`)
		p.wants(201, "POST", "records/metrics/m1/clone", "")
		p.wants(200, "GET", "records/metrics/count", "", `{"count":4}`)
		p.wants(405, "PATCH", "records/metrics/m1", `{"value":1}`)

		all := p.asks("metrics/query", "shop.order", "agg=count,sum,avg,min,max,p50,p99.9")
		if v := all.Rows[0].Values; v["count"] != 103 || v["sum"] != 5050+4000 || v["min"] != 1 || v["max"] != 2000 || v["avg"] != 9050.0/103 ||
			v["p50"] < 52*0.99 || v["p50"] > 52*1.01 || v["p99.9"] != 2000 || all.RelativeError != 0.01 {
			t.Errorf("in all: %+v", all)
		}
		at := fmt.Sprintf("from=%d", hour)
		end := fmt.Sprintf("to=%s", time.UnixMilli(hour+2*time.Hour.Milliseconds()).UTC().Format(time.RFC3339))
		hours := p.asks("metrics/query", "shop.order", "window=1h", "groupBy=country", "groupBy=kind", "agg=sum,count", at, end)
		sums, counts := 0.0, 0.0
		for _, row := range hours.Rows {
			sums, counts = sums+row.Values["sum"], counts+row.Values["count"]
			if row.Group["country"] == "" || row.Group["kind"] == "" || row.End-row.Start != time.Hour.Milliseconds() {
				t.Errorf("a row: %+v", row)
			}
		}
		if len(hours.Rows) != 12 || sums != 5050 || counts != 100 {
			t.Errorf("by hour: %+v", hours)
		}
		narrow := p.asks("metrics/query", "shop.order", "where.country=pt", "where.kind=web", "where=kind=mail", "agg=count", at, end)
		if n := narrow.total(t, "count"); n != 34 {
			t.Errorf("%v orders from pt by web or mail", n)
		}
		if rows := p.asks("metrics/query", "shop.order", "groupBy=country", "agg=count").Rows; len(rows) != 3 || len(rows[0].Group) != 0 {
			t.Errorf("by country: %+v", rows)
		}
		p.wants(204, "DELETE", "records/metrics/m1", "")
		if n := p.asks("metrics/query", "shop.order", "agg=count").total(t, "count"); n != 103 {
			t.Errorf("a record was deleted: %v points count", n)
		}
		if rows := p.asks("metrics/query", "nothing").Rows; len(rows) != 0 {
			t.Errorf("of nothing there is %+v", rows)
		}
		p.wants(200, "GET", "metrics/names", "", `{"name":"shop.order","dimensions":["country","kind"]}`, `{"name":"shop.return","dimensions":[]}`)

		for _, wrong := range []string{
			"", "name=a-b", "name=a&window=1s", "name=a&window=90s", "name=a&window=31d", "name=a&window=-1h", "name=a&agg=p0", "name=a&agg=p101", "name=a&agg=median",
			"name=a&agg=pNaN", "name=a&groupBy=a.b", "name=a&where.a-b=x", "name=a&where.b=", "name=a&where=b", "name=a&from=yesterday", "name=a&from=2&to=1", "name=a&limit=3",
			"name=a&window=1m&from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z", "name=a&to=99999999999999", "name=a&agg=" + strings.Repeat("sum,p1,", 3) + "p2,p3,p4,p5,p6,p7,p8,p9,p10,p11,p12,p13,p14,p15,p16,p17,p18,p19,p20,p21",
		} {
			p.wants(400, "GET", "metrics/query?"+wrong, "", `"field":`)
		}
		for _, wrong := range []string{
			`{"points":[]}`, `{"points":[{"name":"a"}]}`, `{"points":[{"name":"nestor.model.calls","value":1}]}`, `{"points":[{"name":"A","value":1}]}`,
			`{"points":[{"name":"a","value":1,"dimensions":{"x y":"1"}}]}`, `{"points":[{"name":"a","value":1,"at":5}]}`, `{"points":[{"name":"a","value":1e999}]}`,
			`{"points":[{"name":"a","value":1,"nonsense":1}]}`, `{"points":[` + strings.Repeat(`{"name":"a","value":1},`, 1000) + `{"name":"a","value":1}]}`,
		} {
			p.wants(400, "POST", "metrics/points", wrong)
		}
		p.wants(400, "POST", "metrics/points", `{"points":[{"name":"shop.order","value":1},{"name":"","value":1}]}`, `"index":1`, `"field":"name"`)
		p.wants(400, "POST", "records/metrics", `{"name":"nestor.x","value":1}`, `"field":"name"`)
		p.wants(400, "POST", "records/metrics", `{"name":"x"}`, `"field":"value"`)
		if n := p.asks("metrics/query", "shop.order", "agg=count").total(t, "count"); n != 103 {
			t.Errorf("after wrong requests %v points count", n)
		}
		for _, door := range []string{"metric-blocks", "metric-rollups", "metric-states", "metrics"} {
			p.wants(403, "PUT", "docs/users/local/"+door+"/x", `{"name":"a","value":1,"at":1,"newest":1,"groups":[],"start":1,"data":"","names":{},"hoursUntil":1,"daysUntil":1}`)
		}
	})
}

func TestTwoUsersNeverSeeEachOthersPoints(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		ann, bob, root := p.signIn("ann", ""), p.signIn("bob", ""), p.signIn("root", `,"admin":true`)
		ann.wants(201, "POST", "metrics/points", `{"points":[{"name":"secret.plan","value":7,"dimensions":{"of":"ann"}}]}`)
		ann.wants(201, "POST", "records/metrics", `{"id":"mine","name":"secret.plan","value":1}`)
		for _, stranger := range []*person{bob, bob.withKey(`,"scopes":["write"]`), root} {
			if rows := stranger.asks("metrics/query", "secret.plan").Rows; len(rows) != 0 {
				t.Errorf("%s sees %+v", stranger.id, rows)
			}
			for _, path := range []string{"metrics/names", "records/metrics"} {
				if text := stranger.wants(200, "GET", path, ""); strings.Contains(text, "secret") {
					t.Errorf("%s sees %s", stranger.id, text)
				}
			}
			stranger.wants(404, "GET", "records/metrics/mine", "")
			for _, flat := range []string{"metrics", "metric_blocks", "metric_rollups", "metric_states"} {
				if text := stranger.wants(200, "POST", "query", `{"flat":"`+flat+`"}`); strings.Contains(text, "ann") {
					t.Errorf("%s sees %s", stranger.id, text)
				}
			}
		}
		for _, path := range []string{"metrics/server/query?name=nestor.job.duration_ms", "metrics/server/names"} {
			bob.wants(403, "GET", path, "")
			root.wants(200, "GET", path, "")
		}
		if text := root.wants(200, "GET", "metrics/server/names", ""); strings.Contains(text, "secret") {
			t.Errorf("what ann records is in the totals of the server: %s", text)
		}
		// A key reaches what its paths say.
		elsewhere := ann.withKey(`,"scopes":["write","users/ann/notes/**"]`)
		elsewhere.wants(404, "POST", "metrics/points", `{"points":[{"name":"secret.plan","value":7}]}`)
		elsewhere.wants(403, "GET", "metrics/query?name=secret.plan", "")
		elsewhere.wants(403, "GET", "metrics/names", "")
		here := ann.withKey(`,"scopes":["write","users/ann/metrics/**"]`)
		here.wants(201, "POST", "metrics/points", `{"points":[{"name":"secret.plan","value":3}]}`)
		here.wants(200, "GET", "metrics/names", "", "secret.plan")
		reading := ann.withKey(`,"scopes":["read"]`)
		reading.wants(403, "POST", "metrics/points", `{"points":[{"name":"secret.plan","value":7}]}`)
		if n := reading.asks("metrics/query", "secret.plan", "agg=sum").total(t, "sum"); n != 11 {
			t.Errorf("ann's points add up to %v", n)
		}
	})
}

// One request with very many names or dimensions is refused with a reason, and a point
// costs as much as the documents that it becomes.
func TestPointsOfAUserAreBounded(t *testing.T) {
	servertest.Each(t, func(t *testing.T, cfg server.Config) {
		p := start(t, cfg)
		ann := p.signIn("ann", "")
		points := func(n int, one func(i int) string) string {
			var all []string
			for i := range n {
				all = append(all, one(i))
			}
			return `{"points":[` + strings.Join(all, ",") + `]}`
		}
		ann.wants(400, "POST", "metrics/points", points(201, func(i int) string { return fmt.Sprintf(`{"name":"n%d","value":1}`, i) }), `"field":"name"`, "200 metrics already")
		ann.wants(400, "POST", "metrics/points", points(100, func(i int) string { return fmt.Sprintf(`{"name":"a","value":1,"dimensions":{"d%d":"x"}}`, i) }), `"field":"dimensions"`, "30 dimensions already")
		ann.wants(400, "POST", "metrics/points", points(1, func(int) string {
			var all []string
			for i := range 10 {
				all = append(all, fmt.Sprintf(`"d%d":"%s"`, i, strings.Repeat("x", 120)))
			}
			return `{"name":"a","value":1,"dimensions":{` + strings.Join(all, ",") + `}}`
		}), "1024 bytes")
		if text := ann.wants(200, "GET", "metrics/names", ""); strings.Contains(text, `"a"`) || strings.Contains(text, "n1") {
			t.Errorf("there are %s", text)
		}
		past := time.Now().Add(-48 * time.Hour).UnixMilli()
		minutes := points(1000, func(i int) string { return fmt.Sprintf(`{"name":"a","value":1,"at":%d}`, past+int64(i)*60_000) })
		ann.wants(201, "POST", "metrics/points", minutes)
		ann.wants(429, "POST", "metrics/points", minutes)
	})
}
