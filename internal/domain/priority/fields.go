package priority

import (
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
)

// Reasons that programs tell failures by: details.reason.
const (
	reasonInvalid   = "VALIDATION_ERROR"
	reasonNoOutcome = "NO_ACTIVE_OUTCOME"
)

// decode reads the body of a request into v.
func decode(r *httpapi.Request, v any) error {
	err := r.Decode(v)
	var wrong *nestor.Error
	if errors.As(err, &wrong) && wrong.Code == nestor.CodeInvalid {
		return httpapi.Because(reasonInvalid, wrong)
	}
	return err
}

// refuse is the error for a field.
func refuse(field, format string, args ...any) error {
	return httpapi.Because(reasonInvalid, nestor.Errorf(nestor.CodeInvalid, field+" "+format, args...).With("field", field))
}

// checkText trims a text and bounds its characters.
func checkText(field string, text *string, least, most int) error {
	*text = strings.TrimSpace(*text)
	if n := utf8.RuneCountInString(*text); n < least || n > most {
		return refuse(field, "has %d characters; %d to %d are allowed", n, least, most)
	}
	return nil
}

// iso is a time of a document as the API shows it.
func iso(millis int64) string { return time.UnixMilli(millis).UTC().Format("2006-01-02T15:04:05.000Z") }

// as reads documents as a T each.
func as[T any](docs []*nestor.Document) ([]T, error) {
	all := make([]T, len(docs))
	for i, d := range docs {
		var err error
		if all[i], err = nestor.As[T](d); err != nil {
			return nil, err
		}
	}
	return all, nil
}
