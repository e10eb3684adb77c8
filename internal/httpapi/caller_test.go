package httpapi

import (
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/store"
)

func TestNobodyReachesSecrets(t *testing.T) {
	callers := map[string]caller{
		"the owner":                          {owner: true},
		"a grant on the secret":              {grant: access.Grant{User: "local", Path: "secrets/local/model-connections/x"}},
		"a grant above the secret":           {grant: access.Grant{User: "local", Path: "secrets/local"}},
		"a grant on the user":                {grant: access.Grant{User: "local", Path: "users/local"}},
		"a grant on nothing, which is empty": {},
	}
	for name, c := range callers {
		for _, p := range []nestor.Path{"secrets/local", "secrets/local/model-connections/x", "secrets/local/model-connections/x/more/y"} {
			if err := c.allow(p); nestor.CodeOf(err) != nestor.CodeNotFound {
				t.Errorf("%s touches %s: %v", name, p, err)
			}
		}
		for _, collection := range []string{"secrets", "secrets/local/model-connections", "secrets/local/model-connections/x/more"} {
			if err := c.allowQuery(store.Query{Collection: collection}); nestor.CodeOf(err) != nestor.CodeForbidden {
				t.Errorf("%s queries %s: %v", name, collection, err)
			}
		}
	}
}

func TestOnlyTheTopLevelCollectionIsSealed(t *testing.T) {
	owner := caller{owner: true}
	for _, p := range []nestor.Path{"users/local/secrets/x", "secretsofmine/x", "users/secrets"} {
		if err := owner.allow(p); err != nil {
			t.Errorf("%s: %v", p, err)
		}
	}
	if err := owner.allowQuery(store.Query{Collection: "users/local/secrets"}); err != nil {
		t.Error(err)
	}
	if err := owner.allowQuery(store.Query{Flat: "chats"}); err != nil {
		t.Error(err)
	}
}

func TestAGrantReachesCollectionsBelowItsPath(t *testing.T) {
	c := caller{grant: access.Grant{User: "u", Path: "users/u/notes/n"}}
	if err := c.allowQuery(store.Query{Collection: "users/u/notes/n/answers"}); err != nil {
		t.Error(err)
	}
	for _, q := range []store.Query{{Collection: "users/u/notes"}, {Collection: "users/u/notes/n2/answers"}, {Flat: "chats"}, {}} {
		if err := c.allowQuery(q); nestor.CodeOf(err) != nestor.CodeForbidden {
			t.Errorf("%+v: %v", q, err)
		}
	}
}
