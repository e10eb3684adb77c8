package doctext

import (
	"bytes"
	"mime"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
)

// How much one upload may be.
const (
	MaxUpload = 10 << 20 // bytes of the file
	MaxPages  = 200      // pages of a PDF
	MaxText   = 1 << 20  // characters of its text
)

// The forms that a document can come in. These are the values of source_type.
const (
	Markdown = "markdown"
	Plain    = "text"
	Docx     = "docx"
	PDF      = "pdf"
)

// Text reads an upload. The content decides what it is; the name and the content
// type only tell Markdown from plain text, and must not claim something else. The
// text has \n as line ends. Word documents come out as Markdown.
//
// It fails with nestor.CodeTooLarge above a limit, and with nestor.CodeInvalid for a
// file that cannot be read; the message is for the person who uploaded it.
func Text(name, contentType string, data []byte) (text, sourceType string, err error) {
	if err := CheckSize(int64(len(data))); err != nil {
		return "", "", err
	}
	sourceType, err = recognise(name, contentType, data)
	if err != nil {
		return "", "", err
	}
	switch sourceType {
	case Docx:
		text, err = docxText(data)
	case PDF:
		text, err = pdfText(data)
	default:
		text, err = plainText(data)
	}
	if err != nil {
		return "", "", err
	}
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	if strings.TrimSpace(text) == "" {
		return "", "", nestor.Errorf(nestor.CodeInvalid, "the file has no text")
	}
	if n := utf8.RuneCountInString(text); n > MaxText {
		return "", "", tooMuchText()
	}
	return text, sourceType, nil
}

// CheckSize fails with nestor.CodeTooLarge for a file that is not read because of its
// size.
func CheckSize(bytes int64) error {
	if bytes > MaxUpload {
		return nestor.Errorf(nestor.CodeTooLarge, "the file has %d bytes: at most %d (10 MiB) are read; split it or upload its text only", bytes, MaxUpload)
	}
	return nil
}

func tooMuchText() error {
	return nestor.Errorf(nestor.CodeTooLarge, "the file has more than %d characters of text; split it into several documents", MaxText)
}

// recognise tells by the content what a file is.
func recognise(name, contentType string, data []byte) (string, error) {
	claimed := claim(name, contentType)
	found := ""
	switch {
	case bytes.HasPrefix(data, []byte("PK\x03\x04")), bytes.HasPrefix(data, []byte("PK\x05\x06")):
		found = Docx // docxText says if it is another archive
	case isPDF(data):
		found = PDF
	case bytes.HasPrefix(data, []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")):
		return "", nestor.Errorf(nestor.CodeInvalid, "the file is an old Word document (.doc) or is protected by a password; save it as .docx without a password")
	case bytes.HasPrefix(data, []byte(`{\rtf`)):
		return "", nestor.Errorf(nestor.CodeInvalid, "the file is rich text (.rtf); save it as .docx or plain text")
	case claimed == Markdown:
		found = Markdown
	default:
		found = Plain
	}
	switch claimed {
	case "", found:
		return found, nil
	case Markdown, Plain:
		if found == Plain { // not reached for Markdown
			return found, nil
		}
	case Docx, PDF:
		if found == Plain {
			return "", nestor.Errorf(nestor.CodeInvalid, "the file is called %s but its content is not that; it is damaged or has the wrong name", names[claimed])
		}
	default:
		return "", nestor.Errorf(nestor.CodeInvalid, "files of the type %s are not read; upload .md, .txt, .docx or .pdf", claimed)
	}
	return "", nestor.Errorf(nestor.CodeInvalid, "the file is called %s but its content is %s; give it the right name", names[claimed], names[found])
}

// names are what people call the forms.
var names = map[string]string{Markdown: "Markdown (.md)", Plain: "plain text (.txt)", Docx: "a Word document (.docx)", PDF: "a PDF (.pdf)"}

// claim is what a file says that it is: by its name, else by its content type. It is
// "" for a file that says nothing, and the extension for one that we do not read.
func claim(name, contentType string) string {
	switch ext := strings.ToLower(path.Ext(strings.ReplaceAll(name, `\`, "/"))); ext {
	case ".md", ".markdown", ".mdown", ".mkd":
		return Markdown
	case ".txt", ".text":
		return Plain
	case ".docx":
		return Docx
	case ".pdf":
		return PDF
	case ".docm", ".dotm", ".doc", ".rtf", ".odt", ".pages", ".xlsx", ".pptx", ".epub", ".zip", ".html", ".htm", ".png", ".jpg", ".jpeg", ".gif", ".exe":
		return ext
	}
	kind, _, _ := mime.ParseMediaType(contentType) // one that cannot be read says nothing
	switch kind {
	case "text/markdown", "text/x-markdown":
		return Markdown
	case "text/plain":
		return Plain
	case "application/pdf":
		return PDF
	case "application/vnd.openxmlformats-officedocument.wordprocessingml.document":
		return Docx
	}
	return ""
}

// isPDF: the header may come after some other bytes, as all readers allow.
func isPDF(data []byte) bool {
	return bytes.Contains(data[:min(len(data), 1024)], []byte("%PDF-")) && !utf8TextBefore(data)
}

// utf8TextBefore reports whether words stand before the header, so that the file is
// a text about PDF.
func utf8TextBefore(data []byte) bool {
	before := data[:bytes.Index(data, []byte("%PDF-"))]
	return len(bytes.TrimSpace(bytes.TrimPrefix(before, []byte("\xEF\xBB\xBF")))) > 0 && utf8.Valid(data)
}
