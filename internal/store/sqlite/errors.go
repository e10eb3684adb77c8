package sqlite

import (
	"errors"

	"modernc.org/sqlite"
	lib "modernc.org/sqlite/lib"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// classify gives an error its code, that of the driver by number.
func classify(err error) error { return store.Classify(err, classifyDriver) }

func classifyDriver(err error) error {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code() {
	case lib.SQLITE_CONSTRAINT_PRIMARYKEY:
		return nestor.Errorf(nestor.CodeExists, "the document exists already")
	case lib.SQLITE_CONSTRAINT_UNIQUE:
		return nestor.Hide(nestor.CodeExists, "another document has that value, which must be unique", err)
	case lib.SQLITE_CONSTRAINT_FOREIGNKEY:
		return nestor.Errorf(nestor.CodeNotFound, "the document it would lie below does not exist")
	case lib.SQLITE_CONSTRAINT_CHECK, lib.SQLITE_CONSTRAINT_NOTNULL:
		return nestor.Hide(nestor.CodeInvalid, "the document breaks a constraint of its collection", err)
	}
	switch e.Code() & 0xff {
	case lib.SQLITE_BUSY, lib.SQLITE_LOCKED:
		return nestor.Hide(nestor.CodeUnavailable, "the database is busy", err)
	case lib.SQLITE_FULL:
		return nestor.Hide(nestor.CodeUnavailable, "the disk is full", err)
	case lib.SQLITE_IOERR: // a quota or a limit that is used up, too
		return nestor.Hide(nestor.CodeUnavailable, "the database file cannot be read or written", err)
	case lib.SQLITE_NOTADB, lib.SQLITE_CORRUPT:
		return nestor.Hide(nestor.CodeInternal, "the database file is damaged or not a database", err)
	case lib.SQLITE_CANTOPEN, lib.SQLITE_READONLY:
		return nestor.Hide(nestor.CodeInvalid, "the database file cannot be opened for writing", err)
	}
	return err
}
