package access

import (
	"slices"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// places are the addresses from which a user logged in. There the user is not
// kept out by what others do to the account from elsewhere, or to other
// accounts from the same address: see the constants of lockout.
type places struct {
	Known []place `json:"known"` // the latest first
}

type place struct {
	Address string `json:"address"`
	At      int64  `json:"at"` // of the latest login, exact to placeStep
}

const (
	maxPlaces = 32
	placeKept = 90 * 24 * time.Hour
	// placeStep keeps a user who logs in often from writing each time.
	placeStep = time.Hour
)

func (p places) knows(network string, now time.Time) bool {
	return slices.ContainsFunc(p.Known, func(k place) bool {
		return k.Address == network && now.Sub(time.UnixMilli(k.At)) < placeKept
	})
}

// remember notes that a user logged in from an address.
func remember(tx store.Tx, userID, network string, now time.Time) error {
	at := secretPath("places", userID)
	p, err := store.Find[places](tx, at)
	if err != nil {
		return err
	}
	if p == nil {
		p = &places{}
	}
	isThis := func(k place) bool { return k.Address == network }
	if i := slices.IndexFunc(p.Known, isThis); i >= 0 && now.Sub(time.UnixMilli(p.Known[i].At)) < placeStep {
		return nil
	}
	p.Known = append([]place{{network, nestor.Millis(now)}}, slices.DeleteFunc(p.Known, isThis)...)
	p.Known = p.Known[:min(len(p.Known), maxPlaces)]
	_, err = tx.Put(at, p, store.AnyVersion)
	return err
}
