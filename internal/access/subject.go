package access

import (
	"github.com/nestorhq/nestor"
)

// Subject is the one user that a request or a command is about. Only [Named]
// makes one, of one id, so that no path that is made of it leads to anybody
// else.
type Subject struct{ id string }

// Named is the user with an id.
func Named(id string) (Subject, error) {
	if err := nestor.CheckID(id); err != nil {
		return Subject{}, nestor.Errorf(nestor.CodeInvalid, "a user is named by one id: %w", err).With("field", "user")
	}
	return Subject{id}, nil
}

// ID is the user's.
func (s Subject) ID() string { return s.id }

// Path is that of the user's document.
func (s Subject) Path() nestor.Path { return userPath(s.id) }

// Collection is the path of a collection of the user's.
func (s Subject) Collection(name string) string { return string(s.Path()) + "/" + name }

// Leave decides whether somebody may have the server act on a document, and
// says why not.
//
// Acts on people need it by construction: [Gate]'s methods take an [OnUser], an
// [OnKey] or an [OnSession]. Only the methods of Leave make these, each for the
// very path that was decided on. So nothing can be decided about one document
// and done to another.
type Leave func(nestor.Path) error

// AsOperator is the leave of whoever runs the program on its own machine: the
// commands act for nobody else.
func AsOperator() Leave { return func(nestor.Path) error { return nil } }

// OnUser is leave to act on a user.
type OnUser struct{ user string }

// OnKey is leave to act on an API key of a user.
type OnKey struct{ user, id string }

// OnSession is leave to act on a session of a user.
type OnSession struct{ user, id string }

// OnUser asks for leave to act on a user.
func (ask Leave) OnUser(s Subject) (OnUser, error) {
	if err := ask(userPath(s.id)); err != nil {
		return OnUser{}, err
	}
	return OnUser{s.id}, nil
}

// OnKey asks for leave to act on a key of a user.
func (ask Leave) OnKey(s Subject, id string) (OnKey, error) {
	if err := ask.on(id, apiKeyPath(s.id, id)); err != nil {
		return OnKey{}, err
	}
	return OnKey{s.id, id}, nil
}

// OnSession asks for leave to act on a session of a user.
func (ask Leave) OnSession(s Subject, id string) (OnSession, error) {
	if err := ask.on(id, sessionPath(s.id, id)); err != nil {
		return OnSession{}, err
	}
	return OnSession{s.id, id}, nil
}

func (ask Leave) on(id string, p nestor.Path) error {
	if err := nestor.CheckID(id); err != nil {
		return err
	}
	return ask(p)
}

// OwnSession is leave to end the session that the caller showed, which takes no
// more than having shown it. It is false for a caller without a session.
func (c Caller) OwnSession() (OnSession, bool) {
	return OnSession{c.UserID, c.ID}, c.Kind == InSession
}
