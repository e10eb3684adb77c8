package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/server"
)

// tickets is where tickets are, and chats where the desk's chats are: both belong to
// the one who runs the server.
const (
	tickets = "users/local/tickets"
	chats   = "users/local/orch-chats"
)

// ticket is what a customer wrote, and what became of it.
type ticket struct {
	nestor.Meta
	Text   string `json:"text"`
	Answer string `json:"answer,omitempty"`
}

// desk is what customers see.
type desk struct{ nestor *client.Client }

func (d desk) write(w http.ResponseWriter, r *http.Request) {
	var t ticket
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 10_000)).Decode(&t); err != nil || t.Text == "" {
		http.Error(w, "a ticket has a text", http.StatusBadRequest)
		return
	}
	id := nestor.NewID()
	_, err := d.nestor.Batch(r.Context(), "",
		client.Operation{Op: client.Create, Path: nestor.Path(chats + "/" + id), Body: nestor.Chat{Title: "Open: " + title(t.Text)}},
		client.Operation{Op: client.Create, Path: nestor.Path(tickets + "/" + id), Body: ticket{Text: t.Text}})
	if err != nil {
		http.Error(w, "try again later", http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(map[string]string{"id": id}) // a customer who left asks again
}

func (d desk) read(w http.ResponseWriter, r *http.Request) {
	t, err := client.Read[ticket](r.Context(), d.nestor, nestor.Path(tickets+"/"+r.PathValue("id")))
	switch {
	case errors.Is(err, nestor.ErrNotFound), errors.Is(err, nestor.ErrInvalid):
		http.Error(w, "there is no such ticket", http.StatusNotFound)
	case err != nil:
		http.Error(w, "try again later", http.StatusServiceUnavailable)
	default:
		_ = json.NewEncoder(w).Encode(t) // as above
	}
}

// openCase has an agent work on a new ticket, in the chat of the ticket, where
// people can watch and steer it. What it writes is written once, however often the
// process dies: together with the end of the job.
func openCase(_ context.Context, job *server.Job) (server.Effect, error) {
	return func(tx server.Tx) error {
		d, err := tx.Get(job.Change.Path)
		if err != nil {
			return err
		}
		t, err := nestor.As[ticket](d)
		if err != nil {
			return err
		}
		_, err = tx.Create(nestor.Path(chats+"/"+t.ID).Child("tasks", t.ID), nestor.Task{
			Type: nestor.TaskAgent, Name: "agent:support", Instruction: t.Text, Status: nestor.TaskPending,
		})
		return err
	}, nil
}

// answerTicket tells the customer what came of it, and those at the desk that they
// were told.
func answerTicket(_ context.Context, job *server.Job) (server.Effect, error) {
	return func(tx server.Tx) error {
		d, err := tx.Get(job.Change.Path)
		if err != nil {
			return err
		}
		task, err := nestor.As[nestor.Task](d)
		if err != nil {
			return err
		}
		answer := task.Result
		if task.Status == nestor.TaskFailed {
			answer = "Somebody will call you."
		}
		d, err = tx.Patch(nestor.Path(tickets+"/"+task.ID), map[string]string{"answer": answer}, server.AnyVersion)
		if err != nil {
			return err
		}
		t, err := nestor.As[ticket](d)
		if err != nil {
			return err
		}
		_, err = tx.Patch(job.Change.Path.Parent(), map[string]string{"title": "Answered: " + title(t.Text)}, server.AnyVersion)
		return err
	}, nil
}

// title is the beginning of a text.
func title(text string) string {
	if r := []rune(text); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return text
}
