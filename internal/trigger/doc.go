// Package trigger decides which changes lead to which work, and delivers the
// part of that work that other programs do.
//
// [Load] reads triggers.json and reports everything that is wrong with it at
// once. [New] compiles triggers into a [Set], which plans the jobs of a change
// inside the writing transaction. [Webhook] carries out the jobs whose action
// is a URL. The format is described in docs/triggers.md.
//
// Planning looks a change up instead of asking every trigger: by collection in
// an index of globs, by the type of the event, and by the value of the field
// that the condition compares with a text. Only the triggers left after that
// are evaluated, so those that do not match cost next to nothing.
package trigger
