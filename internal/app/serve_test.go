package app

import (
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
)

func TestAServerThatStopsDoesNotWaitForThoseWhoAskedNothing(t *testing.T) {
	var unused unasked
	silent, browser := net.Pipe()
	busy, asker := net.Pipe()
	defer busy.Close()
	unused.follow(silent, http.StateNew)
	unused.follow(busy, http.StateNew)
	unused.follow(busy, http.StateActive)
	unused.close()
	if _, err := browser.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("the connection that was not used is open: %v", err)
	}
	go busy.Write([]byte("."))
	if _, err := asker.Read(make([]byte, 1)); err != nil {
		t.Errorf("the one in use is closed: %v", err)
	}
}
