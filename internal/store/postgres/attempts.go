package postgres

import (
	"strconv"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// interruptedAttempt is the attempt of a node that is gone, whose name follows $1, at $2.
const interruptedAttempt = "jsonb_build_object('attempt', jobs.attempt, 'node', jobs.owner, 'endedAt', $2::bigint, 'error', $1::text || jobs.owner)"

// withAttempt is the value of the column attempts with one more, without the oldest if
// there are as many as are kept.
func withAttempt(one string) string {
	list := "(jobs.attempts::jsonb -> 'list')"
	return `jsonb_build_object('job', jobs.id, 'list', CASE
		WHEN jobs.attempts::jsonb ->> 'job' IS DISTINCT FROM jobs.id THEN '[]'::jsonb
		WHEN jsonb_array_length(` + list + `) < ` + strconv.Itoa(store.KeptAttempts) + ` THEN ` + list + `
		ELSE ` + list + ` - 0 END || jsonb_build_array(` + one + `))::text`
}

// keepAttempt notes how the attempt at a job that is given up ended, if it is still ours.
func keepAttempt(job *nestor.Job, cause string) step {
	return step{
		text: "UPDATE jobs SET attempts = " + withAttempt("$5::jsonb") + " WHERE key = $1 AND state = 'running' AND id = $2 AND owner = $3 AND attempt = $4",
		args: []any{job.Key, job.ID, job.Owner, job.Attempt, store.Attempt(job, cause)},
	}
}
