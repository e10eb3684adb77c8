package xmlcall

const defaultMaxCallBytes = 1 << 20

// Options of [Wrap] and [NewParser].
type Options struct {
	// Beside is for models that also call tools in the provider's way: they are
	// offered and called there, and calls in the text count as well.
	Beside bool
	// MaxCalls ends a reply after that many calls: what the model says after
	// the last complete one is dropped. Defaults to no limit.
	MaxCalls int
	// MaxCallBytes bounds one call. A larger one is text, and an error for the
	// model. Defaults to 1 MiB.
	MaxCallBytes int
	// NewPrefix is asked once per reply, by Wrap, for the prefix of its call
	// ids, which are PREFIX_0, PREFIX_1 and so on. It must return a new value
	// each time, or one derived from what makes the reply unique. Defaults to
	// random prefixes.
	NewPrefix func() string
}
