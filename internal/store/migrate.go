package store

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/nestorhq/nestor"
)

// Migration is one numbered step of a schema. Both engines have the same
// numbers.
type Migration struct {
	Version int
	Name    string
	SQL     string
}

// Migrations reads the files NNNN_name.sql of fsys in order.
func Migrations(fsys fs.FS) ([]Migration, error) {
	files, err := fs.Glob(fsys, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	var ms []Migration
	for i, file := range files { // Glob sorts
		base := strings.TrimSuffix(strings.TrimPrefix(file, "migrations/"), ".sql")
		number, name, _ := strings.Cut(base, "_")
		version, err := strconv.Atoi(number)
		if err != nil || version != i+1 {
			return nil, fmt.Errorf("migration %s is out of order", file)
		}
		sql, err := fs.ReadFile(fsys, file)
		if err != nil {
			return nil, err
		}
		ms = append(ms, Migration{Version: version, Name: name, SQL: string(sql)})
	}
	return ms, nil
}

// Pending returns the steps after current. A schema from a newer program is
// refused: writing to it could lose what that program added.
func Pending(ms []Migration, current int) ([]Migration, error) {
	if current > len(ms) {
		return nil, nestor.Errorf(nestor.CodeInvalid,
			"the database has schema version %d and this program knows versions up to %d: use the newer nestor that wrote it",
			current, len(ms))
	}
	return ms[current:], nil
}
