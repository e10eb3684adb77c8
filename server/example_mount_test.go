package server_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/server"
)

// A program that serves HTTP already passes on to Nestor what is not its own.
func Example_mount() {
	ctx := context.Background()
	const token = "a-secret-of-at-least-32-characters"
	s, err := server.Start(ctx, server.Config{Token: token, Env: noKeys, Logger: quiet})
	check(err)
	defer s.Close()

	mux := http.NewServeMux()
	mux.HandleFunc("GET /hello", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "Hello from the program.") })
	mux.Handle("/", s.Handler())
	web := httptest.NewServer(mux)
	defer web.Close()

	res, err := http.Get(web.URL + "/hello")
	check(err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	check(err)
	fmt.Println(string(text))

	c := client.New(web.URL, token) // as any program on the network
	chat, err := c.CreateChat(ctx, client.NewChat{Title: "Mounted"})
	check(err)
	fmt.Println(chat.Title)
	_, err = client.New(web.URL, "a guess").CreateChat(ctx, client.NewChat{})
	fmt.Println(err)
	// Output:
	// Hello from the program.
	// Mounted
	// the token is not valid or has expired
}
