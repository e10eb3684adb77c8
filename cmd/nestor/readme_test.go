package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/nestorhq/nestor/internal/proctest"
)

// block is the first code block of a kind in a text that holds part.
func block(t *testing.T, text, kind, part string) string {
	t.Helper()
	for _, m := range regexp.MustCompile("(?s)```"+kind+"\n(.*?)```").FindAllStringSubmatch(text, -1) {
		if strings.Contains(m[1], part) {
			return m[1]
		}
	}
	t.Fatalf("README.md has no block of %s with %q", kind, part)
	return ""
}

// delivered is a request that a receiver got.
type delivered struct {
	body   []byte
	header http.Header
}

// The webhook of the README works as it stands, but for the port, which has to
// be a free one: its triggers.json, its way to make a secret and its command
// line.
func TestTheWebhookOfTheREADMERuns(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan delivered, 16)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if r.URL.Path != "/hook" {
			t.Errorf("delivered to %s", r.URL)
		}
		got <- delivered{body, r.Header}
	}))
	t.Cleanup(receiver.Close)

	dir := t.TempDir()
	const address = "127.0.0.1:9000"
	triggers := block(t, string(readme), "json", `"triggers"`)
	if strings.Count(triggers, address) != 1 {
		t.Fatalf("the example does not name %s once:\n%s", address, triggers)
	}
	write(t, filepath.Join(dir, "triggers.json"), strings.Replace(triggers, address, receiver.Listener.Addr().String(), 1))
	write(t, filepath.Join(dir, "bin", "nestor"),
		"#!/bin/sh\nprintf %s \"$HOOK_SECRET\" > secret\nexec '"+proctest.Nestor(t)+"' \"$@\"\n")
	url := serve(t, dir, block(t, string(readme), "sh", "HOOK_SECRET"))

	post(t, url+"/api/v1/chats", `{"id": "c1"}`)
	post(t, url+"/api/v1/chats/c1/messages", `{"content": "Compute 6*7, and tell me the time in Tokyo"}`)
	secret, err := os.ReadFile(filepath.Join(dir, "secret"))
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := standardwebhooks.NewWebhook(string(secret))
	if err != nil {
		t.Fatalf("the secret %q: %v", secret, err)
	}
	for range 2 { // one for each task
		var d delivered
		select {
		case d = <-got:
		case <-time.After(time.Minute):
			t.Fatal("no delivery in a minute")
		}
		if err := verifier.Verify(d.body, d.header); err != nil {
			t.Errorf("the signature does not hold: %v", err)
		}
		var body struct {
			TriggerID string
			After     struct{ Status string }
		}
		if err := json.Unmarshal(d.body, &body); err != nil || body.TriggerID != "task-done" || body.After.Status != "success" {
			t.Errorf("got %s, %v", d.body, err)
		}
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

const token = "a-secret-of-your-own"

// serve runs the commands of a script that ends with a server, and returns the
// server's address.
func serve(t *testing.T, dir, script string) string {
	t.Helper()
	cmd := exec.Command("sh", "-e", "-c", script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "NESTOR_ADDR=127.0.0.1:0", "NESTOR_TOKEN="+token, "NESTOR_MODEL=demo")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	drained := make(chan struct{})
	t.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		<-drained
		cmd.Wait()
	})
	found := make(chan string, 1)
	go func() {
		defer close(drained)
		link := regexp.MustCompile(`http://127\.0\.0\.1:\d+`)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if url := link.FindString(lines.Text()); url != "" {
				select {
				case found <- url:
				default:
				}
			}
		}
	}()
	select {
	case url := <-found:
		return url
	case <-drained:
		t.Fatal("the server ended")
	case <-time.After(time.Minute):
		t.Fatal("the server said no address in a minute")
	}
	return ""
}

func post(t *testing.T, url, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if text, _ := io.ReadAll(res.Body); res.StatusCode/100 != 2 {
		t.Fatalf("%s: %s %s", url, res.Status, text)
	}
}
