package access

import (
	"context"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// SetAdmin makes a user an administrator or an ordinary one, at once on this
// node and within a second on others. There is always an administrator: for the
// last one the error is of [nestor.CodeConflict].
func (g *Gate) SetAdmin(ctx context.Context, on OnUser, admin bool) error {
	return g.stand(ctx, on, admin, func(tx store.Tx, was standing) error {
		if was.Admin == admin {
			return nil
		}
		if _, err := tx.Patch(userPath(on.user), map[string]any{"admin": admin}, store.AnyVersion); err != nil {
			return err
		}
		act := AdminTaken
		if admin {
			act = AdminGiven
		}
		return note(ctx, tx, on.user, act, "")
	})
}

// SetDisabled locks a user out, at once on this node and within a second on
// others, or lets them in again. Sessions end; keys are only suspended. The last
// administrator cannot be locked out, as with [Gate.SetAdmin].
func (g *Gate) SetDisabled(ctx context.Context, on OnUser, disabled bool) error {
	return g.stand(ctx, on, !disabled, func(tx store.Tx, was standing) error {
		if was.Disabled == disabled {
			return nil
		}
		if _, err := tx.Patch(userPath(on.user), map[string]any{"disabled": disabled}, store.AnyVersion); err != nil {
			return err
		}
		if !disabled {
			return note(ctx, tx, on.user, UserEnabled, "")
		}
		if err := endSessions(tx, on.user, 0); err != nil {
			return err
		}
		return note(ctx, tx, on.user, UserDisabled, "")
	})
}

// RemoveUser deletes a user with all that is theirs: every document at or below
// users/{id}, sessions, keys and password. Names and e-mail are free again. also
// runs in the same transaction, before anything is deleted. The last
// administrator cannot be removed.
func (g *Gate) RemoveUser(ctx context.Context, on OnUser, also func(store.Tx) error) error {
	userID := on.user
	err := g.stand(ctx, on, false, func(tx store.Tx, _ standing) error {
		if err := also(tx); err != nil {
			return err
		}
		if err := endSessions(tx, userID, 0); err != nil {
			return err
		}
		keys, err := tx.Query(store.Query{Collection: apiKeyPath(userID, "x").Collection(), Limit: store.MaxLimit})
		if err != nil {
			return err
		}
		for _, d := range keys.Items {
			if err := remove(tx, secretPath("keys", d.Path.ID())); err != nil {
				return err
			}
		}
		u, err := store.Find[User](tx, userPath(userID))
		if err != nil {
			return err
		}
		for _, login := range []string{userID, u.Name, u.Email} {
			if err := release(tx, login, userID); err != nil {
				return err
			}
		}
		for _, p := range []nestor.Path{
			secretPath("passwords", userID), secretPath("failures", userID), secretPath("places", userID), userPath(userID),
		} {
			if err := remove(tx, p); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil { // an entry would go with the user
		g.opts.Logger.InfoContext(ctx, "a user was removed", "user", userID, "by", actorOf(ctx))
	}
	return err
}

// stand changes what a user may do, unless that leaves no administrator.
func (g *Gate) stand(ctx context.Context, on OnUser, stays bool, change func(store.Tx, standing) error) error {
	defer g.records.clear()
	return g.opts.Store.Update(ctx, func(tx store.Tx) error {
		d, err := tx.Get(userPath(on.user))
		if err != nil {
			return err
		}
		u, err := nestor.As[standing](d)
		if err != nil {
			return err
		}
		if u.Admin && !u.Disabled && !stays {
			if err := another(tx, on.user); err != nil {
				return err
			}
		}
		return change(tx, u)
	})
}

// another makes sure that there is an administrator besides a user.
func another(tx store.Tx, userID string) error {
	q := store.Query{Collection: "users", Where: store.Where("admin", store.Eq, true), Limit: store.MaxLimit}
	for {
		page, err := tx.Query(q)
		if err != nil {
			return err
		}
		for _, d := range page.Items {
			if d.Path.ID() == userID {
				continue
			}
			u, err := store.Find[standing](tx, d.Path)
			if err != nil {
				return err
			}
			if u == nil || !u.Admin || u.Disabled {
				continue
			}
			// Written, though unchanged: if two administrators would lose the right at
			// once, one of them keeps it.
			_, err = tx.Patch(d.Path, struct{}{}, store.AnyVersion)
			return err
		}
		if q.Cursor = page.Next; q.Cursor == "" {
			return nestor.Errorf(nestor.CodeConflict, "%s is the only administrator: make somebody else one first", userID)
		}
	}
}
