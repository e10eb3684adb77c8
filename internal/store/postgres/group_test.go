package postgres_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/postgres"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
)

// Transactions are committed together. Those that need what somebody holds for long
// must not keep the others waiting, however many they are.
func TestWhoWaitsForALockKeepsNobodyElseWaiting(t *testing.T) {
	url := pgtest.URL(t)
	s, err := postgres.Open(t.Context(), url, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	create := func(p nestor.Path, body string) error {
		return s.Update(t.Context(), func(tx store.Tx) error {
			_, err := tx.Create(p, []byte(body))
			return err
		})
	}
	const chats = 8
	for i := range chats {
		if err := create(chatPath(i), `{}`); err != nil {
			t.Fatal(err)
		}
	}
	holder, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close(context.Background())
	must(t, holder, "BEGIN")
	must(t, holder, "SELECT FROM chats FOR UPDATE") // as one who deletes them

	said := make(chan error, chats)
	for i := range chats {
		go func() {
			said <- create(chatPath(i).Child("messages", "m"), `{"role":"user","type":"text","content":"hi"}`)
		}()
	}
	for i := range 20 {
		if err := create(nestor.Path(fmt.Sprintf("users/other/notes/n%d", i)), `{}`); err != nil {
			t.Error(err)
		}
	}
	if len(said) > 0 {
		t.Fatalf("who needs what is held did not wait: %v", <-said)
	}
	must(t, holder, "ROLLBACK")
	for range chats {
		if err := <-said; err != nil {
			t.Error(err)
		}
	}
}

func chatPath(i int) nestor.Path { return nestor.Path(fmt.Sprintf("users/u1/orch-chats/c%d", i)) }

func must(t *testing.T, conn *pgx.Conn, text string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), text); err != nil {
		t.Fatal(err)
	}
}
