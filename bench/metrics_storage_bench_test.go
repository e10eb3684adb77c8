//go:build unix

package bench

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/metrics/record"
	"github.com/nestorhq/nestor/internal/domain/metrics/rollup"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
)

// BenchmarkMetricStorage measures what an hour of points takes that are written every second and rolled up as they come:
// the bytes of the roll-ups, and those of documents that the change log keeps.
func BenchmarkMetricStorage(b *testing.B) {
	for _, engine := range engines.Names {
		b.Run(engine, func(b *testing.B) {
			for b.Loop() {
				m := newMonth(b, engines.New(b, engine).Database)
				m.hour(b)
				kept, logged := m.kept(b), m.logged(b)
				b.ReportMetric(float64(kept)/float64(m.points), "rollup-B/point")
				b.ReportMetric(float64(logged)/float64(m.points), "log-B/point")
				b.ReportMetric(float64(logged)/float64(kept), "log/rollups")
			}
		})
	}
}

// hour writes 20 points each second, and rolls up every 10 seconds.
func (m *month) hour(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	for second := range 3610 {
		set := &rollup.Set{}
		for range 20 {
			set.Add(rollup.Point{
				Name: string(rune('a' + r.IntN(5))), Dimensions: map[string]string{"model": fmt.Sprint("model-", r.IntN(20))},
				Value: math.Exp(r.NormFloat64()*1.5 + 6), At: nestor.Millis(m.now),
			})
			m.points++
		}
		if err := m.store.Update(context.Background(), func(tx store.Tx) error { return rollup.Write(tx, m.owner, set) }); err != nil {
			b.Fatal(err)
		}
		m.now = m.now.Add(time.Second)
		for did := second%10 == 0; did; {
			var err error
			if did, err = m.roller.Pass(context.Background(), m.owner, m.now); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// kept is how many bytes the roll-ups have.
func (m *month) kept(b *testing.B) (n int) {
	err := m.store.View(context.Background(), func(r store.Reader) error {
		for q := (store.Query{Flat: record.Rollups.Name, Limit: store.MaxLimit}); ; {
			page, err := r.Query(q)
			if err != nil {
				return err
			}
			for _, d := range page.Items {
				n += len(d.Data)
			}
			if q.Cursor = page.Next; q.Cursor == "" {
				return nil
			}
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// logged is how many bytes of replaced documents the log has.
func (m *month) logged(b *testing.B) (n int) {
	for after := int64(0); ; {
		changes, err := m.store.Changes(context.Background(), after, 1000, nil)
		if err != nil {
			b.Fatal(err)
		}
		if len(changes) == 0 {
			return n
		}
		for i := range changes {
			if changes[i].Before != nil {
				n += len(changes[i].Before.Data)
			}
			after = changes[i].Seq
		}
	}
}
