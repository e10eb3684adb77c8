package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	token       = "a-token-of-at-least-thirty-two-characters"
	participant = "model:default"
	// word is what the model says first.
	word = "Quoxalot"
)

// way is one way to ask.
type way struct {
	name string
	// ask returns how long it took until the word was read.
	ask func(url string, n int) (time.Duration, error)
}

var ways = []way{
	{"the API", native},
	{"OpenAI, chat completions", door("/v1/chat/completions", func(int) string {
		return `{"model":"` + participant + `","stream":true,"messages":[{"role":"user","content":"Say it."}]}`
	})},
	{"OpenAI, responses", door("/v1/responses", func(int) string {
		return `{"model":"` + participant + `","stream":true,"input":"Say it."}`
	})},
	{"AG-UI", door("/agui/"+participant, func(n int) string {
		return fmt.Sprintf(`{"threadId":"bench-%d","runId":"r%d","state":{},"messages":[{"id":"agui-%d","role":"user","content":"Say it."}],"tools":[],"context":[],"forwardedProps":{}}`, n, n, n)
	})},
	{"AI SDK", door("/aisdk/"+participant, func(n int) string {
		return fmt.Sprintf(`{"id":"bench-%d","trigger":"submit-message","messages":[{"id":"aisdk-%d","role":"user","parts":[{"type":"text","text":"Say it."}]}]}`, n, n)
	})},
	{"A2A", door("/a2a/"+participant, func(n int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"message/stream","params":{"message":{"kind":"message","role":"user","messageId":"a2a-%d","parts":[{"kind":"text","text":"Say it."}]}}}`, n, n)
	})},
}

// native makes a chat, says something and follows the run.
func native(url string, n int) (time.Duration, error) {
	began := time.Now()
	var chat, message struct {
		ID    string `json:"id"`
		RunID string `json:"runId"`
	}
	if err := call(url+"/api/v1/chats", `{"participant":"`+participant+`"}`, &chat); err != nil {
		return 0, err
	}
	if err := call(url+"/api/v1/chats/"+chat.ID+"/messages", fmt.Sprintf(`{"id":"native-%d","content":"Say it."}`, n), &message); err != nil {
		return 0, err
	}
	res, err := send("GET", url+"/api/v1/runs/"+message.RunID+"/events", "")
	if err != nil {
		return 0, err
	}
	return heard(res, began)
}

// door sends one request whose answer is a stream.
func door(path string, body func(n int) string) func(string, int) (time.Duration, error) {
	return func(url string, n int) (time.Duration, error) {
		began := time.Now()
		res, err := send("POST", url+path, body(n))
		if err != nil {
			return 0, err
		}
		return heard(res, began)
	}
}

// heard reads an answer until the word, and then to its end, so that nothing is under way
// when the next one asks.
func heard(res *http.Response, began time.Time) (took time.Duration, err error) {
	defer res.Body.Close()
	var all []byte
	buffer := make([]byte, 4096)
	for {
		n, err := res.Body.Read(buffer)
		all = append(all, buffer[:n]...)
		if took == 0 && bytes.Contains(all, []byte(word)) {
			took = time.Since(began)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, err
		}
	}
	if took == 0 {
		return 0, fmt.Errorf("%s: the word was not said: %.2000s", res.Status, all)
	}
	return took, nil
}

func send(method, url, body string) (*http.Response, error) {
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream, application/json")
	return http.DefaultClient.Do(r)
}

func call(url, body string, into any) error {
	res, err := send("POST", url, body)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	return json.NewDecoder(res.Body).Decode(into)
}
