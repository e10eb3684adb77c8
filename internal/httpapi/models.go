package httpapi

import (
	"errors"
	"net/http"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/connection"
)

func (s *server) listModels(r *http.Request) (response, error) {
	if err := callerOf(r).needOwner(); err != nil {
		return response{}, err
	}
	list, err := s.Models.List(r.Context(), localUser)
	return response{body: map[string]any{"items": list}}, err
}

func (s *server) putModel(r *http.Request) (response, error) {
	if err := callerOf(r).needOwner(); err != nil {
		return response{}, err
	}
	version, err := ifMatch(r)
	if err != nil {
		return response{}, err
	}
	var req struct {
		connection.Connection
		// Secret is taken and never given back. Left out, the one that is
		// stored stays; "" removes it.
		Secret *string `json:"secret"`
	}
	if err := read(r, &req); err != nil {
		return response{}, err
	}
	req.ID = r.PathValue("id")
	saved, err := s.Models.Save(r.Context(), localUser, req.Connection, req.Secret, version)
	res := response{body: saved}
	if saved.Version == 1 {
		res.status = http.StatusCreated
	}
	return res, err
}

func (s *server) deleteModel(r *http.Request) (response, error) {
	if err := callerOf(r).needOwner(); err != nil {
		return response{}, err
	}
	version, err := ifMatch(r)
	if err != nil {
		return response{}, err
	}
	return response{}, s.Models.Delete(r.Context(), localUser, r.PathValue("id"), version)
}

// tested is the outcome of a test. That a model does not answer is an outcome,
// too: only a test that could not be made is an error of the request.
type tested struct {
	OK     bool               `json:"ok"`
	Report *connection.Report `json:"report,omitempty"`
	Error  *errorText         `json:"error,omitempty"`
}

func (s *server) testModel(r *http.Request) (response, error) {
	if err := callerOf(r).needOwner(); err != nil {
		return response{}, err
	}
	report, err := s.Models.Test(r.Context(), localUser, r.PathValue("id"))
	var e *nestor.Error
	switch {
	case err == nil:
		return response{body: tested{OK: true, Report: &report}}, nil
	case !errors.As(err, &e) || e.Code == nestor.CodeInternal || e.Code == nestor.CodeNotFound:
		return response{}, err
	}
	return response{body: tested{Error: &errorText{Code: e.Code, Message: e.Message, Details: e.Details}}}, nil
}
