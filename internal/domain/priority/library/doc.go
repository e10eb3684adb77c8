// Package library knows the tasks of users and compares them by their vectors.
//
// Vectors are documents below the document that a task was found in, with the id of
// the task. They are made by jobs ([Library.EmbedTasks]) when a document was
// processed, and all anew when another model is connected. What each user's are to be
// made by stands in their [record.VectorSet]; writing that queues the job, in the same
// transaction, so of any number of nodes that notice a change one queues it.
//
// A search never waits for jobs. As long as not all tasks have a vector of the
// connected model, or it cannot be asked for the query's, tasks are compared by their
// words ([vector.Lexical]), which takes no model.
//
// Each process remembers the tasks and vectors of the users who searched last. Before
// each use it reads what was written or deleted since, by whichever node.
package library
