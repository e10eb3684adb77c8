// Package runs is the domain of runs: the record of everything that one message, task,
// execution of a graph or prioritisation set in motion.
//
// A run begins in the transaction that writes what began it ([Begin], which the store
// calls), and what it causes carries its id ([store.Runs]). It is over when no job and no
// open task of it is left. Nobody counts: the transaction that ends the last job of a run
// queues one that looks (check.go). That finds the run waiting, if a task of it waits for
// somebody, or over; then it adds up what the run used (tree.go) and writes how it ended.
// So each run costs a write at its begin and one at its end, and its steps cost nothing.
//
// What holds:
//
//   - Every run ends, or waits for somebody whom it names: after success, failure, cancel
//     and crash alike. A job that dies is a job that ended.
//   - A run that ended says what it used to the token, because that is added up from the
//     messages that carry its id.
//   - Messages that are answered together have a run each. The run whose job answers, or
//     that of the later message if the first answer was given up, does the work, and
//     the others end with it: they say so in joinedTo.
//
// Doors, which are protocols in front of runs, use [Runs.Follow], [Runs.Result] and
// [Runs.Cancel], and [httpapi.Request.Say] to begin one.
package runs
