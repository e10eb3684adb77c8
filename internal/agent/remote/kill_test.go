package remote_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/internal/launch"
	"github.com/nestorhq/nestor/internal/proctest"
	"github.com/nestorhq/nestor/internal/servertest"
	"github.com/nestorhq/nestor/server"
)

// serve starts the program and returns a client of it. The process ends with the test.
func serve(t *testing.T, env []string, flags ...string) (*client.Client, *launch.Process) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), proctest.Nestor(t), append([]string{"serve", "--addr", "127.0.0.1:0", "--log-level", "error", "--allow-private"}, flags...)...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "NESTOR_MODEL=demo", "NESTOR_TOKEN=" + servertest.Token}, env...)
	cmd.Stderr = t.Output()
	p := proctest.Run(t, cmd)
	c := client.New(p.URL, servertest.Token)
	c.HTTP = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	return c, p
}

// killed is a server that is killed and started again.
type killed struct {
	*testing.T
	file string
	env  []string
	*client.Client
	process *launch.Process
	chat    string
}

// eachKilled runs fn with a server on every engine whose agents of the role peer work
// elsewhere.
func eachKilled(t *testing.T, fn func(t *testing.T, begin func(roles map[string]server.Role, key string) *killed)) {
	for engine, db := range map[string]func(testing.TB) string{"sqlite": nil, "postgres": servertest.Postgres} {
		t.Run(engine, func(t *testing.T) {
			fn(t, func(roles map[string]server.Role, key string) *killed {
				k := &killed{T: t, file: filepath.Join(t.TempDir(), "agents.json"), env: []string{"NESTOR_DATA=" + t.TempDir(), "PEER_KEY=" + key}}
				if db != nil {
					k.env = append(k.env, "NESTOR_DB="+db(t))
				}
				config, err := json.Marshal(map[string]any{"roles": roles})
				if err == nil {
					err = os.WriteFile(k.file, config, 0o600)
				}
				if err != nil {
					t.Fatal(err)
				}
				k.start()
				chat, err := k.CreateChat(t.Context(), client.NewChat{Title: "t"})
				if err != nil {
					t.Fatal(err)
				}
				k.chat = chat.ID
				if _, err := k.StartTask(t.Context(), chat.ID, "peer", "Compute 6*7"); err != nil {
					t.Fatal(err)
				}
				return k
			})
		})
	}
}

func (k *killed) start() { k.Client, k.process = serve(k.T, k.env, "--agents", k.file) }

// kill ends the server without a warning and starts another one.
func (k *killed) kill() {
	k.Helper()
	k.process.Kill()
	k.start()
}

// ended is the task when it has ended.
func (k *killed) ended() (task nestor.Task) {
	k.Helper()
	for e, err := range k.Events(k.Context(), k.chat, "0") {
		if err != nil {
			k.Fatal(err)
		}
		if c := e.Change; c != nil && c.Collection == "tasks" && c.Decode(&task) == nil && task.Status.Ended() {
			break
		}
	}
	return task
}

// A server is killed while the orchestrator of another one works for it. The next one
// takes up the remote task.
func TestARemoteTaskIsTakenUpAgainAfterACrash(t *testing.T) {
	eachKilled(t, func(t *testing.T, begin func(map[string]server.Role, string) *killed) {
		there := enterThere(t, server.Config{Data: t.TempDir()})
		asked, goOn := there.model.hold()
		k := begin(there.roles("orchestrator"), there.Token)
		<-asked
		k.kill()
		close(goOn)
		if task := k.ended(); task.Status != nestor.TaskSuccess || !strings.Contains(task.Result, "42") {
			t.Errorf("the task is %+v", task)
		}
		there.Settled()
		if runs := there.runs(); len(runs) != 1 || runs[0].Status != nestor.RunSuccess {
			t.Errorf("there ran %+v", runs)
		}
	})
}

// What a remote agent has confirmed is not sent again, so that one that would begin anew
// does not.
func TestWhatWasConfirmedIsNotSentAgainAfterACrash(t *testing.T) {
	eachKilled(t, func(t *testing.T, begin func(map[string]server.Role, string) *killed) {
		working, done := result(state("working", "", "")), result(state("completed", "", artifact))
		far := newPeer(t, &peer{answers: map[string][]string{"message/send": {working}, "tasks/get": {working}}})
		k := begin(far.roles(), key)
		far.until("tasks/get")
		k.process.Kill()
		far.mu.Lock()
		far.answers["tasks/get"] = []string{done}
		far.mu.Unlock()
		k.start()
		if task := k.ended(); task.Status != nestor.TaskSuccess || task.Result != "The answer." {
			t.Errorf("the task is %+v", task)
		}
		if len(far.ids) != 1 {
			t.Errorf("it was sent %d messages: %v", len(far.ids), far.calls)
		}
	})
}
