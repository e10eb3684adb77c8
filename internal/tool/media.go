package tool

import (
	"encoding/base64"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/nestorhq/nestor"
)

// Output is what a tool returns: a text, and images and files that models which
// take them are shown beside it. The text must describe each of them, as
// [Describe] does: it is all that other models get.
type Output struct {
	Text  string
	Media []nestor.Media
}

// MaxMedia bounds the media of one result in bytes: the model is shown them again at
// every step.
const MaxMedia = 8 << 20

// maxMediaPieces bounds how many images and files of one result are kept: each becomes
// a file, and a part of a message.
const maxMediaPieces = 64

// Bounds of what a tool says about media.
const (
	maxMediaName = 200
	maxMediaURI  = 2 << 10
)

// mediaTypes are the types that some provider takes, under all their names.
var mediaTypes = map[string]string{
	"image/png":       "image/png",
	"image/jpeg":      "image/jpeg",
	"image/jpg":       "image/jpeg",
	"image/gif":       "image/gif",
	"image/webp":      "image/webp",
	"application/pdf": "application/pdf",
	"audio/wav":       "audio/wav",
	"audio/wave":      "audio/wav",
	"audio/x-wav":     "audio/wav",
	"audio/mpeg":      "audio/mpeg",
	"audio/mp3":       "audio/mpeg",
}

// NewMedia makes an attachment of data that a tool says is of a type. It reports
// false for what no provider takes. Of an image or a PDF the data decide: a
// provider refuses a request whose image is not what it is said to be.
func NewMedia(declared, name, uri string, data []byte) (nestor.Media, bool) {
	kind, _, err := mime.ParseMediaType(declared)
	if err != nil && declared != "" || len(data) == 0 {
		return nestor.Media{}, false
	}
	found, known := mediaTypes[kind]
	if !strings.HasPrefix(found, "audio/") {
		if known = known || kind == "" || kind == "application/octet-stream"; known {
			found, known = mediaTypes[http.DetectContentType(data)]
		}
	}
	name, _ = cut(name, maxMediaName)
	if len(uri) > maxMediaURI {
		uri = "" // a part of it leads nowhere
	}
	return nestor.Media{MIMEType: found, Name: name, URI: uri, Data: base64.StdEncoding.EncodeToString(data)}, known
}

// Describe is what a model reads of media, whether or not it sees them.
func Describe(what, mimeType, name string, size int) string {
	if name != "" {
		what += " " + name
	}
	if mimeType == "" {
		mimeType = "unknown type"
	} else {
		mimeType = "type " + mimeType
	}
	return fmt.Sprintf("[%s of %s, %d bytes]", what, mimeType, size)
}

// keep adds media to the result as far as they fit, and says of the others that
// they are only described.
func (r *Result) keep(media []nestor.Media) {
	room, left := base64.StdEncoding.EncodedLen(MaxMedia), 0
	for _, m := range media {
		if len(m.Data) > room || len(r.Media) == maxMediaPieces {
			left++
			continue
		}
		room -= len(m.Data)
		r.Media = append(r.Media, m)
	}
	if left > 0 {
		r.Output += fmt.Sprintf("\n[too large, or too many, to be shown: %d of %d images and files; they are only described]", left, len(media))
	}
}
