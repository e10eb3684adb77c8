// Package billing knows for whom agents work, whose budgets bound a model call,
// and who is charged for it.
//
// A call is bounded by its chat, its task and the tasks above, the account and the
// project of the chat, and the user who pays: of those who asked, the one who spoke
// last. What a call may need is reserved before it (package ask), and what it took is
// settled with its effects. A job that is given up gives its reservation back; see
// [Billing.GivingBack].
package billing
