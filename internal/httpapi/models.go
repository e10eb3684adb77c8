package httpapi

import (
	"errors"
	"net/http"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/connection"
	"github.com/nestorhq/nestor/internal/httpapi/web"
	"github.com/nestorhq/nestor/internal/store"
)

// Everybody has model connections of their own, and all have the environment's.

func (s *server) listModels(r *http.Request) (response, error) {
	user, err := access.Named(callerOf(r).UserID)
	if err != nil {
		return response{}, err
	}
	list, err := s.Models.List(r.Context(), user.ID())
	if err != nil {
		return response{}, err
	}
	items := []connection.Connection{}
	err = s.view(r, func(tx store.Reader) error {
		items = items[:0]
		if _, err := tx.Query(store.Query{Collection: user.Collection("model-connections"), Limit: 1}); err != nil {
			return err
		}
		for _, c := range list {
			if c.ReadOnly { // the environment's, which is no document
				if !callerOf(r).Bounded() {
					items = append(items, c)
				}
				continue
			}
			if d, err := store.FindDocument(tx, user.Path().Child("model-connections", c.ID)); err != nil {
				return err
			} else if d != nil {
				items = append(items, c)
			}
		}
		return nil
	})
	return response{body: map[string]any{"items": items}}, err
}

type modelConnection struct {
	connection.Connection
	// Secret is taken and never given back. Left out, the one that is stored
	// stays; "" removes it.
	Secret *string `json:"secret,omitempty"`
	// Headers are sent with every request, taken and never given back. Left out,
	// those that are stored stay; {} removes them.
	Headers map[string]string `json:"headers,omitempty"`
}

func (s *server) putModel(r *http.Request) (response, error) {
	user, err := s.modelUser(r)
	if err != nil {
		return response{}, err
	}
	version, err := ifMatch(r)
	if err != nil {
		return response{}, err
	}
	var req modelConnection
	if err := web.Read(r, &req); err != nil {
		return response{}, err
	}
	req.ID = r.PathValue("id")
	saved, err := s.Models.Save(r.Context(), user, req.Connection, connection.Secrets{Secret: req.Secret, Headers: req.Headers}, version)
	res := response{body: saved}
	if saved.Version == 1 {
		res.status = http.StatusCreated
	}
	return res, err
}

func (s *server) deleteModel(r *http.Request) (response, error) {
	user, err := s.modelUser(r)
	if err != nil {
		return response{}, err
	}
	version, err := ifMatch(r)
	if err != nil {
		return response{}, err
	}
	return response{}, s.Models.Delete(r.Context(), user, r.PathValue("id"), version)
}

// modelUser is the caller, if the model connection in the URL is theirs to
// change and to use.
func (s *server) modelUser(r *http.Request) (string, error) {
	user, err := access.Named(callerOf(r).UserID)
	if err != nil {
		return "", err
	}
	return user.ID(), s.checkAct(r, user.Path().Child("model-connections", r.PathValue("id")))
}

// offeredModels lists the models that the provider of a connection offers.
func (s *server) offeredModels(r *http.Request) (response, error) {
	user, err := s.modelUser(r)
	if err != nil {
		return response{}, err
	}
	list, err := s.Models.Offered(r.Context(), user, r.PathValue("id"))
	return response{body: map[string]any{"items": list}}, err
}

// tested is the outcome of a test. That a model does not answer is an outcome,
// too: only a test that could not be made is an error of the request.
type tested struct {
	OK     bool               `json:"ok"`
	Report *connection.Report `json:"report,omitempty"`
	Error  *web.ErrorText     `json:"error,omitempty"`
}

func (s *server) testModel(r *http.Request) (response, error) {
	user, err := s.modelUser(r)
	if err != nil {
		return response{}, err
	}
	report, err := s.Models.Test(r.Context(), user, r.PathValue("id"))
	var e *nestor.Error
	switch {
	case err == nil:
		return response{body: tested{OK: true, Report: &report}}, nil
	case !errors.As(err, &e) || e.Code == nestor.CodeInternal || e.Code == nestor.CodeNotFound || e.Code == nestor.CodeOverBudget:
		return response{}, err
	}
	return response{body: tested{Error: &web.ErrorText{Code: e.Code, Message: e.Message, Details: e.Details}}}, nil
}
