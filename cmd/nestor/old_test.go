package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/client"
	"github.com/nestorhq/nestor/internal/store/postgres/pgtest"
)

// A database that a program of an earlier commit left when it was killed is opened, and all goes
// on: what was said is there, a run that was under way comes to its end, one that waits for its
// user takes the answer, also with another agent, whereupon a conclusion is drawn, and a new one
// works. scripts/old-databases makes them.
func TestADatabaseOfAnOldProgramIsTakenOverInTheMiddleOfARun(t *testing.T) {
	archives, err := filepath.Glob("testdata/old/*.tar.gz")
	if err != nil || len(archives) < 6 {
		t.Fatalf("there are the databases %q, %v", archives, err)
	}
	concluded := 0
	for _, archive := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(archive), ".tar.gz"), func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), stayLimit)
			defer cancel()
			data := t.TempDir()
			unpack(t, archive, data)
			env := []string{"NESTOR_DATA=" + data, "NESTOR_TOKEN=" + guestToken}
			if strings.HasSuffix(archive, "-postgres.tar.gz") {
				at := pgtest.URL(t)
				restore(t, ctx, at, filepath.Join(data, "nestor.sql.gz"))
				env = append(env, "NESTOR_DB="+at)
			}
			link, _ := newProgram(t, env...).serve()
			base, _, _ := strings.Cut(link, "/?")
			c := client.New(base, guestToken)

			wantSaid(t, ctx, c, "done", "42")     // it was there
			wantSaid(t, ctx, c, "running", "144") // its process was killed
			answerWaiting(t, ctx, c, "waits")
			wantSaid(t, ctx, c, "waits", "Friday at seven")
			if _, err := c.Say(ctx, "done", "Compute 11*11"); err != nil {
				t.Fatal(err)
			}
			wantSaid(t, ctx, c, "done", "121")
			if _, err := c.Chat(ctx, "several"); errors.Is(err, nestor.ErrNotFound) {
				return
			}
			concluded++
			answerWaiting(t, ctx, c, "several")
			wantSaid(t, ctx, c, "several", "Friday at seven")
			wantSaid(t, ctx, c, "several", "With that, all is done.")
		})
	}
	if concluded == 0 {
		t.Error("no database has a chat with several agents")
	}
}

// answerWaiting answers the agent of a chat that waits.
func answerWaiting(t *testing.T, ctx context.Context, c *client.Client, chat string) {
	t.Helper()
	var waiting *nestor.Task
	for task, err := range c.Tasks(ctx, chat) {
		if err != nil {
			t.Fatal(err)
		}
		if task.Status == nestor.TaskWaiting {
			waiting = &task
		}
	}
	if waiting == nil {
		t.Fatalf("nobody waits in %s", chat)
	}
	if _, err := c.Answer(ctx, waiting, "On Friday at seven"); err != nil {
		t.Fatal(err)
	}
}

// wantSaid follows a chat from its beginning until the assistant says a text.
func wantSaid(t *testing.T, ctx context.Context, c *client.Client, chat, text string) {
	t.Helper()
	for message, err := range c.Messages(ctx, chat) {
		if err != nil {
			t.Fatal(err)
		}
		if message.Role == nestor.RoleAssistant && strings.Contains(message.Content, text) {
			return
		}
	}
	for e, err := range c.Events(ctx, chat, client.Start) {
		if err != nil {
			t.Fatalf("%s: nobody said %q: %v", chat, text, err)
		}
		var m nestor.Message
		if e.Change != nil && e.Change.Collection == "messages" && e.Change.Decode(&m) == nil && m.Role == nestor.RoleAssistant && strings.Contains(m.Content, text) {
			return
		}
	}
	t.Fatalf("%s: nobody said %q", chat, text)
}

// unpack puts the files of an archive into a folder.
func unpack(t *testing.T, archive, folder string) {
	t.Helper()
	file, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for files := tar.NewReader(plain); ; {
		entry, err := files.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if entry.Typeflag == tar.TypeDir {
			if err := root.MkdirAll(filepath.Clean(entry.Name), 0o700); err != nil {
				t.Fatal(err)
			}
			continue
		}
		text, err := io.ReadAll(files)
		if err == nil {
			err = root.WriteFile(filepath.Clean(entry.Name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// restore runs a dump in the schema of a URL.
func restore(t *testing.T, ctx context.Context, at, dump string) {
	t.Helper()
	file, err := os.Open(dump)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(plain)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(ctx, at)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	sql := strings.ReplaceAll(string(text), "public.", u.Query().Get("search_path")+".")
	if _, err := conn.PgConn().Exec(ctx, sql).ReadAll(); err != nil {
		t.Fatal(err)
	}
}
