package main

import (
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"
)

// attack is one thing that a hostile user does. Prepare makes what it needs, and is not
// watched.
type attack struct {
	name         string
	prepare, run func(ctx context.Context, u *user) error
}

var attacks = []attack{
	{"a PDF in 100 messages of a batch", chats, batchOfPDFs},
	{"40 images to a stalled model", chats, manyImages},
	{"unread messages?limit=1000", longChat, unread},
	{"3,000 ?wait=1", chats, waits},
	{"DELETE of a chat with 100 forks", forked, deleteForked},
	{"6 executions with 50 CEL nodes", graph, executions},
	{"filling the disk", nil, fill},
}

// many does something n times, some at once, until ctx ends.
func many(ctx context.Context, n, atOnce int, do func(i int) error) error {
	var all sync.WaitGroup
	var mu sync.Mutex
	var failed error
	next := make(chan int)
	for range atOnce {
		all.Go(func() {
			for i := range next {
				if err := do(i); err != nil {
					mu.Lock()
					failed = err
					mu.Unlock()
				}
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		next <- i
	}
	close(next)
	all.Wait()
	return failed
}

// batch sends operations, 100 at a time, as fast as the server lets it.
func (u *user) batch(ctx context.Context, operations []string) error {
	for len(operations) > 0 {
		n := min(100, len(operations))
		status, text, err := u.send(ctx, "POST", "batch", `{"operations":[`+strings.Join(operations[:n], ",")+`]}`)
		switch {
		case err != nil:
			return err
		case status == 429 && wait(ctx):
			continue
		case status >= 300:
			return fmt.Errorf("batch: %d %.300s", status, text)
		}
		operations = operations[n:]
	}
	return nil
}

// wait reports whether there is time for another try.
func wait(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(300 * time.Millisecond):
		return true
	}
}

// insist is wants, again and again while the server says that it is too much.
func (u *user) insist(ctx context.Context, method, path, body string) error {
	for {
		status, text, err := u.send(ctx, method, path, body)
		switch {
		case err != nil:
			return err
		case status == 429 && wait(ctx):
		case status >= 300:
			return fmt.Errorf("%s %s: %d %.300s", method, path, status, text)
		default:
			return nil
		}
	}
}

func create(path, body string) string {
	return fmt.Sprintf(`{"op":"create","path":"users/hostile/%s","body":%s}`, path, body)
}

// chats makes a hundred chats, c0 to c99.
func chats(ctx context.Context, u *user) error {
	var all []string
	for i := range 100 {
		all = append(all, create(fmt.Sprintf("orch-chats/c%d", i), `{"title":"t"}`))
	}
	return u.batch(ctx, all)
}

// bomb is a PDF of some hundred bytes whose page has a million letters.
func bomb() string {
	content := "BT /F 10 Tf 50 700 Td (" + strings.Repeat("a", 1_000_000) + ") Tj ET"
	for range 2 {
		var out bytes.Buffer
		z := zlib.NewWriter(&out)
		_, _ = z.Write([]byte(content)) // a buffer takes all
		_ = z.Close()
		content = out.String()
	}
	return "%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Kids[3 0 R]>> endobj\n" +
		"3 0 obj <</Type/Page/Contents 4 0 R/Resources <</Font<</F<</Subtype/Type1/BaseFont/Helvetica>>>>>>>> endobj\n" +
		fmt.Sprintf("4 0 obj <</Filter[/FlateDecode/FlateDecode]/Length %d>> stream\n%s\nendstream endobj\ntrailer <</Root 1 0 R>>", len(content), content)
}

// lasts lets the server work until the attack is over.
func lasts(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

func batchOfPDFs(ctx context.Context, u *user) error {
	id, err := u.upload(ctx, "report.pdf", "application/pdf", bomb())
	if err != nil {
		return err
	}
	var all []string
	for i := range 100 {
		all = append(all, create(fmt.Sprintf("orch-chats/c%d/messages/m", i), `{"role":"user","type":"text","content":"read","parts":[{"type":"text","text":"read"},{"type":"file","fileId":"`+id+`"}]}`))
	}
	if err := u.batch(ctx, all); err != nil {
		return err
	}
	return lasts(ctx)
}

func manyImages(ctx context.Context, u *user) error {
	id, err := u.upload(ctx, "large.png", "image/png", "\x89PNG\r\n\x1a\n"+strings.Repeat("\x00", 13_500_000))
	if err != nil {
		return err
	}
	err = many(ctx, 40, 8, func(i int) error {
		return u.insist(ctx, "POST", fmt.Sprintf("chats/c%d/messages", i), `{"content":[{"type":"text","text":"look"},{"type":"image","fileId":"`+id+`"}]}`)
	})
	if err != nil {
		return err
	}
	return lasts(ctx)
}

// longChat makes a chat with a thousand messages of 20 kB.
func longChat(ctx context.Context, u *user) error {
	all := []string{create("orch-chats/long", `{"title":"t"}`)}
	for i := range 1000 {
		all = append(all, create(fmt.Sprintf("orch-chats/long/messages/m%04d", i), `{"role":"user","type":"text","content":"`+strings.Repeat("many words ", 1800)+`"}`))
	}
	for len(all) > 0 { // a request has 1 MiB
		n := min(40, len(all))
		if err := u.batch(ctx, all[:n]); err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

func unread(ctx context.Context, u *user) error {
	host := strings.TrimPrefix(u.server.URL, "http://")
	return many(ctx, 20, 20, func(int) error {
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", host)
		if err != nil {
			return err
		}
		defer func() { _ = c.Close() }()
		_ = c.(*net.TCPConn).SetReadBuffer(1 << 10)
		_, err = fmt.Fprintf(c, "GET /api/v1/chats/long/messages?limit=1000 HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n\r\n", host, u.key)
		if err != nil {
			return err
		}
		<-ctx.Done()
		line := make([]byte, 12)
		n, _ := c.Read(line) // it may be refused, or still be at work
		u.answers.add(strings.TrimPrefix(string(line[:n]), "HTTP/1.1 "))
		return nil
	})
}

func waits(ctx context.Context, u *user) error {
	return many(ctx, 3000, 3000, func(i int) error {
		_, _, _ = u.send(ctx, "POST", fmt.Sprintf("chats/c%d/messages?wait=1", i%100), `{"content":"hello"}`) // counted
		return nil
	})
}

func forked(ctx context.Context, u *user) error {
	if err := longChat(ctx, u); err != nil {
		return err
	}
	return many(ctx, 100, 8, func(i int) error {
		return u.insist(ctx, "POST", "chats/long/fork", fmt.Sprintf(`{"id":"f%d"}`, i))
	})
}

func deleteForked(ctx context.Context, u *user) error {
	_, _, err := u.send(ctx, "DELETE", "chats/long", "")
	return err
}

// graph is one of fifty nodes in a row that work for a while each.
func graph(ctx context.Context, u *user) error {
	nodes := []string{`{"id":"s","nodeId":"on-start"}`}
	edges, before, value := []string{}, "s.signal", "s.text"
	edge := func(from, to string) {
		a, out, _ := strings.Cut(from, ".")
		b, in, _ := strings.Cut(to, ".")
		edges = append(edges, fmt.Sprintf(`{"sourceNodeId":%q,"sourcePortId":%q,"targetNodeId":%q,"targetPortId":%q}`, a, out, b, in))
	}
	tens := "[0,1,2,3,4,5,6,7,8,9]"
	expression := tens + ".all(a, " + tens + ".all(b, " + tens + ".all(c, " + tens + ".all(d, a*b*c*d >= 0 && value.size() >= 0)))) ? value : value"
	for i := range 50 {
		id := fmt.Sprintf("m%d", i)
		nodes = append(nodes, fmt.Sprintf(`{"id":%q,"nodeId":"map","parameters":{"expression":%q}}`, id, expression))
		edge(before, id+".run")
		edge(value, id+".value")
		before, value = id+".done", id+".result"
	}
	return u.insist(ctx, "POST", "records/agent_graphs", `{"id":"g","name":"g","nodes":[`+strings.Join(nodes, ",")+`],"edges":[`+strings.Join(edges, ",")+`]}`)
}

func executions(ctx context.Context, u *user) error {
	err := many(ctx, 6, 6, func(int) error {
		return u.insist(ctx, "POST", "records/agent_graphs/g/executions", `{"input":{"text":"x"}}`)
	})
	if err != nil {
		return err
	}
	return lasts(ctx)
}

// fill writes documents of 900 kB and files of 10 MB as fast as it can.
func fill(ctx context.Context, u *user) error {
	body := `{"text":"` + strings.Repeat("0123456789", 90_000) + `"}`
	return many(ctx, 2000, 16, func(i int) error {
		if i%16 == 0 {
			_, _ = u.upload(ctx, "large.txt", "text/plain", fmt.Sprintf("%d", i)+strings.Repeat("0123456789", 1_000_000)) // counted
			return nil
		}
		_, _, _ = u.send(ctx, "PUT", fmt.Sprintf("docs/users/hostile/junk/d%d", i), body) // counted
		return nil
	})
}
