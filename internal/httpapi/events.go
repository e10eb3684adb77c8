package httpapi

import "net/http"

// streaming counts the stream that a handler answers with, for as long as it
// lasts. A user has so many streams, whatever they are about.
func streaming(h handler) handler {
	return func(s *server, r *http.Request) (response, error) {
		giveBack, err := s.streams.Take(callerOf(r).UserID, 1)
		if err != nil {
			return response{}, err
		}
		res, err := h(s, r)
		if err != nil || res.stream == nil {
			giveBack()
			return res, err
		}
		send := res.stream
		res.stream = func(w http.ResponseWriter, r *http.Request) {
			defer giveBack()
			send(w, r)
		}
		return res, nil
	}
}

// chatEvents streams what happens in a chat and below it.
func (s *server) chatEvents(r *http.Request) (response, error) {
	if err := s.events.Check(r); err != nil {
		return response{}, err
	}
	p, err := chatPath(r)
	if err != nil {
		return response{}, err
	}
	send, err := s.events.InChat(r, p)
	return response{stream: send}, err
}

// documentEvents streams what happens to the documents that the caller follows.
func (s *server) documentEvents(r *http.Request) (response, error) {
	if err := s.events.Check(r); err != nil {
		return response{}, err
	}
	send, err := s.events.OfDocuments(r)
	return response{stream: send}, err
}
