package sqlite

import (
	"strconv"

	"github.com/nestorhq/nestor/internal/store"
)

// The attempts of a job with one more: that which the argument tells, or that of the node
// which is gone, whose name follows ?1, at ?2.
var (
	keptAttempt        = withAttempt("json(?)")
	interruptedAttempt = withAttempt("json_object('attempt', attempt, 'node', owner, 'endedAt', ?2, 'error', ?1 || owner)")
)

// withAttempt is the value of the column attempts with one more, without the oldest if
// there are as many as are kept.
func withAttempt(one string) string {
	return `json_object('job', id, 'list', json_insert(CASE
		WHEN attempts ->> '$.job' IS NOT id THEN '[]'
		WHEN json_array_length(attempts, '$.list') < ` + strconv.Itoa(store.KeptAttempts) + ` THEN attempts -> '$.list'
		ELSE json_remove(attempts -> '$.list', '$[0]') END, '$[#]', ` + one + `))`
}
