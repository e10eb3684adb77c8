package client_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/internal/app"
)

// Creates a chat, says something, streams the answer, and watches the agent
// that does the work.
func Example() {
	url, stop := serve() // in your program: the address of a running server
	defer stop()
	ctx := context.Background()
	c := client.New(url, "a-secret-token")

	chat, err := c.CreateChat(ctx, client.NewChat{Title: "Sums"})
	if err != nil {
		log.Fatal(err)
	}
	said, err := c.Say(ctx, chat.ID, "Compute 6*7")
	if err != nil {
		log.Fatal(err)
	}
	for event, err := range c.Events(ctx, chat.ID, client.After(said.Seq)) {
		if err != nil {
			log.Fatal(err)
		}
		if event.Delta != nil {
			continue // a piece of a message that is being written: show it at once
		}
		switch event.Change.Collection {
		case "sub_agent_tool_calls":
			var call nestor.ToolCall
			if err := event.Change.Decode(&call); err != nil {
				log.Fatal(err)
			}
			if call.ToolName == "calculator" && call.Status == nestor.ToolCallSuccess {
				fmt.Printf("The agent calls %s%s: %s\n", call.ToolName, call.Args, call.Result)
			}
		case "messages":
			var m nestor.Message
			if err := event.Change.Decode(&m); err != nil {
				log.Fatal(err)
			}
			if m.Role == nestor.RoleAssistant {
				fmt.Println(m.Content)
			}
			if m.TaskID != "" { // the report on the agent's task is the last word
				return
			}
		}
	}
	// Output:
	// I am giving this to a general agent.
	// The agent calls calculator{"expression":"6*7"}: 42
	// The agent is done:
	//
	// **Compute 6*7**
	//
	// - `6*7` = **42**
}

// serve runs a server with the demo model, which answers without any AI.
func serve() (url string, stop func()) {
	data, err := os.MkdirTemp("", "nestor-example")
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	listening, done := make(chan string, 1), make(chan error, 1)
	go func() {
		done <- app.Run(ctx, app.Config{
			Data: data, Addr: "127.0.0.1:0", Token: "a-secret-token", Env: func(string) string { return "" },
			Stdout: io.Discard, Stderr: io.Discard, Listening: func(url string) { listening <- url },
		})
	}()
	stop = func() {
		cancel()
		if err := <-done; err != nil {
			log.Print(err)
		}
		os.RemoveAll(data)
	}
	return <-listening, stop
}
