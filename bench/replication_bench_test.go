package bench

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // registers the driver
	_ "modernc.org/sqlite"             // registers the driver

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/feed"
	"github.com/nestorhq/nestor/internal/replication"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/postgres"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
	"github.com/nestorhq/nestor/internal/store/sqlite"
)

const (
	pulled   = 100_000 // documents of the chat that is pulled, and as many beside it
	pullPage = 1000
)

// BenchmarkInitialPull measures how long a client takes to get 100,000
// messages of one chat over HTTP, page by page, and compares it with a bare
// handler that runs the same query and puts the same text together. PostgreSQL
// is measured where scripts/with-postgres runs the benchmark.
func BenchmarkInitialPull(b *testing.B) {
	b.Run("sqlite", func(b *testing.B) {
		path := filepath.Join(b.TempDir(), "nestor.db")
		s, err := sqlite.Open(b.Context(), path, store.Options{})
		check(b, err)
		defer s.Close()
		db, err := sql.Open("sqlite", path)
		check(b, err)
		defer db.Close()
		initialPull(b, s, db, "SELECT id, version, seq, created_at, updated_at, body FROM messages WHERE user_id = ? AND chat_id = ? AND seq > ? ORDER BY seq LIMIT ?")
	})
	if os.Getenv(pgtest.Variable) == "" {
		return
	}
	b.Run("postgres", func(b *testing.B) {
		url := pgtest.URL(b)
		s, err := postgres.Open(b.Context(), url, store.Options{})
		check(b, err)
		defer s.Close()
		db, err := sql.Open("pgx", url)
		check(b, err)
		defer db.Close()
		initialPull(b, s, db, "SELECT id, version, seq, created_at, updated_at, body FROM messages WHERE user_id = $1 AND chat_id = $2 AND seq > $3 ORDER BY seq LIMIT $4")
	})
}

func initialPull(b *testing.B, s store.Store, db *sql.DB, query string) {
	for _, chat := range []string{"other", "chat"} {
		fillChat(b, s, nestor.Path("users/u1/orch-chats/"+chat))
	}
	mux := http.NewServeMux()
	mux.Handle("/replication/", http.StripPrefix("/replication", replication.New(replication.Options{
		Store: s, Feed: feed.New(s, feed.Options{}),
		Caller: func(*http.Request) (replication.Caller, error) { return anybody{}, nil },
		Fail: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		},
	})))
	mux.Handle("/bare/messages/pull", bare{db, query})
	server := httptest.NewServer(mux)
	defer server.Close()

	var ours, floor time.Duration
	for b.Loop() {
		start := time.Now()
		pullAll(b, server.URL+"/replication")
		between := time.Now()
		pullAll(b, server.URL+"/bare")
		ours, floor = ours+between.Sub(start), floor+time.Since(between)
	}
	b.ReportMetric(float64(ours.Milliseconds())/float64(b.N), "ms/pull")
	b.ReportMetric(float64(floor.Milliseconds())/float64(b.N), "ms/bare")
	b.ReportMetric(float64(ours)/float64(floor), "times-bare")
}

// pullAll follows the checkpoints as a client does.
func pullAll(b *testing.B, url string) {
	b.Helper()
	checkpoint, documents := "", 0
	for {
		res, err := http.Get(fmt.Sprintf("%s/messages/pull?chatId=chat&limit=%d&checkpoint=%s", url, pullPage, checkpoint))
		check(b, err)
		page, err := io.ReadAll(res.Body)
		res.Body.Close()
		check(b, err)
		n := bytes.Count(page, []byte(`"_deleted":false`))
		documents += n
		_, checkpoint, _ = strings.Cut(string(page[max(0, len(page)-80):]), `"checkpoint":{"seq":"`)
		checkpoint, _, _ = strings.Cut(checkpoint, `"`)
		if n < pullPage {
			break
		}
	}
	if documents != pulled {
		b.Fatalf("%d documents came from %s", documents, url)
	}
}

func fillChat(b *testing.B, s store.Store, chat nestor.Path) {
	b.Helper()
	text := strings.Repeat("a word or two ", 20)
	check(b, s.Update(b.Context(), func(tx store.Tx) error {
		_, err := tx.Create(chat, nestor.Chat{Title: "A chat"})
		return err
	}))
	for range pulled / pullPage {
		check(b, s.Update(b.Context(), func(tx store.Tx) error {
			for range pullPage {
				if _, err := tx.Create(chat.Child("messages", nestor.NewID()), nestor.Message{Role: nestor.RoleUser, Content: text}); err != nil {
					return err
				}
			}
			return nil
		}))
	}
}

func check(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// anybody may read everything.
type anybody struct{}

func (anybody) UserID() string                             { return "u1" }
func (anybody) MayRead(nestor.Path, *nestor.Document) bool { return true }
func (anybody) MayWrite(nestor.ChangeType, nestor.Path, *nestor.Document, *nestor.Document) error {
	return nil
}

// bare is the least that could answer a pull: a query, and text.
type bare struct {
	db    *sql.DB
	query string
}

func (h bare) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	page, err := h.page(r.Context(), r.URL.Query().Get("checkpoint"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(page)
}

func (h bare) page(ctx context.Context, checkpoint string) ([]byte, error) {
	var seq int64
	if checkpoint != "" {
		var err error
		if seq, err = strconv.ParseInt(checkpoint, 10, 64); err != nil {
			return nil, err
		}
	}
	rows, err := h.db.QueryContext(ctx, h.query, "u1", "chat", seq, pullPage)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var page bytes.Buffer
	page.WriteString(`{"documents":[`)
	for first := true; rows.Next(); first = false {
		var id string
		var version, created, updated int64
		var body []byte
		if err := rows.Scan(&id, &version, &seq, &created, &updated, &body); err != nil {
			return nil, err
		}
		if !first {
			page.WriteByte(',')
		}
		fmt.Fprintf(&page, `{"id":"%s","userId":"u1","chatId":"chat",%s,"version":%d,"seq":%d,"createdAt":%d,"updatedAt":%d,"_deleted":false}`,
			id, body[1:len(body)-1], version, seq, created, updated)
	}
	fmt.Fprintf(&page, `],"checkpoint":{"seq":"%d"}}`, seq)
	return page.Bytes(), rows.Err()
}
