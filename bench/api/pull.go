package main

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the driver
	_ "modernc.org/sqlite"             // registers the driver

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

const pullPage = 1000

// pulls measures a client's first pull of a chat with many messages.
func (s *server) pulls(name string, p plan) error {
	begin := time.Now()
	if err := s.fill(context.Background(), p.documents); err != nil {
		return err
	}
	filled := time.Since(begin)
	var api, floor time.Duration
	const times = 3
	for range times {
		bare, err := s.pull("/bare/pull?", p.documents)
		if err != nil {
			return err
		}
		full, err := s.pull("/api/v1/replication/messages/pull?chatId=large&", p.documents)
		if err != nil {
			return err
		}
		api, floor = api+full/times, floor+bare/times
	}
	fmt.Printf("%-9s first pull of %d documents: %v, bare %v, ratio %.2f (written in %v)\n",
		name, p.documents, api.Round(time.Millisecond), floor.Round(time.Millisecond), float64(api)/float64(floor), filled.Round(time.Millisecond))
	return nil
}

// fill makes the chat.
func (s *server) fill(ctx context.Context, documents int) error {
	text := strings.Repeat("a word or two ", 20)
	for done := 0; done < documents; done += pullPage {
		err := s.store.Update(ctx, func(tx store.Tx) error {
			if _, err := tx.Put(chats+"large", nestor.Chat{}, store.AnyVersion); err != nil {
				return err
			}
			for range min(pullPage, documents-done) {
				m := nestor.Message{Role: nestor.RoleUser, Type: nestor.MessageText, Content: text}
				if _, err := tx.Create(nestor.Path(chats+"large/messages/"+nestor.NewID()), m); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// pull follows the checkpoints as a client does.
func (s *server) pull(path string, documents int) (time.Duration, error) {
	begin, got, checkpoint := time.Now(), 0, ""
	for {
		req, err := http.NewRequest("GET", "http://"+s.address+path+"limit="+strconv.Itoa(pullPage)+"&checkpoint="+checkpoint, nil)
		if err != nil {
			return 0, err
		}
		req.Header.Set("Authorization", "Bearer "+token)
		req.Header.Set("Accept-Encoding", "identity")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0, err
		}
		page, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || res.StatusCode != http.StatusOK {
			return 0, fmt.Errorf("%s: %s, %w", path, res.Status, err)
		}
		n := bytes.Count(page, []byte(`"_deleted":false`))
		got += n
		_, checkpoint, _ = strings.Cut(string(page[max(0, len(page)-80):]), `"checkpoint":{"seq":"`)
		checkpoint, _, _ = strings.Cut(checkpoint, `"`)
		if n < pullPage {
			break
		}
	}
	if got != documents {
		return 0, fmt.Errorf("%d documents came from %s", got, path)
	}
	return time.Since(begin), nil
}

// barePull runs the query of a pull and puts the same text together.
type barePull struct{ db *sql.DB }

func (b *barePull) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	params := r.URL.Query()
	after, _ := strconv.ParseInt(params.Get("checkpoint"), 10, 64)
	rows, err := b.db.QueryContext(r.Context(), `SELECT id, version, seq, created_at, updated_at, body FROM messages
		WHERE user_id = 'local' AND chat_id = 'large' AND seq > $1 ORDER BY seq LIMIT $2`, after, params.Get("limit"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer rows.Close()
	page := []byte(`{"documents":[`)
	for n := 0; rows.Next(); n++ {
		var id string
		var version, created, updated int64
		var body []byte
		if err := rows.Scan(&id, &version, &after, &created, &updated, &body); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if n > 0 {
			page = append(page, ',')
		}
		page = append(page, body[:len(body)-1]...)
		page = fmt.Appendf(page, `,"id":%q,"userId":"local","chatId":"large","version":%d,"seq":%d,"createdAt":%d,"updatedAt":%d,"_deleted":false}`,
			id, version, after, created, updated)
	}
	page = fmt.Appendf(page, `],"checkpoint":{"seq":"%d"}}`, after)
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(page)
}
