// Package view reads a run as a tree of rows: who took part, what each did and when, what
// it used, and what it waited for. Everything is told by the documents that carry the
// run's id; nothing is stored for it.
//
// What holds:
//
//   - The rows of all pages together add up to what the run used, to the token.
//   - A page costs a handful of queries for each 200 agents, however many steps they took.
//   - A reader that shows only some documents yields the rows of these.
//
// A row names the document that tells of it by its path below the user, which is the
// row's id. [Step] reads that document for who looks at the row.
package view
