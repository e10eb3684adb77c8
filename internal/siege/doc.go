// Package siege holds no code, only a fuzzer for the documents of the runtime.
//
// People with every kind of credential write random graphs of chats, tasks,
// agents, calls and messages through every transport, with verbs in between,
// while a scripted model has agents read, write and search with their rights.
// The pointers in what they write are drawn from the ids that are there, so
// circles are common. Whatever is accepted or refused,
//
//   - the server lives, and answers a bystander,
//   - jobs come to rest,
//   - no canary is seen by anybody from whom it is kept, be it in an answer, a
//     stream, a search or a prompt,
//   - nobody is named as having done what they did not do.
//
// The server is a child process (server_test.go), since a stack overflow ends a
// process. A sequence of steps follows from its seed (steps_test.go). One that
// fails is made as short as possible, on new servers, and printed
// (shorter_test.go).
//
//	NESTOR_SIEGE_SEED=7 go test -run TestSiege ./internal/siege   # one sequence again
//	NESTOR_SIEGE=10m go test -timeout 1h -run TestSiege ./internal/siege   # new ones for that long; make fuzz does it
package siege
