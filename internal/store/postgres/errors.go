package postgres

import (
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// codeLeaseLost is raised by finish_job and relay_job.
const codeLeaseLost = "NE001"

// classify gives an error its code, that of the driver by SQLSTATE.
func classify(err error) error { return store.Classify(err, classifyDriver) }

func classifyDriver(err error) error {
	var e *pgconn.PgError
	switch {
	case errors.As(err, &e):
		return classifyState(e)
	case errors.Is(err, puddle.ErrClosedPool):
		return nestor.Hide(nestor.CodeUnavailable, "the database is closed", err)
	case disconnected(err):
		return nestor.Hide(nestor.CodeUnavailable, "the database is not reachable", err)
	}
	return err
}

func classifyState(e *pgconn.PgError) error {
	switch e.Code {
	case "23505": // unique_violation
		if primaryKeyTaken(e) {
			return nestor.Errorf(nestor.CodeExists, "the document exists already")
		}
		return nestor.Hide(nestor.CodeExists, "another document has that value, which must be unique", e)
	case "23503": // foreign_key_violation
		return nestor.Errorf(nestor.CodeNotFound, "the document it would lie below does not exist")
	case "23514", "23502": // check_violation, not_null_violation
		return nestor.Hide(nestor.CodeInvalid, "the document breaks a constraint of its collection", e)
	case codeLeaseLost:
		return nestor.Errorf(nestor.CodeLeaseLost, "%s", e.Message)
	case "28P01", "28000": // invalid_password, invalid_authorization_specification
		return nestor.Hide(nestor.CodeUnauthenticated, "the database refuses the user or password", e)
	case "53100": // disk_full
		return nestor.Hide(nestor.CodeUnavailable, "the disk of the database is full", e)
	case "3D000": // invalid_catalog_name
		return nestor.Hide(nestor.CodeNotFound, "the database does not exist", e)
	}
	if transientState(e.Code) {
		return nestor.Hide(nestor.CodeUnavailable, "the database is not available now", e)
	}
	return e
}

// primaryKeyTaken reports whether a document exists already.
func primaryKeyTaken(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == "23505" && strings.HasSuffix(e.ConstraintName, "_pkey")
}

// conflict reports whether the transaction lost against another one: nothing
// of it was written and running it again can succeed.
func conflict(err error) bool {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		switch e.Code {
		case "40001", "40P01": // serialization_failure, deadlock_detected
			return true
		case "23502": // not_null_violation
			return e.TableName == "changes" // see tx.log
		}
		return false
	}
	return errors.Is(err, store.ErrRetry)
}

// transientState reports states that pass by themselves: connections cut by a
// restart or a fail-over, a server that starts, stops or became read-only.
func transientState(code string) bool {
	switch code {
	case "57P01", "57P02", "57P03", "25006", "25P03", "53300":
		// admin_shutdown, crash_shutdown, cannot_connect_now, read_only_sql_transaction,
		// idle_in_transaction_session_timeout, too_many_connections
		return true
	}
	return strings.HasPrefix(code, "08")
}

// refused reports whether the server itself says that nothing was written.
func refused(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && !transientState(e.Code)
}

// disconnected reports whether the connection broke or could not be had.
func disconnected(err error) bool {
	if err == nil {
		return false
	}
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return transientState(e.Code)
	}
	var connect *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &connect) || errors.As(err, &network) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) || pgconn.SafeToRetry(err) ||
		strings.HasSuffix(err.Error(), "conn closed")
}
