// Package intake turns what a person gives into tasks: an upload into text, and
// text into tasks with an estimate of their effort. It is pure: it stores nothing,
// asks nobody, and the same input has the same result.
//
//  1. [Text] reads Markdown, plain text, .docx and .pdf. It decides by the content
//     what a file is, bounds how much it reads, and says clearly why it refuses.
//  2. [Tasks] finds tasks by rules, for servers that have no model connected.
//  3. [FromModel] cleans the tasks that a model reports.
//  4. [TaskID] names a task by its text and its document, for both.
//
// The rules are written down for users in docs/prioritisation.md, "Documents in".
package intake
