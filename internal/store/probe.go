package store

import (
	"crypto/rand"
	"encoding/base64"
)

// probeSize is what Ping writes: more than one page of a database, so that a
// disk without room is noticed, and little enough to be written often.
const probeSize = 24 << 10

// Filler is what Ping writes. It is another text each time, and no compression
// makes it small.
func Filler() string {
	b := make([]byte, probeSize)
	rand.Read(b)
	return base64.StdEncoding.EncodeToString(b)
}
