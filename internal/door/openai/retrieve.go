package openai

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
	"github.com/nestorhq/nestor/internal/store"
)

// asked is the response that a request names, and where it is told.
func asked(req *httpapi.Request) (is OpenAIResponse, b begun, err error) {
	if is, err = readResponse(req, req.PathValue("id"), "response_id"); err != nil {
		return is, b, err
	}
	b = begun{chat: chatAt(req.UserID(), is.ChatID), place: is.Place, id: is.ID, at: is.CreatedAt / 1000}
	req.Tells(b.chat)
	_, err = req.Get(b.chat) // who may not read the chat may not read what was said there
	return is, b, err
}

func (d *Door) getResponse(req *httpapi.Request, w http.ResponseWriter) error {
	is, b, err := asked(req)
	if err != nil {
		return err
	}
	t := newTold(&is, 0)
	if req.URL.Query().Get("stream") == "true" {
		after, err := startingAfter(req)
		if err != nil {
			return err
		}
		var open opened
		if open.ctx, open.out, open.done, err = req.OpenStream(w); err != nil {
			return err
		}
		defer open.done()
		d.streamResponse(open, &b, t, after)
		return nil
	}
	if _, err := d.now(req.Context(), &b, t); err != nil {
		return err
	}
	write(w, http.StatusOK, t.response)
	return nil
}

// now tells a response as it stands. The answer is nil while the run goes on.
func (d *Door) now(ctx context.Context, b *begun, t *told) (*answer, error) {
	for _, stand := range b.place.stands() {
		if b.place.over() {
			break // it was over when somebody went on
		}
		result, err := d.runs().Result(ctx, runAt(b.chat.UserID(), stand.Run), 0)
		if err != nil || result.Run.Status == nestor.RunRunning {
			return nil, err
		}
	}
	late := errors.New("somebody set it going again meanwhile")
	ctx, stop := context.WithTimeoutCause(ctx, nowTime, late)
	defer stop()
	a := newAnswer(b.chat, t)
	a.patient = t.response.Background
	o, err := d.follow(ctx, b.chat, b.place, a)
	if errors.Is(err, late) {
		return nil, nil
	}
	if err == nil {
		err = t.complete(o, a)
	}
	return a, err
}

// nowTime bounds how long it takes to tell what is written.
const nowTime = 10 * time.Second

// cancelTime is how long the answer to a cancel waits until the run has ended.
const cancelTime = 5 * time.Second

func (d *Door) cancelResponse(req *httpapi.Request, w http.ResponseWriter) error {
	is, b, err := asked(req)
	if err != nil {
		return err
	}
	if err := req.MayAct(b.chat); err != nil {
		return err
	}
	at := runAt(req.UserID(), is.Place.Run)
	if err := d.runs().Cancel(store.Ending(store.FromOutside(req.Context())), at, req.UserID()); err != nil {
		return err
	}
	if _, err := d.runs().Result(req.Context(), at, cancelTime); err != nil {
		return err
	}
	t := newTold(&is, 0)
	if _, err := d.now(req.Context(), &b, t); err != nil {
		return err
	}
	write(w, http.StatusOK, t.response)
	return nil
}

// deleteResponse forgets a response, and with the last one of a thread its chat.
func (d *Door) deleteResponse(req *httpapi.Request, w http.ResponseWriter) error {
	is, err := readResponse(req, req.PathValue("id"), "response_id")
	if err != nil {
		return err
	}
	last := false
	if err := req.Update(func(tx store.Tx) error {
		if err := tx.Delete(responseAt(req.UserID(), is.ID), store.AnyVersion); err != nil {
			return err
		}
		page, err := tx.Query(store.Query{
			Collection: "users/" + req.UserID() + "/openai-responses", Where: store.Where("chatId", store.Eq, is.ChatID), Limit: 1,
		})
		last = err == nil && len(page.Items) == 0
		if err != nil || !last {
			return err
		}
		err = tx.Delete(chatAt(req.UserID(), is.ChatID), store.AnyVersion)
		if nestor.CodeOf(err) == nestor.CodeNotFound {
			return nil
		}
		return err
	}); err != nil {
		return err
	}
	write(w, http.StatusOK, map[string]any{"id": responsePrefix + strings.TrimPrefix(is.ID, responsePrefix), "object": "response", "deleted": true})
	return nil
}
