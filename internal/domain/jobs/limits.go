package jobs

import (
	"context"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// limit says why a job waits that could run: its user or account has as many jobs running as
// may.
type limit struct {
	Of    string `json:"of"` // user or account
	ID    string `json:"id"`
	Limit int    `json:"limit"`
}

// explain adds to the jobs of a list which limit they wait for.
func (j *Jobs) explain(ctx context.Context, items []job) error {
	full, err := j.store.AtLimit(ctx)
	if err != nil || len(full) == 0 {
		return err
	}
	most := map[limit]int{}
	for _, f := range full {
		most[limit{Of: f.Of, ID: strings.TrimPrefix(f.ID, "users/")}] = f.Limit
	}
	return j.store.View(ctx, func(r store.Reader) error {
		now := nestor.Millis(time.Now())
		for i := range items {
			if items[i].State != nestor.JobReady || items[i].RunAt > now {
				continue
			}
			who := limit{Of: store.OfUser, ID: strings.TrimPrefix(items[i].Change.Path.Tenant(), "users/")}
			if most[who] == 0 {
				account, err := accountOf(r, items[i].Change.Path)
				if err != nil {
					return err
				}
				who = limit{Of: store.OfAccount, ID: account}
			}
			if most[who] > 0 {
				who.Limit = most[who]
				items[i].WaitsFor = &who
			}
		}
		return nil
	})
}

// accountOf is the account of the chat that a document is or lies in, "" for none.
func accountOf(r store.Reader, p nestor.Path) (string, error) {
	at := store.ChatOf(p)
	if at == "" {
		return "", nil
	}
	chat, err := store.Find[nestor.Chat](r, at)
	if err != nil || chat == nil {
		return "", err
	}
	return chat.AccountID, nil
}
