package server_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/internal/testmain"
	"github.com/nestorhq/nestor/server"
	"github.com/nestorhq/nestor/tool"
)

func TestMain(m *testing.M) { testmain.Run(m) }

func TestStartReturnsWhenTheServerWorks(t *testing.T) {
	s, err := server.Start(t.Context(), server.Config{Addr: "127.0.0.1:0", Env: noKeys, Logger: quiet})
	check(err)
	res, err := http.Get(s.URL() + "/readyz")
	check(err)
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("a server that was started is not ready: %s", res.Status)
	}
	link, err := s.Link(t.Context(), s.URL())
	check(err)
	if !strings.HasPrefix(link, s.URL()+"/?token=") {
		t.Errorf("the link is %s", link)
	}
	http.DefaultClient.CloseIdleConnections()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := net.Dial("tcp", strings.TrimPrefix(s.URL(), "http://")); err == nil {
		t.Error("a server that was closed listens")
	}
}

func TestAServerThatCannotStartSaysWhy(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	defer taken.Close()
	addr := taken.Addr().String()
	ended, end := context.WithCancel(t.Context())
	end()
	for name, test := range map[string]struct {
		ctx  context.Context
		cfg  server.Config
		want string
	}{
		"the address is taken":     {t.Context(), server.Config{Addr: addr}, addr},
		"the database has no form": {t.Context(), server.Config{DB: "mysql://db"}, "postgres://"},
		"the database is away":     {t.Context(), server.Config{DB: "postgres://127.0.0.1:1/none?connect_timeout=1"}, "127.0.0.1"},
		"a role says nothing":      {t.Context(), server.Config{Roles: map[string]server.Role{"cook": {}}}, `"cook"`},
		"a handler does not exist": {t.Context(), server.Config{Triggers: []nestor.Trigger{{ID: "x", Collection: "a", Action: "POST /webhook/nobody"}}}, "nobody"},
		"a tool is named like one of the runtime": {t.Context(), server.Config{Tools: []*tool.Tool{
			tool.New("final_answer", tool.Options{}, func(context.Context, struct{}) (string, error) { return "", nil }),
		}}, "the tool final_answer is there already, from the runtime"},
		"the context ended already": {ended, server.Config{}, context.Canceled.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			test.cfg.Env, test.cfg.Logger = noKeys, quiet
			s, err := server.Start(test.ctx, test.cfg)
			if err == nil {
				s.Close()
				t.Fatal("it started")
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("it says %v, not %s", err, test.want)
			}
		})
	}
}

func TestNobodyWaitsForAServerThatHasStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	entered := make(chan struct{})
	s, err := server.Start(ctx, server.Config{
		Triggers: []nestor.Trigger{{ID: "hold", Collection: "users/*/notes", Action: "POST /webhook/hold"}},
		Handlers: map[string]server.Handler{"hold": func(ctx context.Context, job *server.Job) (server.Effect, error) {
			close(entered)
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}},
		Drain: 1, Env: noKeys, Logger: quiet,
	})
	check(err)
	_, err = s.Client().Batch(ctx, "", client.Operation{Op: client.Create, Path: "users/local/notes/n1", Body: map[string]any{}})
	check(err)
	<-entered
	stop()
	if err := s.Wait(t.Context()); !errors.Is(err, nestor.ErrUnavailable) {
		t.Errorf("waiting ended with %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func TestAHandlerReadsBeforeTheSlowPart(t *testing.T) {
	seen := make(chan string, 1)
	a := start(t, server.Config{
		Triggers: []nestor.Trigger{{ID: "read", Collection: "users/*/notes", Action: "POST /webhook/read"}},
		Handlers: map[string]server.Handler{"read": func(_ context.Context, job *server.Job) (server.Effect, error) {
			return nil, job.View(func(r server.Reader) error {
				d, err := r.Get(job.Change.Path)
				if err == nil {
					seen <- string(d.Data)
				}
				return err
			})
		}},
	})
	a.wants(201, "PUT", "docs/users/local/notes/n1", `{"text":"milk"}`)
	if got := <-seen; got != `{"text":"milk"}` {
		t.Errorf("it read %s", got)
	}
}
