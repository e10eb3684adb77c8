package postgres

import "github.com/jackc/pgx/v5"

// bulk is how many steps of a kind are carried out by one statement: for the server,
// beginning a statement is more work than a row is.
type bulk struct {
	// text takes an array for each argument that a single step has. A row that it
	// returns begins with the number of the step, from 1, that it is about. If there
	// is none, each step of the kind is done by itself.
	text string
	// row reads what was returned for this step, also if it is alone.
	row func(scan) error
}

type scan = func(...any) error

// together puts steps of a kind into one, in the place of the first. The order of
// steps of different kinds must not matter.
func (s steps) together() steps {
	kinds := map[string]steps{}
	for _, one := range s {
		if one.bulk != nil && one.bulk.text != "" {
			kinds[one.bulk.text] = append(kinds[one.bulk.text], one)
		}
	}
	var list steps
	for _, one := range s {
		if one.bulk == nil || one.bulk.text == "" {
			list = append(list, one)
		} else if same := kinds[one.bulk.text]; same != nil {
			list = append(list, same.merged())
			delete(kinds, one.bulk.text)
		}
	}
	return list
}

// merged is one step for several of a kind.
func (s steps) merged() step {
	if len(s) == 1 {
		return s[0]
	}
	args := make([]any, len(s[0].args))
	for i := range args {
		args[i] = s.column(i)
	}
	return step{text: s[0].bulk.text, args: args, then: func(rows pgx.Rows) error {
		if err := rows.Err(); err != nil {
			return err // it has no columns to ask for
		}
		skip := make([]any, len(rows.FieldDescriptions()))
		for rows.Next() {
			var number int64
			if err := rows.Scan(append([]any{&number}, skip[1:]...)...); err != nil {
				return err
			}
			rest := func(into ...any) error { return rows.Scan(append([]any{nil}, into...)...) }
			if err := s[number-1].bulk.row(rest); err != nil {
				return err
			}
		}
		return rows.Err()
	}}
}

// column is an argument of all steps.
func (s steps) column(i int) any {
	switch s[0].args[i].(type) {
	case string:
		return gather[string](s, i)
	case *string:
		return gather[*string](s, i)
	case int64:
		return gather[int64](s, i)
	}
	return gather[any](s, i)
}

func gather[T any](s steps, i int) []T {
	values := make([]T, len(s))
	for k, one := range s {
		values[k] = one.args[i].(T)
	}
	return values
}
