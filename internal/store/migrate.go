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
	// Additive says that programs which do not know the step can work on: it adds
	// tables, indexes, and columns with defaults, and takes nothing away. Its file
	// begins with the line "-- additive".
	Additive bool
}

// Floor is the oldest version that a program must know to work on a database with
// this step, as far as the step is concerned.
func (m Migration) Floor() int {
	if m.Additive {
		return 0
	}
	return m.Version
}

// additive is how the file of an additive step begins.
const additive = "-- additive\n"

// Applied is what a database says of the steps that it has.
type Applied struct {
	Version int
	// Floor is the highest of the steps' floors.
	Floor int
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
		ms.Steps = append(ms.Steps, Migration{Version: version, Name: name, SQL: string(sql), Additive: strings.HasPrefix(string(sql), additive)})
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
	first.Steps = append(first.Steps, upcomingSteps(len(first.Steps))...)
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

// Pending returns the steps that a database lacks. One that has steps of a newer
// program is fit for this one if they are additive; otherwise it is refused, for
// writing to it could lose or break what that program relies on.
func (m Migrations) Pending(have Applied) ([]Migration, error) {
	if err := m.Fits(have); err != nil || have.Version > len(m.Steps) {
		return nil, err
	}
	return m.Steps[have.Version:], nil
}

// Fits reports why this program cannot work on a database.
func (m Migrations) Fits(have Applied) error {
	if have.Floor <= len(m.Steps) {
		return nil
	}
	return nestor.Errorf(nestor.CodeInvalid,
		"the database has version %d of %s, which needs a program that knows version %d, and this one knows versions up to %d: use the newer nestor that wrote it",
		have.Version, m.title(), have.Floor, len(m.Steps))
}

// Newer says that a database has steps that this program does not know and can work
// with, "" if it has none.
func (m Migrations) Newer(have Applied) string {
	if have.Version <= len(m.Steps) {
		return ""
	}
	return fmt.Sprintf("the database has version %d of %s and this program knows versions up to %d; what was added since does not get in its way, "+
		"but start the newer nestor soon", have.Version, m.title(), len(m.Steps))
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
