package httpapi

import (
	"cmp"
	"net/http"
	"time"

	"github.com/nestorhq/nestor/internal/budget"
	"github.com/nestorhq/nestor/internal/store"
)

// usageDays is how far back the usage reaches that is shown unasked.
const usageDays = 30

// getUsage tells what a user used on which day.
func (s *server) getUsage(r *http.Request) (response, error) {
	params, today := r.URL.Query(), time.Now().UTC()
	from := cmp.Or(params.Get("from"), today.AddDate(0, 0, 1-usageDays).Format(time.DateOnly))
	to := cmp.Or(params.Get("to"), today.Format(time.DateOnly))
	user, err := subject(r)
	if err != nil {
		return response{}, err
	}
	days := []budget.Day{}
	err = s.view(r, func(tx store.Reader) error {
		found, err := budget.Days(tx, user.ID(), from, to)
		days = append([]budget.Day{}, found...)
		return err
	})
	return response{body: map[string]any{"items": days}}, err
}
