package file

import (
	"bytes"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
)

// Docx is the type of Word documents.
const Docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

// sniffed is how many bytes of a file tell what it is.
const sniffed = 3072

// aliases are the names that a type has beside the one that it is stored under.
var aliases = map[string]string{
	"image/jpg": "image/jpeg", "audio/mp3": "audio/mpeg", "audio/wave": "audio/wav", "audio/x-wav": "audio/wav", "audio/vnd.wave": "audio/wav",
	"application/x-pdf": "application/pdf", "text/x-markdown": "text/markdown", "application/xml": "text/xml", "application/csv": "text/csv",
	"application/x-yaml": "text/yaml", "application/yaml": "text/yaml", "application/javascript": "text/javascript",
	"audio/x-flac": "audio/flac", "application/ogg": "audio/ogg",
}

// binary are the types that are told by the bytes alone.
var binary = []string{
	"image/png", "image/jpeg", "image/gif", "image/webp", "image/heic", "image/heif", "application/pdf", Docx,
	"audio/wav", "audio/mpeg", "audio/ogg", "audio/flac",
}

// textKinds are the types of texts beside text/plain. Bytes do not tell them apart, so the
// name or the client does.
var textKinds = map[string]string{
	".md": "text/markdown", ".markdown": "text/markdown", ".csv": "text/csv", ".json": "application/json", ".html": "text/html", ".htm": "text/html",
	".xml": "text/xml", ".svg": "text/xml", ".yaml": "text/yaml", ".yml": "text/yaml", ".js": "text/javascript", ".css": "text/css",
}

// Kind tells what a file is, by its first bytes. Of texts its name and what the client
// claims say which kind of text it is. It fails with [nestor.CodeInvalid] if the file is
// of no type that can be attached, or is not what the client claims.
func Kind(name, claimed string, head []byte) (string, error) {
	if len(head) == 0 {
		return "", unfit("the file is empty")
	}
	claim := ""
	if claimed != "" {
		parsed, _, err := mime.ParseMediaType(claimed)
		if err != nil {
			return "", unfit("the type %q of the file cannot be read", claimed)
		}
		claim = canonical(parsed)
	}
	found := sniff(head)
	switch {
	case found == "text/plain":
		return textKind(name, claim)
	case !slices.Contains(binary, found):
		return "", unfit("the file is of type %s, which cannot be attached: images (PNG, JPEG, GIF, WebP, HEIC), PDF, Word (.docx), sound (WAV, MP3, Ogg, FLAC) and text can", found)
	case claim != "" && claim != "application/octet-stream" && claim != found:
		return "", unfit("the file is said to be %s, and is %s", claim, found)
	}
	return found, nil
}

func canonical(kind string) string {
	if is, ok := aliases[kind]; ok {
		return is
	}
	return kind
}

// sniff tells the type of bytes: what the standard library knows, and what it does not.
func sniff(head []byte) string {
	is := func(at int, magic string) bool { return len(head) >= at && bytes.HasPrefix(head[at:], []byte(magic)) }
	switch {
	case is(4, "ftypheic"), is(4, "ftypheix"), is(4, "ftyphevc"):
		return "image/heic"
	case is(4, "ftypmif1"), is(4, "ftypheim"):
		return "image/heif"
	case is(0, "fLaC"):
		return "audio/flac"
	case len(head) > 1 && head[0] == 0xff && head[1]&0xe6 == 0xe2: // a frame of MPEG audio, layer III, without a tag
		return "audio/mpeg"
	case is(0, "PK\x03\x04") && bytes.Contains(head, []byte("word/")):
		return Docx
	}
	found, _, err := mime.ParseMediaType(http.DetectContentType(head))
	if err != nil {
		return "application/octet-stream"
	}
	found = canonical(found)
	if strings.HasPrefix(found, "text/") {
		return "text/plain" // also what looks like HTML or XML: which text it is, others say
	}
	return found
}

// textKind is which kind of text a file is, by its name or else by what the client
// claims.
func textKind(name, claim string) (string, error) {
	if kind, ok := textKinds[strings.ToLower(path.Ext(name))]; ok {
		return kind, nil
	}
	switch {
	case claim == "" || claim == "application/octet-stream" || claim == "application/json" || strings.HasPrefix(claim, "text/"):
	case claim == "image/svg+xml":
		return "text/xml", nil
	default:
		return "", unfit("the file is said to be %s, and is text", claim)
	}
	for _, kind := range textKinds {
		if kind == claim {
			return claim, nil
		}
	}
	return "text/plain", nil
}

// IsText reports whether files of a type are text.
func IsText(mediaType string) bool {
	return strings.HasPrefix(mediaType, "text/") || mediaType == "application/json"
}

// Shows reports whether a browser may show files of a type beside the pages of the
// server. Others are for saving only.
func Shows(mediaType string) bool {
	return strings.HasPrefix(mediaType, "image/") || strings.HasPrefix(mediaType, "audio/")
}

// maxName bounds the name of a file in characters.
const maxName = 200

// CleanName is the name of a file without folders and control characters, and not too
// long. What an extension says is kept.
func CleanName(name string) string {
	name = strings.ToValidUTF8(name, "")
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return -1
		}
		return r
	}, name))
	if name == "." || name == ".." {
		return ""
	}
	if utf8.RuneCountInString(name) <= maxName {
		return name
	}
	runes, ext := []rune(name), []rune(path.Ext(name))
	if len(ext) > 20 {
		ext = nil
	}
	return string(runes[:maxName-len(ext)]) + string(ext)
}

// ReasonType is the reason of a refusal because of what a file is.
const ReasonType = "FILE_TYPE"

func unfit(format string, args ...any) error {
	return nestor.Errorf(nestor.CodeInvalid, format, args...).With("field", "file").With("reason", ReasonType)
}
