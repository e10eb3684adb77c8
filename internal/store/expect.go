package store

import (
	"cmp"

	"github.com/nestorhq/nestor"
)

// Expecter is a [Reader] that reads several documents for less than one after the other.
type Expecter interface {
	// Expect reads documents ahead, whose paths are valid. It is no error if one is missing.
	Expect(paths ...nestor.Path) error
}

// QueryExpecter is an [Expecter] that also answers queries ahead.
type QueryExpecter interface {
	// ExpectQueries is Expect for documents and for the first pages of queries.
	ExpectQueries(paths []nestor.Path, queries []Query) error
}

// Expect tells a reader which documents it will be asked for next. That changes nothing
// about them: where the database is far away, they come in one round trip, and a
// transaction for which others wait holds them up once.
func Expect(r Reader, paths ...nestor.Path) error {
	for _, p := range paths {
		if _, err := nestor.ParsePath(string(p)); err != nil {
			return err
		}
	}
	if e, ok := r.(Expecter); ok && len(paths) > 1 {
		return e.Expect(paths...)
	}
	return nil
}

// ExpectQueries is [Expect] for documents and for what [Each] will ask for.
func ExpectQueries(r Reader, paths []nestor.Path, queries ...Query) error {
	e, ok := r.(QueryExpecter)
	if !ok {
		return Expect(r, paths...)
	}
	for _, p := range paths {
		if _, err := nestor.ParsePath(string(p)); err != nil {
			return err
		}
	}
	for i := range queries {
		queries[i].Limit = cmp.Or(queries[i].Limit, MaxLimit)
	}
	return e.ExpectQueries(paths, queries)
}

// Expect implements [Expecter].
func (s *Session) Expect(paths ...nestor.Path) error {
	rows, ok := s.rows.(Expecter)
	if !ok {
		return nil
	}
	var unknown []nestor.Path
	for _, p := range paths {
		if _, ok := s.known[p]; !ok {
			unknown = append(unknown, p)
		}
	}
	if len(unknown) < 2 {
		return nil // it is read when it is asked for
	}
	return rows.Expect(unknown...)
}
