package nestor_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/nestorhq/nestor"
)

// wantCode fails the test unless err has the code; "" stands for no error.
func wantCode(t testing.TB, err error, want nestor.Code) {
	t.Helper()
	if got := nestor.CodeOf(err); got != want {
		t.Fatalf("the error is %v (code %q), want code %q", err, got, want)
	}
}

func TestErrorsMatchByCode(t *testing.T) {
	missing := nestor.Errorf(nestor.CodeNotFound, "there is no document %s", "users/u1")
	for _, tt := range []struct {
		name   string
		err    error
		target error
		want   bool
	}{
		{"an error matches the sentinel of its code", missing, nestor.ErrNotFound, true},
		{"an error does not match the sentinel of another code", missing, nestor.ErrConflict, false},
		{"an error matches another of the same code, whatever the text", missing, nestor.Errorf(nestor.CodeNotFound, "other"), true},
		{"a wrapped error still matches", fmt.Errorf("while reading: %w", missing), nestor.ErrNotFound, true},
		{"a joined error still matches", errors.Join(io.EOF, missing), nestor.ErrNotFound, true},
		{"the cause matches too", nestor.Errorf(nestor.CodeInternal, "reading: %w", missing), nestor.ErrNotFound, true},
		{"a cause of another kind matches", nestor.Errorf(nestor.CodeUnavailable, "reading: %w", io.EOF), io.EOF, true},
		{"a cause given with %v is text only", nestor.Errorf(nestor.CodeUnavailable, "reading: %v", io.EOF), io.EOF, false},
		{"a plain error with the same text does not match", errors.New(missing.Error()), nestor.ErrNotFound, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := errors.Is(tt.err, tt.target); got != tt.want {
				t.Errorf("errors.Is(%v, %v) is %v", tt.err, tt.target, got)
			}
		})
	}
}

func TestEverySentinelHasItsOwnCode(t *testing.T) {
	all := []*nestor.Error{
		nestor.ErrInvalid, nestor.ErrForbidden, nestor.ErrNotFound, nestor.ErrExists, nestor.ErrConflict, nestor.ErrTooLarge,
		nestor.ErrTooOld, nestor.ErrLeaseLost, nestor.ErrRateLimited, nestor.ErrTimeout, nestor.ErrCancelled, nestor.ErrUnavailable,
	}
	for i, a := range all {
		for j, b := range all {
			if errors.Is(a, b) != (i == j) {
				t.Errorf("errors.Is(%v, %v) is %v", a, b, errors.Is(a, b))
			}
		}
	}
}

func TestCodeOf(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		want nestor.Code
	}{
		{"no error has no code", nil, ""},
		{"an error has the code it was made with", nestor.Errorf(nestor.CodeTooOld, "x"), nestor.CodeTooOld},
		{"a wrapped error keeps its code", fmt.Errorf("y: %w", nestor.Errorf(nestor.CodeTooOld, "x")), nestor.CodeTooOld},
		{"the outermost code counts", nestor.Errorf(nestor.CodeInvalid, "y: %w", nestor.ErrTooOld), nestor.CodeInvalid},
		{"any other error is internal", io.EOF, nestor.CodeInternal},
	} {
		t.Run(tt.name, func(t *testing.T) { wantCode(t, tt.err, tt.want) })
	}
}

func TestTheTextOfAnError(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  *nestor.Error
		want string
	}{
		{"is its message", nestor.Errorf(nestor.CodeConflict, "at version %d", 3), "at version 3"},
		{"includes the cause where the message has it", nestor.Errorf(nestor.CodeTimeout, "reading: %w", io.EOF), "reading: EOF"},
		{"is the code where there is no message", nestor.ErrConflict, "conflict"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.err.Error(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestWithAddsADetailToACopy(t *testing.T) {
	base := nestor.Errorf(nestor.CodeConflict, "at version 3: %w", io.EOF)
	one := base.With("version", 3)
	two := one.With("field", "status")
	if base.Details != nil || len(one.Details) != 1 || len(two.Details) != 2 {
		t.Errorf("details: %v, %v, %v", base.Details, one.Details, two.Details)
	}
	if two.Details["version"] != 3 || two.Details["field"] != "status" {
		t.Errorf("details are %v", two.Details)
	}
	if two.Error() != base.Error() || !errors.Is(two, nestor.ErrConflict) || !errors.Is(two, io.EOF) {
		t.Errorf("the copy became %v with cause %v", two, two.Err)
	}
	if nestor.ErrConflict.With("a", 1); nestor.ErrConflict.Details != nil {
		t.Error("a sentinel was changed")
	}
}

func ExampleErrorf() {
	err := nestor.Errorf(nestor.CodeConflict, "document %s is at version %d", "users/u1/notes/n1", 7)
	err = err.With("version", 7)

	fmt.Println(err)
	fmt.Println(nestor.CodeOf(err), err.Details["version"])
	fmt.Println(errors.Is(err, nestor.ErrConflict), errors.Is(err, nestor.ErrNotFound))
	// Output:
	// document users/u1/notes/n1 is at version 7
	// conflict 7
	// true false
}

func TestErrorfKeepsEveryCause(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	err := nestor.Errorf(nestor.CodeInternal, "%w, then %w", first, second)
	if !errors.Is(err, first) || !errors.Is(err, second) || err.Error() != "first, then second" {
		t.Errorf("got %v", err)
	}
}
