package connection

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/nestorhq/nestor"
)

// media is the setting of which media a model is shown: false for none, true for what
// its provider takes, or a list of kinds for a server that takes others.
type media struct {
	none  bool
	kinds []string
}

// mediaTypes are the types of each kind, as far as all formats can carry them.
var mediaTypes = map[string][]string{
	"image": {"image/png", "image/jpeg", "image/gif", "image/webp"},
	"pdf":   {"application/pdf"},
	"audio": {"audio/wav", "audio/mpeg"},
}

// UnmarshalJSON implements [json.Unmarshaler].
func (m *media) UnmarshalJSON(text []byte) error {
	switch text = bytes.TrimSpace(text); string(text) {
	case "null", "true", "false":
		*m = media{none: string(text) == "false"}
		return nil
	}
	kinds := []string{}
	if json.Unmarshal(text, &kinds) != nil || slices.ContainsFunc(kinds, func(k string) bool { return mediaTypes[k] == nil }) {
		return nestor.Errorf(nestor.CodeInvalid, "media is true, false or a list of image, pdf and audio, not %s", strings.ToValidUTF8(string(text[:min(len(text), 100)]), ""))
	}
	*m = media{kinds: kinds}
	return nil
}

// has reports whether a type is of one of the kinds.
func (m media) has(mimeType string) bool {
	return slices.ContainsFunc(m.kinds, func(k string) bool { return slices.Contains(mediaTypes[k], mimeType) })
}
