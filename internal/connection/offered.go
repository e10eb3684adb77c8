package connection

import (
	"context"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/llm"
)

// OfferedModel is a model as its provider lists it.
type OfferedModel = llm.ModelInfo

// Offered lists the models that the provider of a connection offers. Its error
// says in plain words what to do.
func (s *Connections) Offered(ctx context.Context, userID, id string) ([]OfferedModel, error) {
	e, err := s.load(ctx, userID, id)
	if err != nil {
		return nil, err
	}
	client, seen := recording(s.client(e))
	m, err := s.provider(userID, e, client)
	if err != nil {
		return nil, err
	}
	catalog, ok := m.(llm.Catalog)
	if !ok {
		return []OfferedModel{{ID: m.Name()}}, nil
	}
	timed, cancel := context.WithTimeoutCause(ctx, s.opts.TestTimeout,
		nestor.Errorf(nestor.CodeTimeout, "a list of models may take %s", s.opts.TestTimeout))
	defer cancel()
	list, err := catalog.Models(timed)
	if err != nil {
		return nil, s.explain(e, seen.status, err)
	}
	if list == nil {
		list = []OfferedModel{}
	}
	return list, nil
}
