package filestore_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/filestore"
	"github.com/nestorhq/nestor/internal/filestore/database"
	"github.com/nestorhq/nestor/internal/filestore/folder"
	"github.com/nestorhq/nestor/internal/filestore/s3"
	"github.com/nestorhq/nestor/internal/filestore/s3test"
	"github.com/nestorhq/nestor/internal/store"
	"github.com/nestorhq/nestor/internal/store/engines"
	"github.com/nestorhq/nestor/internal/testmain"
)

func TestMain(m *testing.M) { testmain.Run(m) }

// each runs fn with every storage.
func each(t *testing.T, fn func(t *testing.T, s filestore.Storage)) {
	engines.Each(t, func(t *testing.T, open engines.Database) { fn(t, database.New(open(t, store.Options{}))) })
	t.Run("folder", func(t *testing.T) {
		s, err := folder.Open(t.TempDir() + "/files")
		if err != nil {
			t.Fatal(err)
		}
		fn(t, s)
	})
	for _, prefix := range []string{"", "/a prefix/of+mine"} {
		t.Run("s3"+prefix, func(t *testing.T) {
			s, err := s3.Open("s3://bucket"+strings.ReplaceAll(prefix, " ", "%20")+"?region="+s3test.Region+"&endpoint="+s3test.New(t).URL, s3test.Env)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.Close)
			fn(t, s)
		})
	}
}

func TestAStorageKeepsBytes(t *testing.T) {
	each(t, func(t *testing.T, s filestore.Storage) {
		random := rand.NewChaCha8([32]byte{1})
		for _, size := range []int{0, 1, 256<<10 - 1, 256 << 10, 256<<10 + 1, 1 << 20} {
			data := make([]byte, size)
			random.Read(data)
			key := filestore.Key{UserID: "u1", ID: nestor.NewID()}
			if err := s.Put(t.Context(), key, iotest.HalfReader(bytes.NewReader(data))); err != nil {
				t.Fatal(err)
			}
			for _, offset := range []int{0, 1, size / 2, size} {
				if offset > size {
					continue
				}
				if got := read(t, s, key, int64(offset)); !bytes.Equal(got, data[offset:]) {
					t.Errorf("of %d bytes from %d on there are %d", size, offset, len(got))
				}
			}
			other := filestore.Key{UserID: "u2", ID: key.ID}
			if _, err := s.Open(t.Context(), other, 0); !errors.Is(err, nestor.ErrNotFound) {
				t.Errorf("of another user: %v", err)
			}
			for range 2 { // to delete what is not there is no error
				if err := s.Delete(t.Context(), key); err != nil {
					t.Error(err)
				}
			}
			if _, err := s.Open(t.Context(), key, 0); !errors.Is(err, nestor.ErrNotFound) {
				t.Errorf("a deleted file: %v", err)
			}
		}
	})
}

func TestAnUploadThatBreaksOffIsAnErrorAndIsFoundByTheSweep(t *testing.T) {
	each(t, func(t *testing.T, s filestore.Storage) {
		broken := errors.New("the client went away")
		key := filestore.Key{UserID: "u1", ID: nestor.NewID()}
		err := s.Put(t.Context(), key, io.MultiReader(bytes.NewReader(make([]byte, 600<<10)), iotest.ErrReader(broken)))
		if !errors.Is(err, broken) {
			t.Errorf("%v", err)
		}
		for _, found := range keys(t, s, time.Now().Add(time.Hour)) {
			if found != key {
				t.Errorf("found %v", found)
			}
			if err := s.Delete(t.Context(), found); err != nil {
				t.Error(err)
			}
		}
		if left := keys(t, s, time.Now().Add(time.Hour)); len(left) > 0 {
			t.Errorf("left are %v", left)
		}
	})
}

func TestKeysAreListedByAge(t *testing.T) {
	each(t, func(t *testing.T, s filestore.Storage) {
		var want []filestore.Key
		for i := range 7 {
			key := filestore.Key{UserID: "u" + string(rune('a'+i%3)), ID: nestor.NewID()}
			if err := s.Put(t.Context(), key, strings.NewReader("x")); err != nil {
				t.Fatal(err)
			}
			want = append(want, key)
		}
		if got := keys(t, s, time.Now().Add(-time.Hour)); len(got) != 0 {
			t.Errorf("too young are %v", got)
		}
		got := keys(t, s, time.Now().Add(time.Hour))
		for _, list := range [][]filestore.Key{got, want} {
			slices.SortFunc(list, func(a, b filestore.Key) int { return strings.Compare(a.UserID+"/"+a.ID, b.UserID+"/"+b.ID) })
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	})
}

func TestASecretThatIsWrongIsNotTold(t *testing.T) {
	env := func(name string) string { return s3test.Env(name) + "x" }
	s, err := s3.Open("s3://bucket?region="+s3test.Region+"&endpoint="+s3test.New(t).URL, env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	err = s.Put(t.Context(), filestore.Key{UserID: "u1", ID: "k1"}, strings.NewReader("x"))
	if !errors.Is(err, nestor.ErrUnavailable) || strings.Contains(err.Error(), s3test.Secret) || !strings.Contains(err.Error(), "InvalidAccessKeyId") {
		t.Errorf("%v", err)
	}
}

func read(t *testing.T, s filestore.Storage, key filestore.Key, offset int64) []byte {
	t.Helper()
	r, err := s.Open(t.Context(), key, offset)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil {
		t.Fatal(err)
	}
	return data
}

func keys(t *testing.T, s filestore.Storage, before time.Time) (all []filestore.Key) {
	t.Helper()
	if err := s.Keys(context.WithoutCancel(t.Context()), before, func(k filestore.Key) error {
		all = append(all, k)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return all
}
