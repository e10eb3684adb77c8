package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/tool/secret"
)

// hidden are the secrets that a turn has used, which nothing that it leaves may show.
type hidden struct {
	values map[string]string
}

// Reveal returns the values of secrets of the user. They are hidden in all that comes
// of the turn, also where a service sends them back.
func (c *Call) Reveal(ctx context.Context, names []string) (map[string]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	if c.reveal == nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "there are no secrets in this program")
	}
	values, err := c.reveal(ctx, c.UserID, names)
	for name, value := range values {
		c.hidden.values[name] = value
	}
	return values, err
}

// Hide hides the secrets that were revealed in a text. A node does so before it cuts a
// text: half a secret is not found any more.
func (c *Call) Hide(text string) string { return secret.NewMask(c.hidden.values).Hide(text) }

// outputs hides secrets in what came out of a node.
func (h *hidden) outputs(out map[string]json.RawMessage) (map[string]json.RawMessage, error) {
	mask := secret.NewMask(h.values)
	for port, value := range out {
		if !mask.Finds(string(value)) {
			continue
		}
		var v any
		dec := json.NewDecoder(bytes.NewReader(value))
		dec.UseNumber()
		err := dec.Decode(&v)
		if err == nil {
			out[port], err = json.Marshal(hideIn(mask, v))
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func hideIn(mask *secret.Mask, v any) any {
	switch v := v.(type) {
	case string:
		return mask.Hide(v)
	case json.Number:
		if mask.Finds(v.String()) {
			return mask.Hide(v.String())
		}
	case []any:
		for i := range v {
			v[i] = hideIn(mask, v[i])
		}
	case map[string]any:
		made := make(map[string]any, len(v))
		for name, x := range v {
			made[mask.Hide(name)] = hideIn(mask, x)
		}
		return made
	}
	return v
}

// err hides secrets in the reason why a node failed.
func (h *hidden) err(err error) error {
	if err == nil || len(h.values) == 0 || errors.As(err, new(nestor.PutOff)) {
		return err
	}
	mask := secret.NewMask(h.values)
	if i := (Interrupted{}); errors.As(err, &i) {
		return Interrupted{Err: mask.HideError(i.Err)}
	}
	return mask.HideError(err)
}
