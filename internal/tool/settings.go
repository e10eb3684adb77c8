package tool

import (
	"encoding/json"
	"time"

	"github.com/nestorhq/nestor"
)

// Settings are what configuration may say about a tool, wherever the tool
// comes from. A field that is absent leaves the tool as it is.
type Settings struct {
	Effect        Effect   `json:"effect,omitempty"`
	Timeout       Duration `json:"timeout,omitempty"`
	OutputLimit   int      `json:"outputLimit,omitempty"`
	NeedsApproval *bool    `json:"needsApproval,omitempty"`
}

// Check reports the first setting that makes no sense.
func (s Settings) Check() error {
	switch {
	case s.Effect != "" && !s.Effect.Valid():
		return nestor.Errorf(nestor.CodeInvalid, "effect %q is not pure, idempotent or once", s.Effect)
	case s.Timeout < 0:
		return nestor.Errorf(nestor.CodeInvalid, "timeout %q is negative", time.Duration(s.Timeout))
	case s.OutputLimit < 0:
		return nestor.Errorf(nestor.CodeInvalid, "outputLimit %d is negative", s.OutputLimit)
	}
	return nil
}

// Apply overwrites in spec what s sets.
func (s Settings) Apply(spec *Spec) {
	if s.Effect != "" {
		spec.Effect = s.Effect
	}
	if s.Timeout != 0 {
		spec.Timeout = time.Duration(s.Timeout)
	}
	if s.OutputLimit != 0 {
		spec.OutputLimit = s.OutputLimit
	}
	if s.NeedsApproval != nil {
		spec.NeedsApproval = *s.NeedsApproval
	}
}

// With returns t under other settings, which must pass their check.
func (t *Tool) With(s Settings) *Tool {
	c := *t
	s.Apply(&c.Spec)
	return &c
}

// Duration is a time.Duration that configuration writes as "1m30s".
type Duration time.Duration

// UnmarshalJSON reads a string such as "10s".
func (d *Duration) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return nestor.Errorf(nestor.CodeInvalid, "a duration is a string such as \"10s\", not %s", data)
	}
	parsed, err := time.ParseDuration(text)
	if err != nil {
		return nestor.Errorf(nestor.CodeInvalid, "%q is not a duration such as \"10s\"", text)
	}
	*d = Duration(parsed)
	return nil
}
