// Command supportdesk is a small program with Nestor inside: customers write
// tickets, an agent looks up orders and pays back, and a person approves each
// payment. It is a module of its own, so it uses nothing that others cannot.
//
//	DESK_TOKEN=$(openssl rand -hex 24) go run . --addr 127.0.0.1:8080
//	curl localhost:8080/tickets -d '{"text": "Where is my order A7?"}'
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/server"
	"github.com/nestorhq/nestor/tool"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8080", "where to listen")
	data := flag.String("data", "./desk-data", "folder of the database and of the ledger")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *addr, *data, os.Getenv("DESK_TOKEN")); err != nil {
		log.Fatal(err)
	}
}

// run serves customers and Nestor until ctx ends.
func run(ctx context.Context, addr, data, token string) error {
	books := &shop{ledger: filepath.Join(data, "ledger.txt")}
	s, err := server.Start(context.WithoutCancel(ctx), server.Config{
		Data: data, Token: token,
		Roles: map[string]server.Role{"support": {
			Description:  "answers customers and pays them back",
			Instructions: "You answer one ticket of a customer. Look up the order that it is about. Pay back only what was paid.",
			Tools:        []string{"find_order", "refund"},
		}},
		Tools: []*tool.Tool{books.findOrder(), books.refund()},
		Triggers: []nestor.Trigger{
			{ID: "on-ticket", Collection: tickets, Events: []nestor.ChangeType{nestor.Create}, Action: "POST /webhook/open-case"},
			{
				ID: "on-case-ended", Collection: "users/*/orch-chats/*/tasks",
				Condition: "event.document.data.name == 'agent:support' && event.document.data.status in ['success', 'failed']",
				Action:    "POST /webhook/answer-ticket",
			},
		},
		Handlers: map[string]server.Handler{"open-case": openCase, "answer-ticket": answerTicket},
	})
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	d := desk{s.Client()}
	mux.HandleFunc("POST /tickets", d.write)
	mux.HandleFunc("GET /tickets/{id}", d.read)
	mux.Handle("/", s.Handler()) // the API and the web UI
	return errors.Join(serve(ctx, addr, mux), s.Close())
}

func serve(ctx context.Context, addr string, h http.Handler) error {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Printf("The desk is open at http://%s\n", listener.Addr())
	web := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	stopped := make(chan error, 1)
	context.AfterFunc(ctx, func() { stopped <- web.Close() })
	if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-stopped
}
