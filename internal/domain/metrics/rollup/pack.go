package rollup

import (
	"encoding/base64"
	"encoding/binary"
	"maps"
	"slices"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/domain/metrics/sketch"
)

// Series are stored as text: bytes in base64, of which the first is that of their
// [sketch.Format]. Each series follows with how many bytes its key shares with the key
// before, the rest of the key, and its sketch.

// partSize is how many bytes of series a document has, unless one series has more.
const partSize = 48 << 10

// parts writes series as text, in pieces of about partSize bytes.
func (s series) parts() (texts []string) {
	var b, one []byte
	last := ""
	for _, key := range slices.Sorted(maps.Keys(s)) {
		if len(b) > partSize {
			texts, b = append(texts, base64.StdEncoding.EncodeToString(b)), nil
		}
		if b == nil {
			b, last = []byte{byte(sketch.Packed)}, ""
		}
		n := shared(last, key)
		b = binary.AppendUvarint(b, uint64(n))
		b = binary.AppendUvarint(b, uint64(len(key)-n))
		b = append(b, key[n:]...)
		one = s[key].Append(one[:0])
		b = binary.AppendUvarint(b, uint64(len(one)))
		b = append(b, one...)
		last = key
	}
	if b != nil {
		texts = append(texts, base64.StdEncoding.EncodeToString(b))
	}
	return texts
}

// shared is how many bytes two texts have in common at their beginning.
func shared(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// unpacker reads what [series.parts] wrote. It keeps its memory from text to text.
type unpacker struct {
	bytes, key []byte
	sketch.Reader
}

// each calls fn with the series of a text and the bytes of their sketches, which are good
// until fn returns.
func (u *unpacker) each(text []byte, fn func(key, one []byte) error) (err error) {
	u.bytes, err = base64.StdEncoding.AppendDecode(u.bytes[:0], text)
	if err != nil || len(u.bytes) == 0 || u.bytes[0] < byte(sketch.Pairs) || u.bytes[0] > byte(sketch.Packed) {
		return nestor.Errorf(nestor.CodeInternal, "a roll-up of metrics cannot be read")
	}
	u.Format, u.key = sketch.Format(u.bytes[0]), u.key[:0]
	for b := u.bytes[1:]; len(b) > 0; {
		n, size := uint64(0), 0
		if u.Format == sketch.Packed {
			n, size = binary.Uvarint(b)
		}
		if size < 0 || n > uint64(len(u.key)) {
			return errCutOff()
		}
		b = b[size:]
		rest, ok := piece(&b)
		one, also := piece(&b)
		if !ok || !also {
			return errCutOff()
		}
		u.key = append(u.key[:n], rest...)
		if err := fn(u.key, one); err != nil {
			return err
		}
	}
	return nil
}

func errCutOff() error { return nestor.Errorf(nestor.CodeInternal, "a roll-up of metrics is cut off") }

// piece takes bytes that begin with their length from the front of b.
func piece(b *[]byte) ([]byte, bool) {
	n, size := binary.Uvarint(*b)
	if size <= 0 || n > uint64(len(*b)-size) {
		return nil, false
	}
	end := size + int(n)
	p := (*b)[size:end]
	*b = (*b)[end:]
	return p, true
}

// read adds the series of a text.
func (s series) read(u *unpacker, text []byte) error {
	return u.each(text, func(key, one []byte) error { return u.Merge(s.of(string(key)), one) })
}
