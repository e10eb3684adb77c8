package priority

import (
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/priority/record"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// WeighedReflection is what a person noted, and what it counts by now.
type WeighedReflection struct {
	ID        string  `json:"id"`
	UserID    string  `json:"user_id"`
	Text      string  `json:"text"`
	Weight    float64 `json:"weight"`
	CreatedAt string  `json:"created_at"`
	UpdatedAt string  `json:"updated_at"`
}

func showReflection(r *record.Reflection) WeighedReflection {
	return WeighedReflection{ID: r.ID, UserID: r.UserID, Text: r.Text, Weight: r.Weight(time.Now()), CreatedAt: iso(r.CreatedAt), UpdatedAt: iso(r.UpdatedAt)}
}

type reflectionFields struct {
	Text string `json:"text"`
}

func (p *Priority) postReflection(r *httpapi.Request) (any, error) {
	var said reflectionFields
	if err := decode(r, &said); err != nil {
		return nil, err
	}
	if err := checkText("text", &said.Text, 1, 2000); err != nil {
		return nil, err
	}
	at := ownOf(r).Child("reflections", nestor.NewID())
	var d *nestor.Document
	err := r.Act(at, func(tx store.Tx) (err error) {
		d, err = tx.Create(at, record.Reflection{UserID: r.UserID(), Text: said.Text})
		return err
	})
	if err != nil {
		return nil, err
	}
	v, err := nestor.As[record.Reflection](d)
	return showReflection(&v), err
}

func (p *Priority) listReflections(r *httpapi.Request) (any, error) {
	return list(r, "reflections", showReflection)
}

func (p *Priority) deleteReflection(r *httpapi.Request) (any, error) {
	return nil, remove(r, ownOf(r).Child("reflections", r.PathValue("reflection")))
}
