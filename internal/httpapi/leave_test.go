package httpapi_test

import "github.com/nestorhq/nestor/internal/access"

// The leave of the operator, who always has it.

func named(id string) access.Subject {
	s, err := access.Named(id)
	if err != nil {
		panic(err)
	}
	return s
}

func onUser(id string) access.OnUser {
	on, _ := access.AsOperator().OnUser(named(id))
	return on
}

func onKey(user, id string) access.OnKey {
	on, _ := access.AsOperator().OnKey(named(user), id)
	return on
}

func onSession(user, id string) access.OnSession {
	on, _ := access.AsOperator().OnSession(named(user), id)
	return on
}
