package budget

import (
	"hash/crc32"

	"github.com/nestorhq/nestor"
)

// Call names a model call to the budgets that bound it.
type Call struct {
	// ID is the call's own. An attempt that is made again has the same.
	ID string
	// Key is the same for calls that follow each other: they use the same share of
	// each ledger. Others use another one, as a rule, and do not wait for them.
	Key string
}

// Of is the call that a job makes.
func Of(job *nestor.Job) Call { return Call{ID: job.ID, Key: job.Key} }

// share is the number of the share that the call uses.
func (c Call) share() int { return shareOf(c.Key, ledgerShares) }

// ledgerShares is how many shares a ledger may have. It has as many as keys use it at
// once: two of a hundred keys seldom share one, and gathering takes no longer than
// what is at work.
const ledgerShares = 128

// shareOf is the share of those with the key.
func shareOf(key string, shares int) int {
	return int(crc32.ChecksumIEEE([]byte(key)) % uint32(shares))
}
