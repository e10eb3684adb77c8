package app

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"time"

	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/internal/terminal"
)

// ChatOptions say how to chat in a terminal.
type ChatOptions struct {
	// URL of a running server. Without one a server of the chat's own runs
	// inside the program for as long as the chat lasts.
	URL string
	// ChatID, Fork, Message, In, Live, Width and Interrupt are those of
	// [terminal.Options].
	ChatID  string
	Fork    string
	Message string
	// Participant and SystemPrompt are those of a new chat.
	Participant, SystemPrompt string
	In                        io.Reader
	Live                      bool
	Width                     int
	Interrupt                 <-chan struct{}
}

// Chat holds a conversation in the terminal.
func Chat(ctx context.Context, cfg Config, o ChatOptions) error {
	cfg = cfg.withDefaults()
	return WithClient(ctx, cfg, o.URL, func(c *client.Client) error {
		return terminal.Run(ctx, terminal.Options{
			Client: c, ChatID: o.ChatID, Fork: o.Fork, Message: o.Message, New: client.NewChat{Participant: o.Participant, SystemPrompt: o.SystemPrompt},
			In: o.In, Out: terminal.Raw(cfg.Stdout), Live: o.Live, Width: o.Width, Interrupt: o.Interrupt,
		})
	})
}

// WithClient calls fn with a client of the server at url. If url is "", the
// server runs inside the program meanwhile.
func WithClient(ctx context.Context, cfg Config, url string, fn func(*client.Client) error) error {
	cfg = cfg.withDefaults()
	token := cfg.Token
	if url == "" {
		if exists, err := hasDatabase(ctx, cfg); err != nil {
			return err
		} else if !exists {
			fmt.Fprintf(cfg.Stderr, "There was no database %s: a new one is made.\n", databasePlace(cfg))
		}
		var stop func() error
		var err error
		if url, token, stop, err = embed(ctx, cfg); err != nil {
			return err
		}
		defer stop()
	}
	return fn(client.New(url, token))
}

// embed runs a server that only this process knows of. Call stop to end it.
func embed(ctx context.Context, cfg Config) (url, token string, stop func() error, err error) {
	ctx, cancel := context.WithCancel(ctx)
	listening, done := make(chan string, 1), make(chan error, 1)
	cfg.Addr, cfg.Token, cfg.Stdout, cfg.Drain = "127.0.0.1:0", rand.Text(), io.Discard, time.Second
	cfg.Listening = func(url string) { listening <- url }
	go func() { done <- Run(ctx, cfg) }()
	stop = func() error { cancel(); return <-done }
	select {
	case url = <-listening:
		return url, cfg.Token, stop, nil
	case err = <-done:
		cancel()
		return "", "", nil, err
	}
}

// Screen is a standard output that is a terminal: what models, tools and other people say
// does nothing to it but show.
func Screen(out io.Writer) io.Writer { return terminal.Screen(out) }

// Plain is a text as a [Screen] shows it.
func Plain(text string) string { return terminal.Plain(text) }
