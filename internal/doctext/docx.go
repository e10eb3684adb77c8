package doctext

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/nestorhq/nestor"
)

// What an archive may be. A Word document has some dozens of parts, and its XML
// becomes 10 to 30 times smaller.
const (
	maxEntries  = 2000
	maxInflated = 32 << 20 // bytes of one part that is read, and of all together
	maxRatio    = 200      // of a part of more than ratioFrom
	ratioFrom   = 1 << 20
	maxDepth    = 256 // of XML elements
)

// docxText reads a Word document as Markdown.
func docxText(data []byte) (string, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return "", nestor.Errorf(nestor.CodeInvalid, "the Word document is damaged: its archive cannot be opened; save it again as .docx")
	}
	parts := &parts{byName: map[string]*zip.File{}, left: maxInflated}
	if err := parts.index(archive); err != nil {
		return "", err
	}
	if parts.byName["[Content_Types].xml"] == nil {
		return "", nestor.Errorf(nestor.CodeInvalid, "the file is an archive but no Word document; upload .md, .txt, .docx or .pdf")
	}
	if err := parts.refuseMacros(); err != nil {
		return "", err
	}
	main, err := parts.mainPart()
	if err != nil {
		return "", err
	}
	styles, err := parts.styles(path.Dir(main))
	if err != nil {
		return "", err
	}
	return parts.body(main, styles)
}

// parts are the files in the archive of a Word document.
type parts struct {
	byName map[string]*zip.File
	left   int64 // how many bytes may still be inflated
}

func (p *parts) index(archive *zip.Reader) error {
	if len(archive.File) > maxEntries {
		return nestor.Errorf(nestor.CodeTooLarge, "the Word document has %d parts: at most %d are read", len(archive.File), maxEntries)
	}
	for _, f := range archive.File {
		name := strings.TrimPrefix(f.Name, "/")
		if p.byName[name] != nil {
			return nestor.Errorf(nestor.CodeInvalid, "the Word document is damaged: it has the part %.100q twice", name)
		}
		p.byName[name] = f
		if base := strings.ToLower(path.Base(name)); base == "vbaproject.bin" || base == "vbadata.xml" {
			return errMacros()
		}
	}
	return nil
}

func errMacros() error {
	return nestor.Errorf(nestor.CodeInvalid, "the Word document has macros, which are not accepted; save it as .docx without macros")
}

// open reads one part, at most as much as is left of the bound.
func (p *parts) open(name string) ([]byte, error) {
	f := p.byName[name]
	if f == nil {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the Word document is damaged: it has no part %.100q", name)
	}
	if f.Flags&1 != 0 {
		return nil, nestor.Errorf(nestor.CodeInvalid, "the Word document is protected by a password; save it without one")
	}
	r, err := f.Open()
	if err != nil {
		return nil, damaged(name)
	}
	defer r.Close()
	content, err := io.ReadAll(io.LimitReader(r, p.left+1))
	n := int64(len(content))
	switch {
	case n > p.left, n > ratioFrom && n > maxRatio*int64(f.CompressedSize64):
		return nil, nestor.Errorf(nestor.CodeTooLarge, "the Word document inflates to more than it may (%d MiB, or %d times its size); save it again, or upload its text", maxInflated>>20, maxRatio)
	case err != nil:
		return nil, damaged(name)
	}
	p.left -= n
	return content, nil
}

func damaged(name string) error {
	return nestor.Errorf(nestor.CodeInvalid, "the Word document is damaged: its part %.100q cannot be read; save it again as .docx", name)
}

// refuseMacros looks for the content types of documents that can have macros.
func (p *parts) refuseMacros() error {
	return p.walk("[Content_Types].xml", func(e element) error {
		if strings.Contains(strings.ToLower(e.attr("ContentType")), "macroenabled") || strings.Contains(e.attr("ContentType"), "vbaProject") {
			return errMacros()
		}
		return nil
	})
}

// mainPart is the name of the part that has the text.
func (p *parts) mainPart() (string, error) {
	name := "word/document.xml"
	if p.byName["_rels/.rels"] != nil {
		err := p.walk("_rels/.rels", func(e element) error {
			if strings.HasSuffix(e.attr("Type"), "/officeDocument") && e.attr("TargetMode") != "External" {
				name = strings.TrimPrefix(path.Clean(e.attr("Target")), "/")
			}
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	if p.byName[name] == nil {
		return "", nestor.Errorf(nestor.CodeInvalid, "the file is an archive but no Word document; upload .md, .txt, .docx or .pdf")
	}
	return name, nil
}

// element is the start of an XML element.
type element struct{ xml.StartElement }

// is reports whether e is an element of WordprocessingML.
func (e element) is(local string) bool { return e.Name.Local == local && isWord(e.Name.Space) }

// isWord knows the namespaces of both forms of the standard, transitional and strict.
func isWord(space string) bool {
	return strings.Contains(space, "/wordprocessingml/") && strings.HasSuffix(space, "/main")
}

// attr is the value of an attribute, whatever its namespace; "" if it is absent.
func (e element) attr(local string) string {
	for _, a := range e.Attr {
		if a.Name.Local == local {
			return a.Value
		}
	}
	return ""
}

// on reports whether a switch such as <w:checked w:val="1"/> is on. One without a
// value is.
func (e element) on() bool {
	switch e.attr("val") {
	case "0", "false", "off", "none":
		return false
	}
	return true
}

// walk visits all elements of a part.
func (p *parts) walk(name string, visit func(element) error) error {
	return p.tokens(name, func(t xml.Token) error {
		if start, ok := t.(xml.StartElement); ok {
			return visit(element{start})
		}
		return nil
	})
}

// tokens visits all tokens of a part. There are no entities but those of XML, because
// a part that declares any is refused.
func (p *parts) tokens(name string, visit func(xml.Token) error) error {
	content, err := p.open(name)
	if err != nil {
		return err
	}
	d := xml.NewDecoder(bytes.NewReader(content))
	for depth := 0; ; {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return damaged(name)
		}
		switch t.(type) {
		case xml.Directive:
			return nestor.Errorf(nestor.CodeInvalid, "the Word document declares a document type or entities, which are not accepted; save it again as .docx")
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
		if depth > maxDepth {
			return nestor.Errorf(nestor.CodeInvalid, "the Word document is nested deeper than %d elements; save it again, or upload its text", maxDepth)
		}
		if err := visit(t); err != nil {
			return err
		}
	}
}
