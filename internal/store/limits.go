package store

import (
	"strings"

	"github.com/nestorhq/nestor"
)

// Limits are how many jobs run at once on all nodes together. They hold exactly: a job
// that runs has a place, in its row, and a claim counts the places under a lock. What a
// transaction queues is claimed with it only if it takes over the place of the job that the
// transaction ends; all else waits for a claim, which is told of it at once.
//
// Where there is no limit nothing is counted, and rows have no place.
type Limits struct {
	// Tenant is how many jobs of one tenant may run. Defaults to no bound.
	Tenant int
	// Account is how many jobs in the chats of one account may run, unless a document of
	// [AccountLimits] says otherwise. Defaults to no bound.
	Account int
}

// AccountLimits is the collection of the limits that accounts have of their own. A
// document has the id of its account. A node learns with its next heartbeat that
// there are any.
const AccountLimits = "account-limits"

// AccountLimit is a document of [AccountLimits].
type AccountLimit struct {
	nestor.Meta
	// Jobs is how many jobs in the chats of the account run at once.
	Jobs int `json:"jobs"`
}

// AtLimit is somebody who has as many jobs running as may.
type AtLimit struct {
	Of    string // "user" or "account"
	ID    string // the tenant, or the id of the account
	Limit int
}

// Who a limit is of.
const (
	OfUser    = "user"
	OfAccount = "account"
)

// NoBound is the room of a tenant without a limit.
const NoBound = 1 << 30

// LookedAt is how many waiting jobs of a tenant a claim looks at for some whose accounts
// have places left.
const LookedAt = 256

// Handover gives the place of a job that a transaction ends to one that it starts.
type Handover struct {
	// Ends is the job that the transaction ends, nil for none.
	Ends *nestor.Job
	// Accounts: accounts have limits.
	Accounts bool

	given bool
}

// To returns the place that a job about the document at p runs in, nil if there is none
// for it. A place without limits is given as often as it is asked for.
func (h *Handover) To(p nestor.Path) *nestor.Place {
	if h.Ends == nil || h.Ends.Place == nil || h.Ends.Change.Path.Tenant() != p.Tenant() {
		return nil
	}
	place := *h.Ends.Place
	switch chat := ChatOf(p); {
	case chat == "" || !h.Accounts:
		place.Account = ""
	case chat != ChatOf(h.Ends.Change.Path):
		return nil
	}
	if place == (nestor.Place{}) {
		return &place
	}
	if h.given {
		return nil
	}
	h.given = true
	return &place
}

// Back takes a place back that was given to a job which does not run.
func (h *Handover) Back(p *nestor.Place) {
	if p != nil && *p != (nestor.Place{}) {
		h.given = false
	}
}

// ToNext reports whether the next job of the key of the one that ends may have its place,
// which the engine then gives it if both are about the same.
func (h *Handover) ToNext() bool {
	if h.Ends == nil || h.Ends.Place == nil {
		return false
	}
	if *h.Ends.Place == (nestor.Place{}) {
		return true
	}
	given := h.given
	h.given = true
	return !given
}

// Frees reports whether the place of the job that ends is left to others.
func (h *Handover) Frees() bool {
	return h.Ends != nil && h.Ends.Place != nil && *h.Ends.Place != (nestor.Place{}) && !h.given
}

// SameScope reports whether two documents lie below the same document of a user, such as a chat:
// then the jobs about both count for the same account.
func SameScope(a, b nestor.Path) bool { return scope(a) == scope(b) }

func scope(p nestor.Path) string {
	rest := string(p)
	for range 4 {
		_, after, more := strings.Cut(rest, "/")
		if !more {
			return string(p)
		}
		rest = after
	}
	return string(p[:len(p)-len(rest)-1])
}

// ChatOf is the chat that a document is or lies in, "" for none.
func ChatOf(p nestor.Path) nestor.Path {
	parts := strings.SplitN(string(p), "/", 5)
	if len(parts) < 4 || parts[0] != "users" || parts[2] != "orch-chats" {
		return ""
	}
	return nestor.Path(strings.Join(parts[:4], "/"))
}
