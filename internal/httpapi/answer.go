package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
)

// statuses maps codes to HTTP, once for all routes.
var statuses = map[nestor.Code]int{
	nestor.CodeInvalid:         http.StatusBadRequest,
	nestor.CodeUnauthenticated: http.StatusUnauthorized,
	nestor.CodeForbidden:       http.StatusForbidden,
	nestor.CodeNotFound:        http.StatusNotFound,
	nestor.CodeExists:          http.StatusConflict,
	nestor.CodeConflict:        http.StatusPreconditionFailed,
	nestor.CodeTooLarge:        http.StatusRequestEntityTooLarge,
	nestor.CodeTooOld:          http.StatusGone,
	nestor.CodeLeaseLost:       http.StatusConflict,
	nestor.CodeRateLimited:     http.StatusTooManyRequests,
	nestor.CodeOverBudget:      http.StatusPaymentRequired,
	nestor.CodeTimeout:         http.StatusGatewayTimeout,
	nestor.CodeCancelled:       499,
	nestor.CodeUnavailable:     http.StatusServiceUnavailable,
	nestor.CodeInternal:        http.StatusInternalServerError,
}

type errorBody struct {
	Error errorText `json:"error"`
}

type errorText struct {
	Code    nestor.Code    `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details,omitempty"`
}

// fail answers with an error. What is unforeseen is logged and not shown.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		err = nestor.Errorf(nestor.CodeTooLarge, "the request has more than %d bytes", tooLarge.Limit)
	}
	text := errorText{Code: nestor.CodeInternal, Message: "something went wrong on the server; its log says what"}
	var e *nestor.Error
	if message, ok := nestor.PublicText(err); ok && errors.As(err, &e) {
		text = errorText{Code: e.Code, Message: message, Details: e.Details}
	}
	status := statusOf(text.Code, r)
	if errors.As(err, &preconditionFailed{}) {
		status = http.StatusPreconditionFailed
	}
	s.logRefusal(r, status, err)
	if text.Code == nestor.CodeUnauthenticated {
		w.Header().Set("WWW-Authenticate", `Bearer realm="nestor"`)
	}
	if wait, ok := nestor.WaitOf(err); ok {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	}
	write(w, response{status: status, body: errorBody{text}})
}

// statusOf is the status of a failure. That a precondition failed can only be
// said to who has sent one.
func statusOf(code nestor.Code, r *http.Request) int {
	if code == nestor.CodeConflict && r.Header.Get("If-Match") == "" {
		return http.StatusConflict
	}
	return statuses[code]
}

func write(w http.ResponseWriter, res response) {
	if res.etag != "" {
		w.Header().Set("ETag", `"`+res.etag+`"`)
	}
	for _, c := range res.cookies {
		http.SetCookie(w, c)
	}
	if res.body == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if res.status != 0 {
		w.WriteHeader(res.status)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	// The status is out; a client that went away is all that can fail now.
	_ = enc.Encode(res.body)
}

// read decodes a JSON request strictly: a misspelt field is an error, and so is
// broken text, which the decoder would replace.
func read(r *http.Request, v any) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	return decode(body, v)
}

// readOptional is read for requests that may have no body.
func readOptional(r *http.Request, v any) error {
	body, err := io.ReadAll(r.Body)
	if err != nil || len(body) == 0 {
		return err
	}
	return decode(body, v)
}

func decode(body []byte, v any) error {
	if !utf8.Valid(body) {
		return nestor.Errorf(nestor.CodeInvalid, "the request body is not valid UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode(v); err != nil {
		return unexpected(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nestor.Errorf(nestor.CodeInvalid, "the request body has text after the JSON value")
	}
	return nil
}

// unexpected words what the decoder says of a body in terms of JSON.
func unexpected(err error) error {
	if text, ok := nestor.Mismatch(err, "the request body"); ok {
		return nestor.Errorf(nestor.CodeInvalid, "%s", text)
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return nestor.Errorf(nestor.CodeInvalid, "there is no field %s here", name)
	}
	return nestor.Errorf(nestor.CodeInvalid, "the request body is not JSON: %v", err)
}
