package a2a

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/a2aproject/a2a-go/a2a"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
)

// The codes of JSON-RPC for a request that was refused before it was read.
const (
	serverError    = -32000
	invalidRequest = -32600
	parseError     = -32700
)

// fail tells of a refusal at the door: who is not known, asks too often or sends too
// much.
func fail(w http.ResponseWriter, _ *http.Request, no httpapi.Refused) {
	code := serverError
	if no.Code == nestor.CodeInvalid || no.Code == nestor.CodeTooLarge {
		code = invalidRequest
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(no.Status)
	_ = json.NewEncoder(w).Encode(map[string]any{
		"jsonrpc": "2.0", "id": nil,
		"error": map[string]any{"code": code, "message": no.Message, "data": map[string]any{"code": no.Code}},
	})
}

// refusal is an error that the protocol has a code for and we have none.
type refusal struct {
	text string
	as   error
}

func (r refusal) Error() string { return r.text }

// Unwrap gives the error of the protocol.
func (r refusal) Unwrap() error { return r.as }

// inProtocol are the errors of the protocol by our codes. What is not here is the
// server's.
var inProtocol = map[nestor.Code]error{
	nestor.CodeInvalid: a2a.ErrInvalidParams, nestor.CodeConflict: a2a.ErrInvalidParams, nestor.CodeTooLarge: a2a.ErrInvalidParams,
	nestor.CodeNotFound: a2a.ErrTaskNotFound,
}

// told is an error as the SDK sends it: with a code of the protocol and, in its data, the
// text that a client may be told. What is unforeseen is logged and not shown.
func (d *Door) told(err error) error {
	if no := (refusal{}); err == nil || errors.As(err, &no) {
		return err
	}
	text, ok := nestor.PublicText(err)
	if errors.Is(err, context.Canceled) {
		return a2a.ErrInternalError // nobody is there to be told
	}
	if !ok {
		d.log.Error("a request of an A2A client failed", "error", err)
		return a2a.ErrInternalError
	}
	as := inProtocol[nestor.CodeOf(err)]
	if as == nil {
		as = a2a.ErrServerError
	}
	return fmt.Errorf("%s: %w", text, as)
}
