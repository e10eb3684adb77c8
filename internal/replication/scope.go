package replication

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// scope is what a client follows, under the name that its stream calls it by:
// the flat collection and the ids below the user, such as messages/c1.
type scope struct {
	store.Scope
	name string
}

// maxScopes is how many scopes one stream may have.
const maxScopes = 100

// collection finds the flat collection that a request names.
func (s *server) collection(name string) (*store.Collection, error) {
	if name == store.UserDocuments.Name {
		return store.UserDocuments, nil
	}
	c, ok := s.kinds.Flat(name)
	if !ok || c.Unfollowed {
		return nil, nestor.Errorf(nestor.CodeNotFound, "there is no flat collection %q", name)
	}
	return c, nil
}

// scopeOf reads a scope from a request's parameters: the ids on the path of
// its documents, with the caller for the user, or the path of a collection of
// the user's own.
func (s *server) scopeOf(c *store.Collection, params url.Values, caller Caller) (scope, error) {
	if c == store.UserDocuments {
		return s.ownScope(params.Get("collection"))
	}
	name := c.Name
	keys := make([]string, len(c.Keys))
	for i, k := range c.Keys {
		keys[i] = params.Get(k.Field)
		switch {
		case keys[i] == "" && i == 0:
			keys[i] = caller.UserID()
		case keys[i] == "" && i >= c.ScopeKeys:
			keys[i] = "*"
			continue
		}
		if err := nestor.CheckID(keys[i]); err != nil {
			return scope{}, nestor.Errorf(nestor.CodeInvalid, "%s is the id of a part of %s: %w", k.Field, c.Name, err)
		}
		if i > 0 {
			name += "/" + keys[i]
		}
	}
	found, err := s.kinds.Scope(c.Path(keys, "").Collection())
	return scope{found, name}, err
}

func (s *server) ownScope(path string) (scope, error) {
	found, err := s.kinds.Scope(path)
	switch {
	case err != nil:
		return scope{}, err
	case found.Collection != store.UserDocuments:
		return scope{}, nestor.Errorf(nestor.CodeInvalid, "%s belongs to the flat collection %s: follow that", path, found.Collection.Name)
	case nestor.IsSecret(path):
		return scope{}, nestor.Errorf(nestor.CodeForbidden, "the collection %s is for the server alone", nestor.Secrets)
	}
	return scope{found, store.UserDocuments.Name + "/" + path}, nil
}

// streamScopes are those that a stream is asked for: one by the path of the
// request, or any number by name.
func (s *server) streamScopes(r *http.Request, caller Caller) ([]scope, error) {
	params := r.URL.Query()
	if flat := r.PathValue("flat"); flat != "" {
		c, err := s.collection(flat)
		if err != nil {
			return nil, err
		}
		one, err := s.scopeOf(c, params, caller)
		return []scope{one}, err
	}
	names := params["scope"]
	if len(names) == 0 || len(names) > maxScopes {
		return nil, nestor.Errorf(nestor.CodeInvalid, "a stream has 1 to %d parameters scope, such as messages/CHAT", maxScopes)
	}
	scopes := make([]scope, len(names))
	for i, name := range names {
		var err error
		if scopes[i], err = s.named(name, params.Get("userId"), caller); err != nil {
			return nil, err
		}
	}
	return scopes, nil
}

// named finds a scope by its name.
func (s *server) named(name, userID string, caller Caller) (scope, error) {
	flat, rest, _ := strings.Cut(name, "/")
	c, err := s.collection(flat)
	if err != nil {
		return scope{}, err
	}
	if c == store.UserDocuments {
		return s.ownScope(rest)
	}
	params := url.Values{c.Keys[0].Field: {userID}}
	keys := c.Keys[1:]
	for id := range strings.SplitSeq(rest, "/") {
		if rest == "" {
			break
		}
		if len(keys) == 0 {
			return scope{}, nestor.Errorf(nestor.CodeInvalid, "the scope %q has more ids than %s has above its documents", name, flat)
		}
		params.Set(keys[0].Field, id)
		keys = keys[1:]
	}
	found, err := s.scopeOf(c, params, caller)
	found.name = name // the client's own spelling
	return found, err
}
