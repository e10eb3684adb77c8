package store

// Options are what both engines are opened with. The zero value is usable.
type Options struct {
	Rules
	Retention Retention
	// Committed, if set, is called right after a commit became durable, before
	// anything in this process learns of it. Crash tests stop the process here.
	Committed func()
}
