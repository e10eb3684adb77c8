// Package plan makes the plan of a person's tasks from what a model proposes. It
// computes only: no clock, no store, and the same input gives the same plan.
//
// [Verify] turns a [Proposal] into a plan. Nothing in the proposal is believed: see
// there. [Apply] changes a plan as a person asks, by an [Edit], and [Recompute] makes
// the waves again, after tasks are gone or limits have changed. Each returns
// a new plan, and notices: sentences about what was repaired or could not be as wished.
//
// What holds of every plan:
//
//   - ordered_task_ids has each task once: first the done ones, then wave by wave.
//     confidence_scores has exactly these ids.
//   - The waves hold each task that is not done once. They are numbered from 1, and
//     none is empty.
//   - Dependencies of type prerequisite and blocks lead to an earlier wave, unless
//     one of the two tasks is done. Related tasks have no order.
//   - Circles are opened where they are least sure: each dependency that is left out was the one
//     of lowest confidence in a circle. It is in broken_cycles, and counts again when its circle is
//     gone. Of two with the same confidence a stored one is surer, then the one that is listed
//     first. So the caller lists relationships that a person made first, with confidence 1.
//   - With a daily capacity, the efforts of a wave together are at most the capacity. Only
//     a task that is larger by itself has a wave alone. A wave is filled in the order of
//     the plan, until the next task does not fit.
//   - parallel_execution says that a wave has several tasks. None waits for another, so several hands
//     can work on them at once. estimated_duration_hours is how long that takes: the largest
//     effort, or null if no effort is known. Capacity is about the sum, the duration is not.
//   - A pinned task stands in its wave. If it depends on a task of that wave or a later one,
//     or the wave has no room, it comes as soon after as it can. If there is no
//     work for the waves before, it comes earlier, as no wave is empty. The pin itself stays.
package plan
