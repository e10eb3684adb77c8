package replication_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"testing"

	"github.com/nestorhq/nestor/internal/nodetest"
	"github.com/nestorhq/nestor/internal/testmain"
)

// client is the process with RxDB, see testdata/client.mjs. One serves all tests.
type client struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	stderr bytes.Buffer
	tabs   int
}

var startClient = sync.OnceValues(func() (*client, error) {
	c := &client{cmd: exec.Command("node", "testdata/client.mjs")}
	c.cmd.Stderr = &c.stderr
	var err error
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.stdout = bufio.NewReader(stdout)
	started = c
	return c, c.cmd.Start()
})

var started *client

func TestMain(m *testing.M) { testmain.Run(m, endClient) }

func endClient() error {
	if started == nil {
		return nil
	}
	started.stdin.Close()
	if err := started.cmd.Wait(); err != nil {
		return fmt.Errorf("the client ended with %w:\n%s", err, &started.stderr)
	}
	return nil
}

// tab is a browser's tab.
type tab struct {
	*testing.T
	client *client
	number int
}

func newTab(t *testing.T) *tab {
	t.Helper()
	nodetest.Install(t, ".")
	c, err := startClient()
	if err != nil {
		t.Fatal(err)
	}
	c.tabs++
	b := &tab{t, c, c.tabs}
	t.Cleanup(func() { b.do("close", nil) })
	return b
}

// args are those of a command, or the fields of a document.
type args map[string]any

// do carries out a command and decodes its result, if that is wanted.
func (b *tab) do(command string, a args, results ...any) {
	b.Helper()
	line := args{"tab": b.number, "command": command}
	for name, v := range a {
		line[name] = v
	}
	text, err := json.Marshal(line)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := b.client.stdin.Write(append(text, '\n')); err != nil {
		b.Fatalf("%s: %v\n%s", command, err, &b.client.stderr)
	}
	answer, err := b.client.stdout.ReadBytes('\n')
	if err != nil {
		b.Fatalf("%s: the client is gone: %v\n%s", command, err, &b.client.stderr)
	}
	var got struct {
		Result json.RawMessage
		Error  string
	}
	if err := json.Unmarshal(answer, &got); err != nil || got.Error != "" {
		b.Fatalf("%s %v: %v %s", command, a, err, got.Error)
	}
	for _, r := range results {
		if err := json.Unmarshal(got.Result, r); err != nil {
			b.Fatalf("%s: %v in %s", command, err, got.Result)
		}
	}
}

// follows is a scope that a tab opens.
type follows struct {
	Flat   string            `json:"flat"`
	Name   string            `json:"name"`
	Params map[string]string `json:"params"`
}

var (
	chats = follows{"chats", "chats", map[string]string{}}
	tasks = follows{"tasks", "tasks", map[string]string{}}
)

func messages(chat string) follows {
	return follows{"messages", "messages/" + chat, map[string]string{"chatId": chat}}
}

// browse opens a tab of a user that follows scopes.
func (f *fixture) browse(user string, scopes ...follows) *tab {
	f.Helper()
	b := newTab(f.T)
	b.do("open", args{"url": f.url, "user": user, "scopes": scopes})
	return b
}

// until waits until the documents named have the fields given; nil stands for
// no such document.
func (b *tab) until(flat string, docs map[string]args) {
	b.Helper()
	b.do("until", args{"flat": flat, "docs": docs})
}

// docs are the documents that the tab has.
func (b *tab) docs(flat string) (docs []map[string]any) {
	b.Helper()
	b.do("docs", args{"flat": flat}, &docs)
	return docs
}

// stats are what happened since they were last asked for.
type stats struct {
	Pulls, Pulled, Pushes, Conflicts int
	Errors                           []string
}

func (b *tab) stats() (s stats) {
	b.Helper()
	b.do("stats", nil, &s)
	return s
}
