// Package intake turns the text that a person gives into tasks with an estimate of
// their effort. It is pure: it stores nothing, asks nobody, and the same input has the
// same result. Package doctext reads uploads.
//
//  1. [Tasks] finds tasks by rules, for servers that have no model connected.
//  2. [FromModel] cleans the tasks that a model reports.
//  3. [TaskID] names a task by its text and its document, for both.
//
// The rules are written down for users in docs/prioritisation.md, "Documents in".
package intake
