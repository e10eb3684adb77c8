package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
)

// Read decodes a JSON request strictly: a misspelt field is an error, and so is
// broken text, which the decoder would replace, and whatever [CheckBody] reports.
func Read(r *http.Request, v any) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	return readFrom(r, body, v)
}

// ReadOptional is [Read] for requests that may have no body.
func ReadOptional(r *http.Request, v any) error {
	body, err := io.ReadAll(r.Body)
	if err != nil || len(body) == 0 {
		return err
	}
	return readFrom(r, body, v)
}

func readFrom(r *http.Request, body []byte, v any) error {
	if err := Decode(body, v); err != nil {
		return err
	}
	return CheckBody(r, body)
}

type checkKey struct{}

// Checking has the body of a request checked when it is read.
func Checking(r *http.Request, check func(body []byte) error) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), checkKey{}, check))
}

// CheckBody reports what the route of a request misses in its body, which is JSON.
func CheckBody(r *http.Request, body []byte) error {
	if check, ok := r.Context().Value(checkKey{}).(func([]byte) error); ok {
		return check(body)
	}
	return nil
}

// Decode is strict as [Read] is.
func Decode(body []byte, v any) error {
	if !utf8.Valid(body) {
		return nestor.Errorf(nestor.CodeInvalid, "the request body is not valid UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode(v); err != nil {
		return Unexpected(err, v)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nestor.Errorf(nestor.CodeInvalid, "the request body has text after the JSON value")
	}
	return nil
}

// Unexpected words what the decoder of v says of a body in terms of JSON. Its detail
// "field" names what is unknown or of another type.
func Unexpected(err error, v any) error {
	if text, field, ok := nestor.Mismatch(err, v, "the request body"); ok {
		wrong := nestor.Errorf(nestor.CodeInvalid, "%s", text)
		if field == "" {
			return wrong
		}
		return wrong.With("field", field)
	}
	if quoted, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		name, _ := strconv.Unquote(quoted)
		return nestor.Errorf(nestor.CodeInvalid, "there is no field %s here", quoted).With("field", name)
	}
	return nestor.Errorf(nestor.CodeInvalid, "the request body is not JSON: %v", err)
}

// Write answers with a value as JSON. The status is 200 unless it is another than
// 0.
func Write(w http.ResponseWriter, status int, body any) {
	WriteText(w, status, Encode(body))
}

// Encode is a value as it is answered with.
func Encode(body any) []byte {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(body) // types of answers can be encoded
	return text.Bytes()
}

// WriteText answers with a value that was encoded.
func WriteText(w http.ResponseWriter, status int, text []byte) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if status != 0 {
		w.WriteHeader(status)
	}
	// A client that went away is all that can fail now.
	if c, ok := w.(*counted); ok {
		_ = c.WriteWhole(text)
		return
	}
	_, _ = w.Write(text)
}
