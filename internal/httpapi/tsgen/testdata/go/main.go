// This program talks to a Nestor server through a client that oapi-codegen made
// of the description of the API.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"example.org/client/api"
)

func main() {
	if err := run(context.Background(), os.Getenv("NESTOR_URL"), os.Getenv("NESTOR_TOKEN")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, url, token string) error {
	c, err := api.NewClientWithResponses(url, api.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+token)
		return nil
	}))
	if err != nil {
		return err
	}
	chat, err := c.CreateChatWithResponse(ctx, nil, api.NewChat{Id: new("sums"), Title: new("Sums")})
	if err != nil {
		return err
	}
	fmt.Println("created", chat.StatusCode(), chat.JSON201.Id)
	for range 2 { // the second time with the same key: it is said once
		var content api.NewMessage_Content // a text, or parts
		if err := content.FromNewMessageContent0("Compute 6*7"); err != nil {
			return err
		}
		said, err := c.SayWithResponse(ctx, "sums", &api.SayParams{IdempotencyKey: new("first")}, api.NewMessage{Content: content})
		if err != nil {
			return err
		}
		fmt.Println("said", said.StatusCode())
	}
	list, err := c.ListMessagesWithResponse(ctx, "sums", &api.ListMessagesParams{Limit: new(1), User: new("local")})
	if err != nil {
		return err
	}
	for _, m := range list.JSON200.Items {
		fmt.Println("listed", m.Role, m.Content)
	}
	document, err := c.GetDocumentWithResponse(ctx, "users/local/orch-chats/sums", nil)
	if err != nil {
		return err
	}
	fmt.Println("read", document.StatusCode(), document.JSON200.Id)
	none, err := c.GetChatWithResponse(ctx, "none", nil)
	if err != nil {
		return err
	}
	fmt.Println("failed", none.StatusCode(), none.JSON404.Error.Code)
	return nil
}
