package access

import (
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/nestorhq/nestor"
)

// Key is the server's master key. Keys for single purposes derive from it.
type Key struct{ secret []byte }

const keySize = 32

// LoadKey takes the key from text, the value of NESTOR_SECRET_KEY, or else
// from the file at path, which it creates, readable for its owner only, when
// there is none. Nodes that share a database must share the key.
func LoadKey(text, path string) (*Key, error) {
	if text != "" {
		return ParseKey(text)
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return createKey(path)
	}
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the key file cannot be read: %w", err)
	}
	key, err := ParseKey(strings.TrimSpace(string(b)))
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the key file %s is damaged: restore it, or the secrets it protects are lost", path)
	}
	return key, nil
}

// ParseKey reads the text form of a key: 32 bytes in base64.
func ParseKey(text string) (*Key, error) {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(b) != keySize {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the secret key must be 32 bytes in base64, as made by: openssl rand -base64 32")
	}
	return &Key{b}, nil
}

// createKey writes the file under another name first: a crash leaves either a
// whole key or none, and of two processes that start at once one key wins.
func createKey(path string) (*Key, error) {
	b := make([]byte, keySize)
	rand.Read(b)
	f, err := os.CreateTemp(dir(path), ".key")
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the key file cannot be made: %w", err)
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(base64.StdEncoding.EncodeToString(b) + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Link(f.Name(), path)
	}
	if errors.Is(err, fs.ErrExist) {
		return LoadKey("", path)
	}
	if err != nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the key file cannot be made: %w", err)
	}
	return &Key{b}, nil
}

func dir(path string) string {
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		return path[:i]
	}
	return "."
}

// derive makes the key for one purpose.
func (k *Key) derive(purpose string) []byte {
	b, err := hkdf.Key(sha256.New, k.secret, nil, "nestor "+purpose, keySize)
	if err != nil {
		panic(err) // only for lengths that SHA-256 cannot give
	}
	return b
}

// String hides the key from whoever prints it.
func (k *Key) String() string { return "(hidden)" }
