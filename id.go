package nestor

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"strconv"
	"time"
)

// idEncoding keeps the order of the bytes it encodes, so ids sort as made.
var idEncoding = base32.NewEncoding("0123456789abcdefghijklmnopqrstuv").WithPadding(base32.NoPadding)

// NewID makes a random id of 20 characters that sorts by the time it was made.
func NewID() string {
	var b [12]byte
	binary.BigEndian.PutUint64(b[:8], uint64(time.Now().UnixMilli())<<16)
	rand.Read(b[6:])
	return idEncoding.EncodeToString(b[:])
}

// DeriveID makes an id of 20 characters from what it stands for: the same
// parts give the same id. Handlers name the documents they create this way, so
// a rerun meets the document of the first run instead of making a second.
func DeriveID(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		var n [4]byte
		binary.BigEndian.PutUint32(n[:], uint32(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return idEncoding.EncodeToString(h.Sum(nil)[:12])
}

func formatInt(n int64) string { return strconv.FormatInt(n, 10) }
