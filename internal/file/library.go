package file

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/filestore"
	"github.com/nestorhq/nestor/internal/store"
)

// Bounds of files.
const (
	// DefaultMax is how large a file may be where nobody says so.
	DefaultMax = 20 << 20
	// uploadTime is how long an upload may take. Bytes without a document are left alone
	// for longer, so none are removed that are about to get one.
	uploadTime = time.Hour
)

// Library keeps the files of all users.
type Library struct {
	store store.Store
	// storages has where files lie, by name, and into where new ones go.
	storages map[string]filestore.Storage
	into     string
	// Max is how many bytes a file may have.
	Max int64
	// Room counts the bytes of an upload to a path, until it is released. Add fails
	// where there is no room for them. Nil if there is room for all.
	Room func(nestor.Path) (add func(n int64) error, release func())

	reader *reader
	held   held
}

// New returns a library that stores new files in the storage of this name.
func New(s store.Store, storages map[string]filestore.Storage, into string, most int64) *Library {
	if most <= 0 {
		most = DefaultMax
	}
	return &Library{store: s, storages: storages, into: into, Max: most, reader: newReader()}
}

// Upload is a file that is about to be saved.
type Upload struct {
	UserID string
	// Name and Type are what the client says of it. Both may be empty.
	Name, Type string
	Body       io.Reader
}

// Save stores a file and returns its document. The same bytes are stored once for a
// user: then the document is the one that was there, and unused it is kept for as long as
// a new one. Write runs what writes the document.
func (l *Library) Save(ctx context.Context, u Upload, write func(p nestor.Path, fn func(store.Tx) error) error) (d *nestor.Document, created bool, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, uploadTime, nestor.Errorf(nestor.CodeTimeout, "the upload took longer than %v", uploadTime))
	defer cancel()
	body := bufio.NewReaderSize(u.Body, sniffed)
	head, err := body.Peek(sniffed)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false, err
	}
	f := nestor.File{Name: CleanName(u.Name), Storage: l.into, StoredAs: nestor.NewID(), State: nestor.FileUnused}
	if f.MediaType, err = Kind(f.Name, u.Type, head); err != nil {
		return nil, false, err
	}
	key := filestore.Key{UserID: u.UserID, ID: f.StoredAs}
	counted := &counter{r: body, most: l.Max, sum: sha256.New()}
	release := func() {}
	if l.Room != nil {
		counted.add, release = l.Room(nestor.Path("users/"+u.UserID).Child("files", f.StoredAs))
		defer release()
	}
	if err = l.storages[l.into].Put(ctx, key, counted); err == nil {
		f.Size = counted.n
		id := hex.EncodeToString(counted.sum.Sum(nil))
		release() // from here on the document counts
		d, created, err = l.record(nestor.FilePath(u.UserID, id), f, write)
	}
	if err != nil || !created {
		err = errors.Join(err, l.storages[l.into].Delete(context.WithoutCancel(ctx), key)) // the sweep would, later
	}
	return d, created, err
}

// record writes the document of a file whose bytes are stored.
func (l *Library) record(p nestor.Path, f nestor.File, write func(nestor.Path, func(store.Tx) error) error) (d *nestor.Document, created bool, err error) {
	err = write(p, func(tx store.Tx) error {
		old, err := store.Find[nestor.File](tx, p)
		if err != nil {
			return err
		}
		if created = old == nil; created {
			d, err = tx.Create(p, f)
			return err
		}
		// Written though nothing changes: who is about to remove it sees that it is wanted.
		d, err = tx.Patch(p, map[string]any{"chats": old.Chats}, store.AnyVersion)
		return err
	})
	return d, created, err
}

// Direct writes without asking anybody, for what the server itself saves.
func (l *Library) Direct(ctx context.Context) func(nestor.Path, func(store.Tx) error) error {
	return func(_ nestor.Path, fn func(store.Tx) error) error { return l.store.Update(ctx, fn) }
}

// counter sums up what is read and refuses what is too much.
type counter struct {
	r       io.Reader
	n, most int64
	sum     hash.Hash
	add     func(int64) error // nil if there is room for all
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if c.n > c.most {
		return 0, nestor.Errorf(nestor.CodeTooLarge, "the file has more than %d bytes, which is the most that a file may have here", c.most).With("field", "file")
	}
	if c.add != nil && n > 0 {
		if err := c.add(int64(n)); err != nil {
			return 0, err
		}
	}
	c.sum.Write(p[:n])
	return n, err
}

func keyOf(f *nestor.File) filestore.Key { return filestore.Key{UserID: f.UserID, ID: f.StoredAs} }

// Open reads the bytes of a file from an offset on.
func (l *Library) Open(ctx context.Context, f *nestor.File, offset int64) (io.ReadCloser, error) {
	s, ok := l.storages[f.Storage]
	if !ok {
		return nil, nestor.Errorf(nestor.CodeUnavailable, "the file lies in a storage of the kind %s, which this server was not started with (--files)", f.Storage)
	}
	return s.Open(ctx, keyOf(f), offset)
}

// InChat finds a file that messages of a chat name; see [InChat].
func (l *Library) InChat(ctx context.Context, chat nestor.Path, id string) (f *nestor.File, err error) {
	err = l.store.View(ctx, func(r store.Reader) (err error) {
		f, err = InChat(r, chat, id)
		return err
	})
	return f, err
}

// Erase removes the bytes of a file that has no document any more.
func (l *Library) Erase(ctx context.Context, f *nestor.File) error {
	s, ok := l.storages[f.Storage]
	if !ok {
		return nestor.Errorf(nestor.CodeUnavailable, "there is no storage %s", f.Storage)
	}
	return s.Delete(ctx, keyOf(f))
}
