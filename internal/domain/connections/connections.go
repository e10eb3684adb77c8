package connections

import (
	"errors"
	"net/http"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/access"
	"github.com/nestorhq/nestor/internal/connection"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/httpapi/web"
	"github.com/nestorhq/nestor/internal/store"
)

// Connections has the routes of the module as its methods. Everybody has model
// connections of their own, and all share the environment's.
type Connections struct{ models *connection.Connections }

func (c *Connections) listModels(r *httpapi.Request) (any, error) {
	user, err := access.Named(r.UserID())
	if err != nil {
		return nil, err
	}
	list, err := c.models.List(r.Context(), user.ID())
	if err != nil {
		return nil, err
	}
	items := []connection.Connection{}
	err = r.View(func(tx store.Reader) error {
		items = items[:0]
		if _, err := tx.Query(store.Query{Collection: user.Collection("model-connections"), Limit: 1}); err != nil {
			return err
		}
		for _, one := range list {
			if one.ReadOnly { // the environment's, which is no document
				if !r.Caller().Bounded() {
					items = append(items, one)
				}
				continue
			}
			if d, err := store.FindDocument(tx, user.Path().Child("model-connections", one.ID)); err != nil {
				return err
			} else if d != nil {
				items = append(items, one)
			}
		}
		return nil
	})
	return httpapi.List[connection.Connection]{Items: items}, err
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

func (c *Connections) putModel(r *httpapi.Request) (any, error) {
	user, err := modelUser(r)
	if err != nil {
		return nil, err
	}
	version, err := r.IfMatch()
	if err != nil {
		return nil, err
	}
	var req modelConnection
	if err := r.Decode(&req); err != nil {
		return nil, err
	}
	req.ID = r.PathValue("id")
	saved, err := c.models.Save(r.Context(), user, req.Connection, connection.Secrets{Secret: req.Secret, Headers: req.Headers}, version)
	if saved.Version == 1 {
		return httpapi.Answered{Status: http.StatusCreated, Body: saved}, err
	}
	return saved, err
}

func (c *Connections) deleteModel(r *httpapi.Request) (any, error) {
	user, err := modelUser(r)
	if err != nil {
		return nil, err
	}
	version, err := r.IfMatch()
	if err != nil {
		return nil, err
	}
	return nil, c.models.Delete(r.Context(), user, r.PathValue("id"), version)
}

// modelUser is the caller, if the model connection in the URL is theirs to
// change and to use.
func modelUser(r *httpapi.Request) (string, error) {
	user, err := access.Named(r.UserID())
	if err != nil {
		return "", err
	}
	return user.ID(), r.MayAct(user.Path().Child("model-connections", r.PathValue("id")))
}

// offeredModels lists the models that the provider of a connection offers.
func (c *Connections) offeredModels(r *httpapi.Request) (any, error) {
	user, err := modelUser(r)
	if err != nil {
		return nil, err
	}
	list, err := c.models.Offered(r.Context(), user, r.PathValue("id"))
	return httpapi.List[connection.OfferedModel]{Items: list}, err
}

// tested is the outcome of a test. That a model does not answer is an outcome,
// too: only a test that could not be made is an error.
type tested struct {
	OK     bool               `json:"ok"`
	Report *connection.Report `json:"report,omitempty"`
	Error  *web.ErrorText     `json:"error,omitempty"`
}

func (c *Connections) testModel(r *httpapi.Request) (any, error) {
	user, err := modelUser(r)
	if err != nil {
		return nil, err
	}
	report, err := c.models.Test(r.Context(), user, r.PathValue("id"))
	return outcome(report, err)
}

// testUnsavedModel tries a connection before it is saved. What is wrong with the
// request itself is an error, as it would be of saving.
func (c *Connections) testUnsavedModel(r *httpapi.Request) (any, error) {
	user, err := access.Named(r.UserID())
	if err != nil {
		return nil, err
	}
	var req modelConnection
	if err := r.Decode(&req); err != nil {
		return nil, err
	}
	if req.ID, err = httpapi.NewRecordID(req.ID); err != nil {
		return nil, err
	}
	if err := r.MayAct(connection.PathOf(user.ID(), req.ID)); err != nil {
		return nil, err
	}
	if err := c.models.CheckUnsaved(r.Context(), user.ID(), req.Connection, req.secrets()); err != nil {
		return nil, err
	}
	return outcome(c.models.TestUnsaved(r.Context(), user.ID(), req.Connection, req.secrets()))
}

func (c *Connections) makeDefault(r *httpapi.Request) (any, error) {
	user, err := modelUser(r)
	if err != nil {
		return nil, err
	}
	if err := r.MayAct(connection.ChoicePath(user)); err != nil { // it is about all chats, not about this connection alone
		return nil, err
	}
	return c.models.MakeDefault(r.Context(), user, r.PathValue("id"))
}

func outcome(report connection.Report, err error) (any, error) {
	var e *nestor.Error
	switch {
	case err == nil:
		return tested{OK: true, Report: &report}, nil
	case !errors.As(err, &e) || e.Code == nestor.CodeInternal || e.Code == nestor.CodeNotFound || e.Code == nestor.CodeOverBudget:
		return nil, err
	}
	return tested{Error: &web.ErrorText{Code: e.Code, Message: e.Message, Details: e.Details}}, nil
}
