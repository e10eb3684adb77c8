package sqlite_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// disk knows what a power failure would leave of the files that SQLite writes:
// of each what it held when SQLite last had it synced, and nothing of what came
// after. It is the default file system of SQLite until the test ends, and passes
// everything on to the real one.
type disk struct {
	mu     sync.Mutex
	names  map[uintptr]string // of open files
	fresh  map[uintptr]bool   // their first sync syncs the folder, too
	synced map[string][]byte  // by name
	gone   map[string]bool    // deleted, once the folder is synced

	// SQLite's memory refers to these, which the garbage collector cannot see.
	openFile   openFunc
	deleteFile deleteFunc
	syncFile   syncFunc

	tls      *libc.TLS
	base     *sqlite3.Tsqlite3_vfs
	wrapped  map[uintptr]uintptr // methods of the real files to ours
	realSync map[uintptr]uintptr // by our methods
}

func newDisk(t *testing.T) *disk {
	t.Helper()
	d := &disk{
		names: map[uintptr]string{}, fresh: map[uintptr]bool{}, synced: map[string][]byte{}, gone: map[string]bool{},
		tls: libc.NewTLS(), wrapped: map[uintptr]uintptr{}, realSync: map[uintptr]uintptr{},
	}
	base := sqlite3.Xsqlite3_vfs_find(d.tls, 0)
	d.base = at[sqlite3.Tsqlite3_vfs](base)
	name, err := libc.CString("disk")
	if err != nil {
		t.Fatal(err)
	}
	ours := libc.Xmalloc(d.tls, libc.Tsize_t(unsafe.Sizeof(*d.base)))
	*at[sqlite3.Tsqlite3_vfs](ours) = *d.base
	at[sqlite3.Tsqlite3_vfs](ours).FzName = name
	d.openFile, d.deleteFile, d.syncFile = d.open, d.delete, d.sync
	at[sqlite3.Tsqlite3_vfs](ours).FxOpen = *(*uintptr)(unsafe.Pointer(&d.openFile))
	at[sqlite3.Tsqlite3_vfs](ours).FxDelete = *(*uintptr)(unsafe.Pointer(&d.deleteFile))
	if code := sqlite3.Xsqlite3_vfs_register(d.tls, ours, 1); code != sqlite3.SQLITE_OK {
		t.Fatalf("the file system is refused with %d", code)
	}
	t.Cleanup(func() {
		sqlite3.Xsqlite3_vfs_register(d.tls, base, 1)
		sqlite3.Xsqlite3_vfs_unregister(d.tls, ours)
		d.tls.Close()
	})
	return d
}

// at is what SQLite's memory holds at an address.
func at[T any](address uintptr) *T { return *(**T)(unsafe.Pointer(&address)) }

type (
	openFunc   = func(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32
	deleteFunc = func(tls *libc.TLS, vfs, name uintptr, syncFolder int32) int32
	syncFunc   = func(tls *libc.TLS, file uintptr, flags int32) int32
)

// open gives the file methods of ours.
func (d *disk) open(tls *libc.TLS, vfs, name, file uintptr, flags int32, out uintptr) int32 {
	code := (*(*openFunc)(unsafe.Pointer(&d.base.FxOpen)))(tls, vfs, name, file, flags, out)
	if code != sqlite3.SQLITE_OK || name == 0 {
		return code
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.names[file] = libc.GoString(name)
	d.fresh[file] = flags&sqlite3.SQLITE_OPEN_CREATE != 0 && flags&(sqlite3.SQLITE_OPEN_WAL|sqlite3.SQLITE_OPEN_MAIN_JOURNAL) != 0
	f := at[sqlite3.Tsqlite3_file](file)
	ours, ok := d.wrapped[f.FpMethods]
	if !ok {
		methods := at[sqlite3.Tsqlite3_io_methods](f.FpMethods)
		ours = libc.Xmalloc(tls, libc.Tsize_t(unsafe.Sizeof(*methods)))
		*at[sqlite3.Tsqlite3_io_methods](ours) = *methods
		at[sqlite3.Tsqlite3_io_methods](ours).FxSync = *(*uintptr)(unsafe.Pointer(&d.syncFile))
		d.wrapped[f.FpMethods], d.realSync[ours] = ours, methods.FxSync
	}
	f.FpMethods = ours
	return code
}

// delete lasts when the folder is synced.
func (d *disk) delete(tls *libc.TLS, vfs, name uintptr, syncFolder int32) int32 {
	code := (*(*deleteFunc)(unsafe.Pointer(&d.base.FxDelete)))(tls, vfs, name, syncFolder)
	if code == sqlite3.SQLITE_OK {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.gone[libc.GoString(name)] = true
		if syncFolder != 0 {
			d.syncFolder()
		}
	}
	return code
}

// syncFolder makes deletions last.
func (d *disk) syncFolder() {
	for name := range d.gone {
		delete(d.synced, name)
	}
	clear(d.gone)
}

// sync notes what the file holds.
func (d *disk) sync(tls *libc.TLS, file uintptr, flags int32) int32 {
	d.mu.Lock()
	defer d.mu.Unlock()
	sync := d.realSync[at[sqlite3.Tsqlite3_file](file).FpMethods]
	if code := (*(*syncFunc)(unsafe.Pointer(&sync)))(tls, file, flags); code != sqlite3.SQLITE_OK {
		return code
	}
	name := d.names[file]
	held, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return sqlite3.SQLITE_IOERR_FSYNC
	}
	if d.fresh[file] {
		d.syncFolder()
		delete(d.fresh, file)
	}
	delete(d.gone, name)
	d.synced[name] = held
	return sqlite3.SQLITE_OK
}

// fail makes what is left of a folder after a power failure right now.
func (d *disk) fail(t *testing.T, folder string) string {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	dir := t.TempDir()
	for name, held := range d.synced {
		if filepath.Dir(name) != folder {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), held, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
