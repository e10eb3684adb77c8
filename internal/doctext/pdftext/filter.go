package pdftext

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"encoding/ascii85"
	"io"
)

// maxFilters is how many encodings a stream may have, one over the other.
const maxFilters = 8

// decode is the content of a stream. What is damaged ends where the damage begins; a
// stream that is no text, such as a picture, has none.
func (f *file) decode(s stream) []byte {
	filters, params := f.list(s.dict["Filter"], s.dict["F"]), f.list(s.dict["DecodeParms"], s.dict["DP"])
	content := s.raw
	if len(filters) > maxFilters {
		return nil
	}
	most := inflated(len(s.raw))
	for i, filter := range filters {
		var p dict
		if i < len(params) {
			p = f.dict(params[i])
		}
		n, _ := f.get(filter).(name)
		switch n {
		case "FlateDecode", "Fl":
			content = f.predict(inflate(content, most), p)
		case "LZWDecode", "LZW":
			content = f.predict(unLZW(content, f.number(p["EarlyChange"], 1) != 0, most), p)
		case "ASCII85Decode", "A85":
			content = unASCII85(content)
		case "ASCIIHexDecode", "AHx":
			content = (&lexer{data: append([]byte("<"), content...)}).hex()
		case "RunLengthDecode", "RL":
			content = unRunLength(content, most)
		default:
			return nil
		}
		if len(content) > most {
			f.budget.exceed()
		}
		if !f.budget.spend(len(content)) {
			return nil
		}
	}
	return content
}

// list is a value that may be absent, one or an array.
func (f *file) list(v, short any) array {
	if v == nil {
		v = short
	}
	switch v := f.get(v).(type) {
	case nil:
		return nil
	case array:
		return v
	case str: // the file of an external stream, which is not read
		return array{name("external")}
	default:
		return array{v}
	}
}

// inflate reads as much as is not damaged, and at most one byte more than most.
func inflate(content []byte, most int) []byte {
	var r io.Reader
	z, err := zlib.NewReader(bytes.NewReader(content))
	if r = z; err != nil {
		if len(content) < 2 {
			return nil
		}
		r = flate.NewReader(bytes.NewReader(content[2:])) // a wrong header
	}
	out, _ := io.ReadAll(io.LimitReader(r, int64(most)+1)) // an error ends it
	return out
}

func unASCII85(content []byte) []byte {
	content = bytes.TrimPrefix(bytes.TrimSpace(content), []byte("<~"))
	if end := bytes.IndexByte(content, '~'); end >= 0 {
		content = content[:end]
	}
	out, _ := io.ReadAll(ascii85.NewDecoder(bytes.NewReader(content))) // an error ends it
	return out
}

func unRunLength(content []byte, most int) (out []byte) {
	for len(content) > 1 && content[0] != 128 && len(out) <= most {
		n := int(content[0])
		if n < 128 {
			n = min(n+1, len(content)-1)
			out = append(out, content[1:1+n]...)
			content = content[1+n:]
			continue
		}
		out = append(out, bytes.Repeat(content[1:2], 257-n)...)
		content = content[2:]
	}
	return out
}

// unLZW decodes PDF's form of LZW, in which codes may grow one code early.
func unLZW(content []byte, early bool, most int) (out []byte) {
	const clearCode, endCode = 256, 257
	type run struct{ from, to int } // a piece of out
	var table [4096]run
	next, width, bits, held := 258, 9, 0, 0
	last := run{-1, -1}
	for _, c := range content {
		held, bits = held<<8|int(c), bits+8
		if bits < width {
			continue
		}
		bits -= width
		code := held >> bits & (1<<width - 1)
		held &= 1<<bits - 1
		from := len(out)
		switch {
		case code == endCode || len(out) > most:
			return out
		case code == clearCode:
			next, width, last = 258, 9, run{-1, -1}
			continue
		case code < 256:
			out = append(out, byte(code))
		case code < next:
			out = append(out, out[table[code].from:table[code].to]...)
		case code == next && last.from >= 0:
			out = append(out, out[last.from:last.to]...)
			out = append(out, out[last.from])
		default:
			return out
		}
		if last.from >= 0 && next < len(table) {
			// The last run and the first byte of this one: they stand side by side.
			table[next] = run{last.from, last.to + 1}
			next++
		}
		last = run{from, len(out)}
		grown := next
		if early {
			grown++
		}
		switch {
		case grown >= 2048:
			width = 12
		case grown >= 1024:
			width = 11
		case grown >= 512:
			width = 10
		}
	}
	return out
}

// predict undoes the differences that were taken before compression.
func (f *file) predict(content []byte, p dict) []byte {
	predictor := int(f.number(p["Predictor"], 1))
	if predictor < 2 {
		return content
	}
	colors, bits, columns := f.number(p["Colors"], 1), f.number(p["BitsPerComponent"], 8), f.number(p["Columns"], 1)
	if colors < 1 || colors > 32 || bits < 1 || bits > 16 || columns < 1 || columns > 1e6 {
		return nil
	}
	size := max(1, int(colors*bits+7)/8)
	row := int(colors*bits*columns+7) / 8
	if predictor == 2 {
		if bits != 8 {
			return nil
		}
		for from := 0; from+row <= len(content); from += row {
			for i := from + size; i < from+row; i++ {
				content[i] += content[i-size]
			}
		}
		return content
	}
	out := make([]byte, 0, len(content))
	above := make([]byte, row)
	for len(content) > 1 {
		kind := content[0]
		line := content[1:min(1+row, len(content))]
		content = content[1+len(line):]
		for i := range line {
			var left, corner byte
			if i >= size {
				left, corner = line[i-size], above[i-size]
			}
			switch kind {
			case 1:
				line[i] += left
			case 2:
				line[i] += above[i]
			case 3:
				line[i] += byte((int(left) + int(above[i])) / 2)
			case 4:
				line[i] += paeth(left, above[i], corner)
			}
		}
		out = append(out, line...)
		if len(line) == row {
			above = line
		}
	}
	return out
}

func paeth(a, b, c byte) byte {
	p := int(a) + int(b) - int(c)
	pa, pb, pc := abs(p-int(a)), abs(p-int(b)), abs(p-int(c))
	switch {
	case pa <= pb && pa <= pc:
		return a
	case pb <= pc:
		return b
	}
	return c
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}
