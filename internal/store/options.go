package store

import "log/slog"

// Options are what both engines are opened with. The zero value is usable.
type Options struct {
	Rules
	Retention Retention
	// Modules are the schemas of those who add tables to the store's own.
	Modules []Schema
	// Connections is the size of the pool of PostgreSQL. Defaults to pool_max_conns
	// of the URL, or 32.
	Connections int
	// Logger is told of what an operator should know. Defaults to slog.Default().
	Logger *slog.Logger
	// Committed, if set, is called right after a commit became durable, before
	// anything in this process learns of it. Crash tests stop the process here.
	Committed func()
}

// WithDefaults fills what is not set.
func (o Options) WithDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	o.Rules, o.Retention = o.Rules.WithDefaults(), o.Retention.WithDefaults()
	return o
}
