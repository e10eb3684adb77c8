package sqlite

import (
	"context"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// claimPlaces claims ready jobs of tenants, no more than have a place: see [store.Limits].
// There is one writer, so nobody else counts meanwhile.
func (t *tx) claimPlaces(n *node, takes []store.Take, now time.Time) (jobs []nestor.Job, err error) {
	accounts := accountPlaces{tx: t, of: n, shut: map[string]bool{}}
	for _, take := range takes {
		room := take.Jobs // the tenant's limit is in it
		ready, err := t.ready(take.Tenant, now, room, n.limitsAccounts())
		if err != nil {
			return nil, err
		}
		for _, w := range ready {
			place := nestor.Place{}
			if n.Limits.Tenant > 0 {
				place.Tenant = take.Tenant
			}
			open := true
			if n.limitsAccounts() {
				if place.Account, open, err = accounts.find(w.path); err != nil {
					return nil, err
				}
			}
			if !open {
				continue
			}
			err := t.conn.each(claimPlace, []any{n.Node, w.n, place.Tenant, place.Account}, func(r row) error {
				j, err := t.conn.tables.ScanJob(r.Scan)
				j.Place = &place
				jobs = append(jobs, j)
				return err
			})
			if err != nil {
				return nil, err
			}
			if room--; room == 0 {
				break
			}
		}
	}
	return jobs, nil
}

const claimPlace = `UPDATE jobs SET state = 'running', owner = ?1, attempt = attempt + 1, place = ?3, account = ?4 WHERE n = ?2
RETURNING ` + store.JobColumns

// ready lists the jobs of a tenant that are due, the oldest first: as many as there is room
// for, or enough to find some whose accounts have places left.
func (t *tx) ready(of string, now time.Time, room int, accounts bool) (list []waiting, err error) {
	if accounts {
		room = max(room, store.LookedAt)
	}
	err = t.conn.each("SELECT n, path FROM jobs WHERE state = 'ready' AND "+tenant+" = ?1 AND run_at <= ?2 ORDER BY run_at, n LIMIT ?3",
		[]any{of, nestor.Millis(now), room}, func(r row) error {
			var w waiting
			err := r.Scan(&w.n, (*string)(&w.path))
			list = append(list, w)
			return err
		})
	return list, err
}

// accountPlaces finds places of accounts.
type accountPlaces struct {
	*tx
	of   *node
	shut map[string]bool // have none left
}

// find is the account that a job about the document at p counts for, "" if for none. It is
// not open if the account has as many running as may.
func (a accountPlaces) find(p nestor.Path) (account string, open bool, err error) {
	chat := store.ChatOf(p)
	if chat == "" {
		return "", true, nil
	}
	most := a.of.Limits.Account
	err = a.conn.each(`SELECT account_id, coalesce((SELECT body ->> 'jobs' FROM documents WHERE collection = ?3 AND documents.id = account_id), ?4)
		FROM chats WHERE user_id = ?1 AND id = ?2 AND account_id IS NOT NULL`, []any{chat.UserID(), chat.ID(), store.AccountLimits, most}, func(r row) error {
		return r.Scan(&account, &most)
	})
	if err != nil || account == "" || most == 0 {
		return "", true, err
	}
	if !a.shut[account] {
		var running int
		err = a.conn.row("SELECT count(*) FROM jobs WHERE state = 'running' AND account = ?", account).Scan(&running)
		a.shut[account] = running >= most
	}
	return account, !a.shut[account], err
}

// AtLimit implements [store.Queue].
func (s *Store) AtLimit(ctx context.Context) (list []store.AtLimit, err error) {
	n := s.node.Load()
	if n == nil || !n.limited() {
		return nil, nil
	}
	err = s.read(ctx, func(d *direct) error {
		return d.each(atLimit, []any{n.Limits.Tenant, n.Limits.Account, store.AccountLimits}, func(r row) error {
			var l store.AtLimit
			err := r.Scan(&l.Of, &l.ID, &l.Limit)
			list = append(list, l)
			return err
		})
	})
	return list, err
}

const atLimit = `
SELECT '` + store.OfUser + `', place, ?1 FROM jobs WHERE state = 'running' AND place IS NOT NULL
GROUP BY place HAVING place <> '' AND ?1 > 0 AND count(*) >= ?1
UNION ALL
SELECT '` + store.OfAccount + `', account, most FROM (
  SELECT account, count(*) AS running, coalesce((SELECT body ->> 'jobs' FROM documents WHERE collection = ?3 AND id = account), ?2) AS most
  FROM jobs WHERE state = 'running' AND account IS NOT NULL GROUP BY account
) WHERE account <> '' AND most > 0 AND running >= most`
