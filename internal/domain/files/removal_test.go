package files_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/chatfork"
	"github.com/nestorhq/nestor/internal/file"
	"github.com/nestorhq/nestor/internal/filestore"
	"github.com/nestorhq/nestor/internal/filestore/database"
	"github.com/nestorhq/nestor/internal/filestore/s3test"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/server"
)

func TestAFileGoesWithTheLastMessageThatNamesIt(t *testing.T) {
	each(t, func(p *person) {
		f := p.upload("a.png", "", picture)
		file := "files/" + f.ID
		p.chat("c1")
		p.chat("c2")
		p.says("c1", "m1", named("image", f.ID))
		p.says("c1", "m2", named("image", f.ID), named("file", f.ID))
		p.says("c2", "m1", named("image", f.ID))
		p.Wants(200, "GET", file, "", `"chats":2`, `"state":"used"`)
		p.Wants(200, "GET", "docs/users/local/orch-chats/c1/files/"+f.ID, "", `"messages":2`)

		// Messages go with their chat, and so does the note about the file.
		p.Wants(403, "DELETE", "docs/users/local/orch-chats/c1/messages/m2", "", "delete a chat")
		p.Wants(403, "DELETE", "docs/users/local/orch-chats/c1/files/"+f.ID, "")
		p.Wants(200, "GET", "docs/users/local/orch-chats/c1/files/"+f.ID, "", `"messages":2`)
		p.Wants(204, "DELETE", "chats/c1", "")
		p.reads(404, "chats/c1/files/"+f.ID)
		p.Wants(200, "GET", file, "", `"chats":1`)

		p.Wants(204, "DELETE", "chats/c2", "")
		p.Wants(404, "GET", file, "")
		p.Settled()
		// Its bytes are gone, too: to upload it again stores them anew.
		if again := p.upload("a.png", "", picture); again.StoredAs == f.StoredAs {
			p.Error("the old bytes are used")
		}
	})
}

func TestAForkKeepsTheFilesThatItShares(t *testing.T) {
	each(t, func(p *person) {
		shared, later := p.upload("a.png", "", picture), p.upload("b.png", "", another("later"))
		p.chat("c1")
		p.says("c1", "m1", text("look"), named("image", shared.ID))
		p.says("c1", "m2", named("image", later.ID))
		p.Wants(201, "POST", "chats/c1/fork", `{"id":"c2","at":"m1"}`)
		p.reads(200, "chats/c2/files/"+shared.ID)
		p.reads(404, "chats/c2/files/"+later.ID)

		p.model.take("image/png")
		p.says("c2", "m3", text("and now?"))
		if media, _ := p.model.saw(); len(media) != 1 || string(media[0].Data) != string(picture) {
			p.Errorf("the model saw %d media in the fork", len(media))
		}

		p.Wants(204, "DELETE", "chats/c1", "")
		p.reads(200, "chats/c2/files/"+shared.ID)
		p.reads(404, "chats/c2/files/"+later.ID)
		p.Wants(200, "GET", "files/"+shared.ID, "", `"chats":1`)
		p.Wants(404, "GET", "files/"+later.ID, "")
		p.Wants(201, "POST", "chats/c2/fork", `{"id":"c3"}`)
		p.reads(200, "chats/c3/files/"+shared.ID)
		p.Wants(204, "DELETE", "chats/c2", "")
		p.Wants(204, "DELETE", "chats/c3", "")
		p.Wants(404, "GET", "files/"+shared.ID, "")
	})
}

func TestAFileThatNoMessageNamesIsRemovedAfterAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := sqlite(t, func(c *server.Config) { c.UnusedFiles = time.Hour })
		unused, used := p.upload("a.png", "", picture), p.upload("b.png", "", another("used"))
		p.chat("c1")
		p.says("c1", "m1", named("image", used.ID))
		time.Sleep(50 * time.Minute)
		p.Wants(200, "GET", "files/"+unused.ID, "")
		p.upload("a.png", "", picture) // who uploads it again wants it
		time.Sleep(50 * time.Minute)
		p.Wants(200, "GET", "files/"+unused.ID, "")
		time.Sleep(30 * time.Minute)
		synctest.Wait()
		p.Wants(404, "GET", "files/"+unused.ID, "")
		p.reads(200, "chats/c1/files/"+used.ID)
		p.Settled()
	})
}

// aged is a storage in which everything is older than it is.
type aged struct {
	filestore.Storage
	by time.Duration
}

func (a *aged) Keys(ctx context.Context, before time.Time, fn func(filestore.Key) error) error {
	return a.Storage.Keys(ctx, before.Add(a.by), fn)
}

// library is a library on a database of its own, without a server.
func library(t *testing.T, open engines.Database) (*file.Library, store.Store, *aged) {
	t.Helper()
	catalogue, err := store.NewCatalogue(append(append(store.DefaultCatalogue.All()[:6:6], chatfork.Collections...), file.Collections...)...)
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, store.Options{Rules: store.Rules{Catalogue: catalogue}, Modules: []store.Schema{{Module: "files", Collections: append(chatfork.Collections[:2:2], file.Collections...)}}})
	bytes := &aged{Storage: database.New(s)}
	return file.New(s, map[string]filestore.Storage{"db": bytes}, "db", 0), s, bytes
}

// A message and the removal of the file that it names happen at the same time, again and
// again: either the message is refused, or it has its file.
func TestARemovalNeverTakesAFileFromAMessage(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		l, s, _ := library(t, open)
		ctx := t.Context()
		chat := nestor.Path("users/u1/orch-chats/c1")
		if err := s.Update(ctx, func(tx store.Tx) error { _, err := tx.Create(chat, nestor.Chat{}); return err }); err != nil {
			t.Fatal(err)
		}
		refused, kept := 0, 0
		for i := range 40 {
			d, _, err := l.Save(ctx, file.Upload{UserID: "u1", Body: strings.NewReader("text " + strings.Repeat("x", i))}, l.Direct(ctx))
			if err != nil {
				t.Fatal(err)
			}
			id := d.Path.ID()
			var said error
			var both sync.WaitGroup
			both.Go(func() {
				said = s.Update(ctx, func(tx store.Tx) error {
					_, err := tx.Create(chat.Child("messages", id[:20]), nestor.Message{Role: nestor.RoleUser, Parts: []nestor.Part{{Type: nestor.PartFile, FileID: id}}})
					return err
				})
			})
			both.Go(func() {
				if _, err := l.RemoveUnused(ctx, time.Now().Add(time.Hour)); err != nil {
					t.Error(err)
				}
			})
			both.Wait()
			f, err := l.InChat(ctx, chat, id)
			switch {
			case said == nil && err == nil:
				kept++
				if _, err := l.Bytes(ctx, f); err != nil {
					t.Error(err)
				}
			case said != nil && nestor.CodeOf(said) == nestor.CodeInvalid && nestor.CodeOf(err) == nestor.CodeNotFound:
				refused++
			default:
				t.Errorf("the message: %v, the file: %v", said, err)
			}
		}
		t.Logf("%d messages were refused, %d have their file", refused, kept)
	})
}

// What a process that was killed leaves between the bytes and the document, and what it
// had stored before.
func TestBytesWithoutADocumentAreSwept(t *testing.T) {
	engines.Each(t, func(t *testing.T, open engines.Database) {
		l, _, bytes := library(t, open)
		ctx := t.Context()
		d, _, err := l.Save(ctx, file.Upload{UserID: "u1", Body: strings.NewReader("kept")}, l.Direct(ctx))
		if err != nil {
			t.Fatal(err)
		}
		stray := filestore.Key{UserID: "u1", ID: nestor.NewID()}
		if err := bytes.Put(ctx, stray, strings.NewReader("stray")); err != nil {
			t.Fatal(err)
		}
		if n, err := l.Strays(ctx, time.Now().Add(time.Hour)); n != 0 || err != nil {
			t.Errorf("young ones were removed: %d, %v", n, err) // an upload may be about to name them
		}
		bytes.by = 3 * time.Hour
		if n, err := l.Strays(ctx, time.Now()); n != 1 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
		if _, err := bytes.Open(ctx, stray, 0); nestor.CodeOf(err) != nestor.CodeNotFound {
			t.Errorf("the stray: %v", err)
		}
		f, err := nestor.As[nestor.File](d)
		if err != nil {
			t.Fatal(err)
		}
		if data, err := l.Bytes(ctx, &f); err != nil || string(data) != "kept" {
			t.Errorf("%q, %v", data, err)
		}
	})
}

func TestEachStorageServesAWholeServer(t *testing.T) {
	bucket := s3test.New(t)
	for name, files := range map[string]string{
		"dir": "dir:" + filepath.Join(t.TempDir(), "files"),
		"s3":  "s3://bucket/nestor?region=" + s3test.Region + "&endpoint=" + bucket.URL,
	} {
		t.Run(name, func(t *testing.T) {
			count := func() (n int) {
				if name == "s3" {
					return len(bucket.Names())
				}
				_ = filepath.WalkDir(strings.TrimPrefix(files, "dir:"), func(_ string, d fs.DirEntry, _ error) error {
					if !d.IsDir() {
						n++
					}
					return nil
				})
				return n
			}
			data := t.TempDir()
			p := sqlite(t, func(c *server.Config) { c.Data, c.Files, c.Env = data, files, s3test.Env })
			big := append(another("big"), make([]byte, 1<<20)...)
			f := p.upload("a.png", "", big)
			p.upload("again.png", "", big)
			if f.Storage != name || count() != 1 {
				t.Errorf("%s has %d files: %+v", name, count(), f)
			}
			if got, _ := p.reads(206, "files/"+f.ID+"/content", "Range", "bytes=1000-1999"); got != string(big[1000:2000]) {
				t.Error("another range")
			}
			p.chat("c1")
			p.model.take("image/png")
			p.says("c1", "m1", named("image", f.ID))
			if media, _ := p.model.saw(); len(media) != 1 || len(media[0].Data) != len(big) {
				t.Errorf("the model saw %d media", len(media))
			}
			p.Wants(204, "DELETE", "chats/c1", "")
			p.Settled()
			if count() != 0 {
				t.Errorf("%d files are left", count())
			}
		})
	}
}

func TestAStorageThatCannotBeUsedIsRefusedAtTheStart(t *testing.T) {
	at := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(at, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, files := range []string{"dir:", "dir:" + at + "/below", "ftp://x", "s3://bucket", "db:x", "DB"} {
		s, err := server.Start(context.Background(), server.Config{Files: files, Env: func(string) string { return "" }})
		if err == nil {
			_ = s.Close()
			t.Errorf("%s was taken", files)
		}
	}
}
