package store

import (
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/nestorhq/nestor"
)

// Migrations are the steps of a part of the schema: of the store itself, or of a
// module that adds tables.
type Migrations struct {
	// Module is whose steps they are, "" for the store's own.
	Module string
	Steps  []Migration
}

// Migration is one numbered step. Both engines have the same numbers.
type Migration struct {
	Version int
	Name    string
	SQL     string
}

// Schema is what a module adds to the schema.
type Schema struct {
	Module string
	// Collections get a table each. A column or an index that the table of an
	// older program lacks is added; nothing else of a table is changed.
	Collections []*Collection
	// Files, if set, has for each engine a folder, sqlite and postgres, with the
	// files NNNN_name.sql, for what cannot be said of a collection.
	Files fs.FS
}

// ReadMigrations reads the files NNNN_name.sql of a folder in order.
func ReadMigrations(module string, fsys fs.FS, folder string) (Migrations, error) {
	files, err := fs.Glob(fsys, folder+"/*.sql")
	if err != nil {
		return Migrations{}, err
	}
	ms := Migrations{Module: module}
	for i, file := range files { // Glob sorts
		number, name, _ := strings.Cut(strings.TrimSuffix(path.Base(file), ".sql"), "_")
		version, err := strconv.Atoi(number)
		if err != nil || version != i+1 {
			return Migrations{}, fmt.Errorf("migration %s is out of order", file)
		}
		sql, err := fs.ReadFile(fsys, file)
		if err != nil {
			return Migrations{}, err
		}
		ms.Steps = append(ms.Steps, Migration{Version: version, Name: name, SQL: string(sql)})
	}
	return ms, nil
}

// AllMigrations are those of the store, which lie in the folder migrations of
// own, and of the modules, each in the folder that is named after the engine.
func AllMigrations(own fs.FS, engine string, modules []Schema) ([]Migrations, error) {
	first, err := ReadMigrations("", own, "migrations")
	if err != nil {
		return nil, err
	}
	all := []Migrations{first}
	for _, m := range modules {
		if m.Files == nil {
			continue
		}
		ms, err := ReadMigrations(m.Module, m.Files, engine)
		if err != nil {
			return nil, fmt.Errorf("module %s: %w", m.Module, err)
		}
		all = append(all, ms)
	}
	return all, nil
}

// Pending returns the steps after current. A schema from a newer program is
// refused: writing to it could lose what that program added.
func (m Migrations) Pending(current int) ([]Migration, error) {
	if current > len(m.Steps) {
		return nil, nestor.Errorf(nestor.CodeInvalid,
			"the database has version %d of %s and this program knows versions up to %d: use the newer nestor that wrote it",
			current, m.title(), len(m.Steps))
	}
	return m.Steps[current:], nil
}

func (m Migrations) title() string {
	if m.Module == "" {
		return "the schema"
	}
	return "the schema of " + m.Module
}

// Failed says which step failed.
func (m Migrations) Failed(step Migration, err error) error {
	return fmt.Errorf("%s, migration %d %s: %w", m.title(), step.Version, step.Name, err)
}
