// Package crashtest holds no code, only tests that really kill processes.
//
// The test binary starts itself again as a child (main_test.go), which opens a
// database, works on it and is killed with SIGKILL: by itself, at a failpoint,
// or by the test, while it writes. What a later process finds in the database
// must be what an uninterrupted run would have left.
//
//   - matrix_test.go: a flow of jobs (flow_test.go), killed after every commit
//     and in every handler, on both engines.
//   - conversation_matrix_test.go: a conversation of a person with an
//     orchestrator and two agents (conversation_test.go), killed after every
//     commit, before every model call and in every tool, on both engines.
//   - analysis_test.go: a session that orders tasks, killed after every commit, before
//     every model call and in every step, on both engines.
//   - conversation_nodes_test.go: the same held by two nodes on PostgreSQL, one
//     of which is killed, or only stopped.
//   - takeover_test.go: two workers on one PostgreSQL, killed over and over.
//   - writes_test.go: killed in the middle of heavy concurrent writing.
//   - server_test.go: PostgreSQL itself crashes, again and again.
//   - connections_test.go: connections to PostgreSQL are cut.
//   - stopped_test.go: a process that was only stopped, and comes back.
package crashtest
