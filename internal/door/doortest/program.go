package doortest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nestorhq/nestor/internal/launch"
	"github.com/nestorhq/nestor/internal/nodetest"
	"github.com/nestorhq/nestor/internal/proctest"
)

// Token is that of whoever may do everything with a [Program].
const Token = "a-token-of-at-least-thirty-two-characters"

// Program is the built program, with a model that is told what to say.
type Program struct {
	t       *testing.T
	env     []string
	process *launch.Process
	// Address is where it listens: the same one after a restart.
	Address string
}

// Build starts the built program. The model is at the URL.
func Build(t *testing.T, model string) *Program {
	t.Helper()
	p := &Program{t: t, Address: "127.0.0.1:0", env: []string{
		"PATH=" + os.Getenv("PATH"), "NESTOR_DATA=" + t.TempDir(), "NESTOR_TOKEN=" + Token,
		"NESTOR_MODEL=openai:story", "OPENAI_BASE_URL=" + model + "/v1",
	}}
	p.serve()
	return p
}

// URL is where the program is reached.
func (p *Program) URL() string { return "http://" + p.Address }

// Kill ends the program as kill -9 does, and starts it again.
func (p *Program) Kill() {
	p.t.Helper()
	p.process.Kill()
	p.serve()
}

func (p *Program) serve() {
	p.t.Helper()
	cmd := exec.CommandContext(p.t.Context(), proctest.Nestor(p.t), "serve", "--addr", p.Address, "--log-level", "error")
	cmd.Env, cmd.Stderr = p.env, os.Stderr
	p.process = proctest.Run(p.t, cmd)
	p.Address = p.process.Address()
}

// Story is a model that, when it is first asked for one, says the first half of a story
// and then nothing, until whoever asked is gone. Later it says all of it. Everything else
// it is asked it names.
func Story(t *testing.T, half, rest string) (url string) {
	var asked atomic.Int32
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the program was killed
		}
		w.Header().Set("Content-Type", "text/event-stream")
		say := func(text string) {
			delta, _ := json.Marshal(text)
			fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":{"content":%s}}]}`+"\n\n", delta)
			_ = http.NewResponseController(w).Flush() // the program may be gone
		}
		if strings.Contains(string(body), "Write a title") {
			say("A title")
		} else {
			say(half)
			if asked.Add(1) == 1 {
				<-r.Context().Done()
				return
			}
			say(rest)
		}
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(model.Close)
	return model.URL
}

// KillInTheMiddle runs a script of testdata that prints the line "half" when it was told
// half of the story, and asks again when it reads a line. In between the program is
// killed.
func KillInTheMiddle(t *testing.T, script string, args ...string) {
	t.Helper()
	p := Build(t, Story(t, "Once ", "upon a time."))
	client := nodetest.Script(t, "testdata", []string{"NESTOR_URL=" + p.URL(), "NESTOR_KEY=" + Token}, script, args...)
	in, err := client.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := client.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var failures strings.Builder
	client.Stderr = &failures
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if lines.Text() == "half" {
			p.Kill()
			if _, err := io.WriteString(in, "again\n"); err != nil {
				t.Error(err)
			}
		}
	}
	if err := client.Wait(); err != nil {
		t.Fatalf("%v: %v\n%s", client.Args, err, failures.String())
	}
}
