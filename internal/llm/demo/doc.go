// Package demo is the model that runs when no key is configured. It is a set of
// rules, not an AI, and says so; but it drives every flow of the system, so that
// a newcomer sees all of it work offline: it chats, delegates to agents, calls
// tools in parallel, asks the user and finishes.
//
// # The five parts it plays
//
// It tells its part from the tools it is offered. With submit_plan it orders tasks,
// and with report_dependencies it finds out which depend on which; both are below.
// With create_agent,
// reply_to_agent or reactivate_agent, and without final_answer, it is the
// orchestrator. With any other tools it is an agent, which ends with final_answer and asks with ask_user if
// those are offered, and in plain text otherwise. Without tools it is the
// writer of a title, a summary or a conclusion. Each part is one
// table of rules; the first that applies answers.
//
// # What it reads
//
// Beside the conversation the rules look for these lines, in the system
// instruction and in messages of the user. They are written so that a real
// model understands them, too. Headings may be of any level.
//
//	# State
//	It is Thursday, 19 November 2026, 20:24 UTC.
//	- A1 | researcher | Which is newer | success since 20:21
//	- A2 | general | Book a table | waiting since 20:23 | question: Which city?
//
// are the recent tasks, oldest first: handle, role, title and status; a question or an error
// comes last. The handle of a call of a tool begins with T.
//
//	# Message
//	Berlin, please.
//
// is what the user says, where it follows a state block in the same message. A
// message without headings is that, too.
//
//	# Event: result of “Which is newer”, which the user sees
//	Rust is newer.
//
// tells how an agent ended; one that could not do it "was not done".
//
//	# Event
//	All that was started has ended; …
//
// asks for what follows from these events.
//
//	# Event: question of an agent
//	A2 (“Book a table”) asks: Which city?
//
// asks whether the conversation already answers the question of an agent: it
// calls reply_to_agent if so, and otherwise says ASK.
//
// A title is asked for by the word "title" in the system instruction or in the
// last message, and a summary likewise.
//
// # Ordering tasks
//
// The first message has the outcome and the tasks, here as below:
//
//	# Outcome
//	Launch the shop.
//
//	# Tasks
//	- id | text | effort | title of the document
//
// The planner calls semantic-search, get-document-context, detect-dependencies,
// query-task-graph and cluster-by-similarity, as far as they are offered, each once, but for
// detect-dependencies, which gets 50 tasks at a time. Then it submits the plan: tasks that share
// words with the outcome first, none before what it depends on. The summary says that these are rules.
//
// Dependencies are found by these rules, in the order of their confidence:
//
//   - 0.9: a task says "after", "once", "when", "requires", "needs" or "depends on", or "before",
//     and words that half describe another task.
//   - 0.8: a task begins with "then": it depends on the one above it in its document.
//   - 0.75: items of a numbered list of a document depend on the item above.
//   - 0.7: tasks that begin with verbs of different phases and share a noun: research, plan or design,
//     build or write, test or review, launch or publish, announce.
//
// No id is ever made up: all are those of the list.
package demo
