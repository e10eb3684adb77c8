package access

import (
	"slices"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Reach is what work stays within that the caller causes; see [nestor.Run.Reach]. The work
// of a person in a session is bounded by their rights alone.
func (c Caller) Reach() []nestor.Reach {
	switch c.Kind {
	case WithKey:
		r := nestor.Reach{Key: apiKeyPath(c.UserID, c.ID), Patterns: patterns(c.Scopes)}
		if !c.Ends.IsZero() {
			r.Until = nestor.Millis(c.Ends)
		}
		return []nestor.Reach{r}
	case AsWebhook:
		// A token is good for an hour and the work of a stage may take longer, so the
		// hour bounds what the receiver may ask for, not what comes of it.
		p := nestor.Glob(c.Grant.Path)
		return nestor.Narrowed(c.Grant.Reach, []nestor.Reach{{Patterns: []nestor.Glob{p + "/**"}}})
	}
	return nil
}

// Work is something that the runtime does for people.
type Work struct {
	// Run is what it is part of, "" for nothing.
	Run nestor.Path
	// Chat is where it is done, "" for outside of chats.
	Chat nestor.Path
	// Askers are those for whom it is done.
	Askers nestor.Askers
}

// Authority is by what right work acts now: it may do what each of the callers may.
type Authority struct {
	Callers []Caller
	// Chat is where people are told what comes of the work, "" for nowhere but to its
	// user.
	Chat nestor.Path
	// within bounds what each of the callers may do.
	within []nestor.Reach
}

// OnBehalf judges by what right work acts now: by that of all who asked for it and of who
// began its run, within the reach of the keys and tokens that had a part in the run. Nobody's
// rights as an administrator count. It fails with [nestor.CodeForbidden] if one of the people is
// locked out, a key was revoked or has expired, or the run is gone.
func OnBehalf(r store.Reader, w Work, now time.Time) (Authority, error) {
	a := Authority{Chat: w.Chat}
	askers := w.Askers
	if w.Run != "" {
		run, err := store.Find[nestor.Run](r, w.Run)
		switch {
		case err != nil:
			return Authority{}, err
		case run == nil:
			return Authority{}, refused("the record of the run is gone that says by what right this is done")
		}
		if run.By != "" {
			askers = askers.Joined(run.By)
		}
		if run.ChatID != "" {
			a.Chat = nestor.Path(w.Run.Tenant()).Child("orch-chats", run.ChatID)
		}
		a.within = run.Reach
		if err := inForce(r, a.within, now); err != nil {
			return Authority{}, err
		}
	}
	for _, id := range askers {
		u, err := store.Find[User](r, userPath(id))
		if err != nil {
			return Authority{}, err
		}
		if u != nil && u.Disabled {
			return Authority{}, refused("this is done for %s, who is locked out", id)
		}
		a.Callers = append(a.Callers, Caller{UserID: id, Kind: InSession, Within: a.within})
	}
	return a, nil
}

// InReach refuses what a run does to documents that are not within its reach. A run that is
// "" has no bounds.
func InReach(r store.Reader, run nestor.Path, now time.Time, all ...nestor.Path) error {
	a, err := OnBehalf(r, Work{Run: run}, now)
	if err != nil || run == "" {
		return err
	}
	for _, at := range all {
		if !(Caller{Within: a.within}).Reaches(at, ToRead, now) {
			return refused("the key or token with which this was asked for is not for %s", at)
		}
	}
	return nil
}

// inForce reports why work has no rights any more.
func inForce(r store.Reader, within []nestor.Reach, now time.Time) error {
	for _, b := range within {
		if b.Until != 0 && nestor.Millis(now) >= b.Until {
			return refused("the API key with which this was asked for has expired")
		}
		if b.Key == "" {
			continue
		}
		d, err := store.FindDocument(r, b.Key)
		if err != nil {
			return err
		}
		if d == nil {
			return refused("the API key with which this was asked for was revoked")
		}
	}
	return nil
}

// within reports whether a document lies within the reach that the work of a caller is bound to.
func (c Caller) within(p nestor.Path, now time.Time) bool {
	return !slices.ContainsFunc(c.Within, func(b nestor.Reach) bool { return !b.Holds(p, nestor.Millis(now)) })
}

// patterns are the globs among scopes.
func patterns(scopes []string) (globs []nestor.Glob) {
	for _, s := range scopes {
		if level(s) == 0 {
			globs = append(globs, nestor.Glob(s))
		}
	}
	return globs
}

func refused(format string, args ...any) error {
	return nestor.Errorf(nestor.CodeForbidden, format, args...)
}
