package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/nestorhq/nestor/internal/launch"
)

const token = "a-token-for-the-benchmark"

// server is the built program in a process of its own.
type server struct {
	*launch.Process
	data string
}

// stalled serves a model that takes requests and never answers, and returns its URL.
func stalled() (url string, stop func() error, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	model := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})}
	go func() { _ = model.Serve(listener) }()
	return "http://" + listener.Addr().String(), model.Close, nil
}

func start(ctx context.Context, program, data, model string) (*server, error) {
	if err := os.RemoveAll(data); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program, "serve", "--data", data, "--addr", "127.0.0.1:0", "--log-level", "error")
	cmd.Env = append(os.Environ(), "GOMEMLIMIT=400MiB", "NESTOR_TOKEN="+token, "NESTOR_MODEL=openai:stalled", "OPENAI_BASE_URL="+model+"/v1", "OPENAI_API_KEY=none")
	p, err := launch.Start(cmd)
	if err != nil {
		return nil, err
	}
	return &server{p, data}, nil
}

func (s *server) stop() {
	impatient := time.AfterFunc(2*time.Second, func() { _ = s.Process.Process.Kill() })
	defer impatient.Stop()
	_ = s.Stop()
}

// size is how much the data take on the disk.
func (s *server) size() (n int64) {
	_ = filepath.WalkDir(s.data, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if info, err := e.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil // files come and go
	})
	return n
}

// watcher sends small requests of another user and notes what the server takes.
type watcher struct {
	stop context.CancelFunc
	done sync.WaitGroup
	seen seen
	err  error
}

type seen struct {
	rss, data int64
	took      []time.Duration
}

// at is the latency that a part of the requests did not exceed.
func (s seen) at(part float64) time.Duration {
	if len(s.took) == 0 {
		return 0
	}
	slices.Sort(s.took)
	return s.took[min(len(s.took)-1, int(part*float64(len(s.took))))].Round(time.Millisecond)
}

// pause is how long the other user does nothing between two requests.
const pause = 20 * time.Millisecond

func (s *server) watch(ctx context.Context, other *user) *watcher {
	ctx, stop := context.WithCancel(ctx)
	w := &watcher{stop: stop}
	w.done.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			began := time.Now()
			method, body := "GET", ""
			if i%2 == 0 {
				method, body = "PUT", `{"n":`+strconv.Itoa(i)+`}`
			}
			status, _, err := other.send(context.WithoutCancel(ctx), method, "docs/users/other/notes/n", body)
			if err == nil && status >= 400 && status != http.StatusTooManyRequests {
				err = fmt.Errorf("the other user was answered %d", status)
			}
			w.seen.took = append(w.seen.took, time.Since(began))
			w.err = err
			if i%10 == 0 {
				w.seen.data = max(w.seen.data, s.size())
			}
			select {
			case <-time.After(pause):
			case <-ctx.Done():
			}
		}
		w.seen.data = max(w.seen.data, s.size())
		w.seen.rss, _ = s.Peak() // 0: it has ended
	})
	return w
}

func (w *watcher) end() (seen, error) {
	w.stop()
	w.done.Wait()
	return w.seen, w.err
}
