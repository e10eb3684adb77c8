package graphs

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/graphs/record"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/usersecret"
)

// secretValue is the value of a secret, which is taken and never given back.
type secretValue struct {
	Value string `json:"value"`
}

// secretNamed is where the caller's secret stands for those who decide who may do what.
// It is no document.
func secretNamed(r *httpapi.Request, name string) nestor.Path {
	return record.Of(r.UserID()).Child("named-secrets", name)
}

func (g *Graphs) putSecret(r *httpapi.Request) (any, error) {
	name := r.PathValue("name")
	if err := usersecret.CheckName(name); err != nil {
		return nil, err
	}
	if err := r.MayAct(secretNamed(r, name)); err != nil {
		return nil, err
	}
	var said secretValue
	if err := r.Decode(&said); err != nil {
		return nil, err
	}
	return g.secrets.Put(r.Context(), r.UserID(), name, said.Value)
}

func (g *Graphs) listSecrets(r *httpapi.Request) (any, error) {
	// Whoever may list the collection may see the names.
	err := r.View(func(docs store.Reader) error {
		_, err := docs.Query(store.Query{Collection: secretNamed(r, "x").Collection(), Limit: 1})
		return err
	})
	if err != nil {
		return nil, err
	}
	all, err := g.secrets.List(r.Context(), r.UserID())
	return httpapi.List[usersecret.Named]{Items: all}, err
}

func (g *Graphs) deleteSecret(r *httpapi.Request) (any, error) {
	if err := usersecret.CheckName(r.PathValue("name")); err != nil {
		return nil, err
	}
	if err := r.MayAct(secretNamed(r, r.PathValue("name"))); err != nil {
		return nil, err
	}
	return nil, g.secrets.Delete(r.Context(), r.UserID(), r.PathValue("name"))
}
