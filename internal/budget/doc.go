// Package budget knows what was used and what may be.
//
// What every user used is added up per day and model at
// users/{userId}/usage/{yyyy-mm-dd}.{share}, with whose calls they were and in which chat; see
// [Book], [Days] and [Reporter].
//
// What may be used is bounded by limits on scopes: an account, a project, a user,
// a chat, a task and the tasks above it. Each limit counts for life, per day or
// per month of UTC. Each scope has one ledger for all of them, at
// users/{userId}/ledgers/{id} or accounts/{accountId}/ledgers/{id}. A call
// reserves what it may need in all of its scopes before it starts, and settles
// what it spent in the transaction of its effects:
//
//	Reserve(call, scopes, estimate)   over budget: the call is not made;
//	                                  put off: others have reserved what it needs
//	   … the model call …
//	Settle(call, scopes, spent)       with the effects
//	Release(call, scopes)             with what is written instead of effects
//
// So however many calls run at once, what they have spent and may still need
// stays within the limits, as far as estimates hold. A call that takes more
// than it reserved is counted as it is, and the next one is refused.
//
// Calls that run at once would wait for the one ledger of their user. So calls
// reserve and settle in a share of it, at …/ledgers/{id}/shares/{nnn}, chosen by the
// call's key. A share is lent a slice of what is left, at most half of it among all
// shares, and needs the ledger again only when its slice is used up:
//
//   - For the ledger all that is lent counts as reserved. A call that fits into its
//     share, or a slice that fits beside all that is lent, keeps within the limit.
//   - Nobody is refused on such a count. Before, the ledger gathers what its shares
//     hold: what they spent is moved to it, what they have free is taken back, and
//     what is left to count is exactly what was spent and what running calls reserved.
//   - What was used is the sum of ledger and shares, read at one moment; see [Stand].
//   - A share belongs to no process. What it holds is there for whoever needs it,
//     whether or not those who used it are alive.
//
// A call that crashes reserves again, under the same id, when it is run again.
// One that is given up is released by its handler's Exhausted. If even that
// does not happen, the reservation lapses after an hour.
//
// Settle, Release and Record make other transactions wait for the same
// documents until theirs ends. Call them last, and in this order.
package budget
