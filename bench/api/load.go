package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// load sends the same request from several clients for one round and returns
// how many were answered per second.
func (s *server) load(p plan, method, path, body string) (float64, error) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: p.clients}}
	defer client.CloseIdleConnections()
	var group errgroup.Group
	var answered atomic.Int64
	begin := time.Now()
	for range p.clients {
		group.Go(func() error {
			for time.Since(begin) < p.duration/rounds {
				req, err := http.NewRequest(method, "http://"+s.address+path, strings.NewReader(body))
				if err != nil {
					return err
				}
				req.Header.Set("Authorization", "Bearer "+token)
				req.Header.Set("Accept-Encoding", "identity")
				res, err := client.Do(req)
				if err != nil {
					return err
				}
				_, err = io.Copy(io.Discard, res.Body)
				res.Body.Close()
				if err != nil || res.StatusCode >= 300 {
					return fmt.Errorf("%s: %s, %w", path, res.Status, err)
				}
				answered.Add(1)
			}
			return nil
		})
	}
	err := group.Wait()
	return float64(answered.Load()) / time.Since(begin).Seconds(), err
}

// delivery is how long changes took to arrive, and the CPU time of each arrival.
type delivery struct{ p50, p99, cpu time.Duration }

// deliver has all subscribers of a stream receive every change.
func (s *server) deliver(p plan, path string) (delivery, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	latencies := make([][]time.Duration, p.subscribers)
	live := make(chan struct{}, p.subscribers)
	group, ctx := errgroup.WithContext(ctx)
	for i := range p.subscribers {
		group.Go(func() (err error) {
			latencies[i], err = s.subscribe(ctx, path, p.changes, live)
			return err
		})
	}
	for range p.subscribers {
		select {
		case <-live:
		case <-ctx.Done():
			return delivery{}, firstOf(group.Wait(), ctx.Err())
		}
	}
	before := cpu()
	group.Go(func() error { return s.write(ctx, p.changes) })
	if err := group.Wait(); err != nil {
		return delivery{}, err
	}
	used := cpu() - before
	all := slices.Concat(latencies...)
	slices.Sort(all)
	return delivery{all[len(all)/2], all[len(all)*99/100], used / time.Duration(len(all))}, nil
}

// write changes the busy chat at a steady pace. The title is the time.
func (s *server) write(ctx context.Context, changes int) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for range changes {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		err := s.store.Update(ctx, func(tx store.Tx) error {
			_, err := tx.Patch(chats+"busy", nestor.Chat{Title: strconv.FormatInt(time.Now().UnixNano(), 10)}, store.AnyVersion)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// subscribe follows the busy chat until it has seen all changes.
func (s *server) subscribe(ctx context.Context, path string, changes int, live chan<- struct{}) ([]time.Duration, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", s.address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", path, s.address, token)
	lines := bufio.NewReader(conn)
	var took []time.Duration
	for told := false; len(took) < changes; {
		line, err := lines.ReadString('\n')
		if err != nil {
			return nil, err
		}
		if !told && strings.HasPrefix(line, "id: ") { // where it stands: it has caught up
			told = true
			live <- struct{}{}
		}
		if _, rest, ok := strings.Cut(line, `"title":"`); ok {
			title, _, _ := strings.Cut(rest, `"`)
			at, err := strconv.ParseInt(title, 10, 64)
			if err != nil {
				return nil, err
			}
			took = append(took, time.Since(time.Unix(0, at)))
		}
	}
	return took, nil
}

// cpu is the time that this process used so far.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
