package doctext

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
)

// plainText reads UTF-8, with or without a byte order mark, and UTF-16 with one.
func plainText(data []byte) (string, error) {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(data, []byte("\xFF\xFE")):
		order = binary.LittleEndian
	case bytes.HasPrefix(data, []byte("\xFE\xFF")):
		order = binary.BigEndian
	}
	text := string(bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF")))
	if order != nil {
		if len(data)%2 != 0 {
			return "", nestor.Errorf(nestor.CodeInvalid, "the file begins as UTF-16 text but is cut off in the middle of a character")
		}
		units := make([]uint16, len(data)/2-1)
		for i := range units {
			units[i] = order.Uint16(data[2+2*i:])
		}
		text = string(utf16.Decode(units))
	}
	if !utf8.ValidString(text) {
		return "", nestor.Errorf(nestor.CodeInvalid, "the file is not UTF-8 text; save it as UTF-8, or upload .docx or .pdf")
	}
	for _, r := range text {
		if r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f' && r != '\v' && r != '\x1b' && r != '\b' {
			return "", nestor.Errorf(nestor.CodeInvalid, "the file is binary: its text has the control character %U; upload .md, .txt, .docx or .pdf", r)
		}
	}
	return text, nil
}
