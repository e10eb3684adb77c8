// Package analyst orders a person's tasks: it has the tools that look at tasks, and
// the loop in which a model uses them until it has a plan.
//
// A session is a document, and its trace one below it. Every change of a session that
// has not ended causes a job, and each job does one half of a step:
//
//	begin   queued → running
//	think   asks the model and commits what it decided as session.doing, with the
//	        other calls of the reply as session.next
//	act     runs the tool and commits the step, what the tool writes and the
//	        end of session.doing, or its next call, in one transaction
//
// So a crash never asks the model again for a decision that was committed, and never
// leaves a step without its effect. A job commits only if the session still is where
// the job found it: what a cancelled or deleted session's job brings is dropped, and
// paid for.
//
// The model ends the loop with submit_plan, or with the plan as JSON. Package plan
// verifies it. What cannot be repaired goes back to the model as a failed step. After
// [record.MaxSteps] steps the server plans by itself, from the stored dependencies.
package analyst
