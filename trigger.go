package nestor

import (
	"encoding/json"
	"time"
)

// Trigger says which changes lead to which work. Triggers are read from
// triggers.json; see docs/triggers.md for the format with examples.
type Trigger struct {
	ID string `json:"id"`
	// Collection is a [Glob] over collection paths.
	Collection Glob `json:"collection"`
	// Events to listen to. Defaults to create and update.
	Events []ChangeType `json:"events,omitempty"`
	// Condition is a CEL expression over event. Defaults to true. On an update
	// it fires when it becomes true, not while it stays true, unless it looks
	// at event.before itself or at nothing that an update can change.
	Condition string `json:"condition,omitempty"`
	// Action is "POST /webhook/NAME" for the built-in handler NAME, or an
	// absolute http(s) URL, optionally after "POST ", for a signed webhook.
	Action string `json:"action"`
	// Key orders the jobs: at most one job of a key runs at a time, in the order of
	// their changes. {trigger}, {path}, {parent}, {chat}, {agent} and {seq} are
	// filled in. Defaults to "{trigger}:{path}".
	Key string `json:"key,omitempty"`
	// Coalesce drops a job when one of the same trigger and key is still
	// waiting to start: that one will see this change too.
	Coalesce bool `json:"coalesce,omitempty"`
	// Headers are sent with a webhook. ${NAME} is taken from the environment.
	Headers map[string]string `json:"headers,omitempty"`
	// Retry says how often a failed attempt is repeated. Without one, webhooks
	// are repeated over hours.
	Retry RetryPolicy `json:"retryPolicy,omitzero"`
	// Timeout bounds one attempt. Defaults to 30s for a webhook and 10m for a
	// built-in handler.
	Timeout Duration `json:"timeout,omitempty"`
	// Secret signs a webhook (Standard Webhooks, whsec_…). ${NAME} is taken
	// from the environment.
	Secret string `json:"secret,omitempty"`
	// IncludeBefore sends the document as it was before along with a webhook.
	IncludeBefore bool `json:"includeBefore,omitempty"`
	// Enabled switches the trigger off when false. Defaults to true.
	Enabled *bool `json:"enabled,omitempty"`
}

// RetryPolicy says how often and how patiently to try again.
type RetryPolicy struct {
	// MaxAttempts, the first included. Defaults to 3.
	MaxAttempts int `json:"maxAttempts,omitempty"`
	// InitialBackoff doubles with every attempt. Defaults to 1s.
	InitialBackoff Duration `json:"initialBackoff,omitempty"`
	// MaxBackoff caps it. Defaults to 10s.
	MaxBackoff Duration `json:"maxBackoff,omitempty"`
}

// WithDefaults fills what is not set.
func (p RetryPolicy) WithDefaults() RetryPolicy {
	if p.MaxAttempts == 0 {
		p.MaxAttempts = 3
	}
	if p.InitialBackoff == 0 {
		p.InitialBackoff = Duration(time.Second)
	}
	if p.MaxBackoff == 0 {
		p.MaxBackoff = Duration(10 * time.Second)
	}
	return p
}

// Duration is a time.Duration that is written "1.5s" in JSON.
type Duration time.Duration

// MarshalJSON writes the duration as text.
func (d Duration) MarshalJSON() ([]byte, error) {
	return json.Marshal(time.Duration(d).String())
}

// UnmarshalJSON reads text such as "250ms" or "1m30s".
func (d *Duration) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return Errorf(CodeInvalid, "a duration is text such as %q", "1.5s")
	}
	v, err := time.ParseDuration(s)
	if err != nil || v < 0 {
		return Errorf(CodeInvalid, "%q is not a duration such as %q", s, "1.5s")
	}
	*d = Duration(v)
	return nil
}
