package openai

import (
	"errors"
	"net/http"
	"strings"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
)

// model is a participant as OpenAI's clients know one.
type model struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
	// Name and Description are not OpenAI's.
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
}

func modelOf(p nestor.Participant) model {
	return model{ID: p.ID, Object: "model", OwnedBy: "nestor", Name: p.Name, Description: p.Description}
}

func (*Door) listModels(req *httpapi.Request, w http.ResponseWriter) error {
	all, err := req.Participants()
	if err != nil {
		return err
	}
	list := make([]model, 0, len(all))
	for _, p := range all {
		list = append(list, modelOf(p))
	}
	write(w, http.StatusOK, map[string]any{"object": "list", "data": list})
	return nil
}

func (*Door) getModel(req *httpapi.Request, w http.ResponseWriter) error {
	all, err := req.Participants()
	if err != nil {
		return err
	}
	for _, p := range all {
		if p.ID == req.PathValue("id") {
			write(w, http.StatusOK, modelOf(p))
			return nil
		}
	}
	return noModel(req.PathValue("id"))
}

// refusal is an error about a chat in the words of a request.
func refusal(err error, id string) error {
	var e *nestor.Error
	if !errors.As(err, &e) || e.Code != nestor.CodeInvalid {
		return err
	}
	switch e.Details["field"] {
	case "participant":
		return noModel(id)
	case "systemPrompt": // it is made of several messages, and of instructions
		return nestor.Errorf(nestor.CodeInvalid, "%s", e.Message)
	case "clientTools":
		return nestor.Errorf(nestor.CodeInvalid, "%s", strings.TrimPrefix(e.Message, "clientTools: ")).With("field", "tools")
	}
	return err
}
