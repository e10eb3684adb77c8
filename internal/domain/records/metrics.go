package records

import (
	"time"

	"github.com/nestorhq/nestor"
	measured "github.com/nestorhq/nestor/internal/domain/metrics/record"
	"github.com/nestorhq/nestor/internal/domain/metrics/rollup"
	"github.com/nestorhq/nestor/internal/store"
)

type newMetric struct {
	ID         string            `json:"id,omitempty"`
	Name       string            `json:"name"`
	Dimensions map[string]string `json:"dimensions,omitempty"`
	Value      float64           `json:"value"`
	// At is Unix milliseconds. Defaults to now.
	At int64 `json:"at,omitempty"`
}

func (d newMetric) id() string { return d.ID }

func (d newMetric) write(tx store.Tx, p nestor.Path) (*nestor.Document, error) {
	point, err := rollup.NewPoint(d.Name, d.Dimensions, d.Value, d.At, time.Now())
	if err != nil {
		return nil, err
	}
	return tx.Create(p, measured.Point{UserID: p.UserID(), Name: point.Name, Dimensions: point.Dimensions, Value: point.Value, At: point.At})
}

// countPoints has new points count in queries, in the transaction that makes them.
func countPoints(tx store.Tx, made []*nestor.Document) error {
	set := &rollup.Set{}
	for _, d := range made {
		p, err := nestor.As[measured.Point](d)
		if err != nil {
			return err
		}
		set.Add(rollup.Point{Name: p.Name, Dimensions: p.Dimensions, Value: p.Value, At: p.At})
	}
	return rollup.Write(tx, measured.OfUser(made[0].Path.UserID()), set)
}
