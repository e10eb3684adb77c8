package remote

import "time"

// FollowFor has one attempt at a step follow a remote task for d. It returns what puts
// that back.
func FollowFor(d time.Duration) (back func()) {
	before := usual.atOnce
	usual.atOnce = d
	return func() { usual.atOnce = before }
}

// MayHave reports whether an endpoint may have the headers that a card was fetched with.
func MayHave(card, endpoint string) bool {
	return (&peer{endpoint: endpoint, headers: map[string]string{"Authorization": "x"}}).check(card) == nil
}
