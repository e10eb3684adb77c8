// Package crashtest holds no code, only tests in which processes die.
//
// A matrix (matrix_test.go) is a piece of work and the points at which whoever does it dies:
// after each commit, before each request to a model, in each handler, each tool and
// each transaction. Another life goes on (life_test.go), and what it leaves in the end must
// be what an uninterrupted one leaves. One life of ten is a process that is killed with
// SIGKILL. The others die in the process of the test, which is much quicker and leaves
// the same (trial_test.go). NESTOR_KILL=all kills processes only.
//
//   - flow_test.go: a flow of jobs.
//   - conversation_test.go: a person with an orchestrator and two agents. Talks
//     (participant_test.go), questions (answered_test.go) and tool tasks (errand_test.go) are
//     smaller ones.
//   - analysis_test.go, documents_test.go, execution_test.go, steered_test.go, measure_test.go,
//     write_document_test.go: what domains do.
//
// The other tests kill or stop processes only. The test binary starts itself again as a child
// (main_test.go), which is killed by itself, at a point, or by the test, while it writes.
//
//   - conversation_nodes_test.go: a conversation held by two nodes on PostgreSQL, one
//     of which is killed, or only stopped.
//   - takeover_test.go: two workers on one PostgreSQL, killed over and over.
//   - writes_test.go: killed in the middle of heavy concurrent writing.
//   - server_test.go: PostgreSQL itself crashes, again and again.
//   - connections_test.go: connections to PostgreSQL are cut.
//   - stopped_test.go: a process that was only stopped, and comes back.
package crashtest
