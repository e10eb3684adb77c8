package pdftext

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

var limits = Limits{Pages: 200, Chars: 1 << 20, Work: 32 << 20}

// seeds are the PDFs of the package beside this one, made by programs of others.
func seeds(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("../testdata/*.pdf")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	all := map[string][]byte{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[filepath.Base(name)] = data
	}
	return all
}

// read reads a file that may be anything, and fails if it takes long or the result is
// none that Text promises.
func read(t *testing.T, data []byte) {
	t.Helper()
	began := time.Now()
	text, err := Text(t.Context(), data, limits)
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %v", took)
	}
	known := false
	for _, k := range []error{ErrDamaged, ErrEncrypted, ErrNoText, ErrPages, ErrChars, ErrWork} {
		known = known || errors.Is(err, k)
	}
	switch {
	case err == nil && (text == "" || !utf8.ValidString(text)):
		t.Errorf("the text is %q", text)
	case err != nil && !known:
		t.Errorf("an unknown error: %v", err)
	}
}

func FuzzText(f *testing.F) {
	for _, data := range seeds(f) {
		f.Add(data)
	}
	for _, data := range hostile {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) { read(t, data) })
}

func TestMutatedFilesAreReadOrRefused(t *testing.T) {
	for name, good := range seeds(t) {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 2))
			for i := range 150 {
				data := bytes.Clone(good)
				for range 1 + random.IntN(8) {
					data[random.IntN(len(data))] = byte(random.IntN(256))
				}
				switch i % 4 {
				case 0:
					data = data[:random.IntN(len(data))]
				case 1: // numbers are places and lengths
					at := random.IntN(len(data))
					for ; at < len(data) && (data[at] < '0' || data[at] > '9'); at++ {
					}
					if at < len(data) {
						data[at] = byte('0' + random.IntN(10))
					}
				}
				read(t, data)
			}
		})
	}
}

// hostile are files that a careless reader hangs or dies on.
var hostile = map[string]string{
	"a reference to itself":             "%PDF-1.4\n1 0 obj 1 0 R endobj\ntrailer <</Root 1 0 R>>",
	"pages in a circle":                 "%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Kids[2 0 R 2 0 R]>> endobj\ntrailer <</Root 1 0 R>>",
	"a length that refers to itself":    "%PDF-1.4\n1 0 obj <</Length 1 0 R>> stream\nx\nendstream endobj\ntrailer <</Root 1 0 R>>",
	"an object stream in itself":        "%PDF-1.5\n1 0 obj <</Type/ObjStm/N 9/First 1/Length 9>> stream\n1 0 1 0 1\nendstream endobj\ntrailer <</Root 1 0 R>>",
	"cross references in a circle":      "%PDF-1.4\nxref\n0 0\ntrailer <</Prev 9/Root 1 0 R>>\nstartxref\n9\n%%EOF",
	"a table of a billion entries":      "%PDF-1.4\nxref\n0 999999999\ntrailer <<>>\nstartxref\n9\n%%EOF",
	"a negative place":                  "%PDF-1.4\nstartxref\n-5\n%%EOF",
	"a million open arrays":             "%PDF-1.4\n1 0 obj " + strings.Repeat("[", 1_000_000),
	"a million open dictionaries":       "%PDF-1.4\n1 0 obj " + strings.Repeat("<</A", 1_000_000),
	"a stream that never ends":          "%PDF-1.4\n1 0 obj <</Length 99>> stream\n",
	"many streams that never end":       "%PDF-1.4\n" + strings.Repeat("1 0 obj<<>>stream\n", 50_000),
	"only a header":                     "%PDF-1.7",
	"forms that draw each other":        document("/A Do /A Do", "<</XObject<</A 5 0 R>>>>", "5 0 obj <</Subtype/Form/Resources<</XObject<</A 5 0 R>>>>/Length 47>> stream\n/A Do /A Do /A Do /A Do /A Do /A Do /A Do /A Do\nendstream endobj"),
	"a font that is its own descendant": document("/F 9 Tf (abc) Tj", "<</Font<</F 5 0 R>>>>", "5 0 obj <</Subtype/Type0/DescendantFonts[5 0 R]/W[0 99999999 5 0 99999999 5]>> endobj"),
	"matrices that overflow":            document("9 Tf "+strings.Repeat("99999999999999 0 0 99999999999999 0 0 cm ", 40)+"BT /F 9 Tf 1 0 0 1 99999999999999 0 Tm (abc) Tj", "<</Font<</F<</Subtype/Type1>>>>>>", ""),
}

// document is a PDF of one page, without cross references.
func document(content, resources, more string) string {
	return "%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Kids[3 0 R]>> endobj\n" +
		"3 0 obj <</Type/Page/Contents 4 0 R/Resources " + resources + ">> endobj\n4 0 obj <<>> stream\n" + content + "\nendstream endobj\n" +
		more + "\ntrailer <</Root 1 0 R>>"
}

const helvetica = "<</Font<</F<</Subtype/Type1/BaseFont/Helvetica>>>>>>"

func TestHostileFilesAreRefusedSoon(t *testing.T) {
	for name, data := range hostile {
		t.Run(name, func(t *testing.T) {
			read(t, []byte(data))
			if text, err := Text(t.Context(), []byte(data), limits); err == nil && !strings.Contains(text, "abc") {
				t.Errorf("it was read as %q", text)
			}
		})
	}
}

// deflated is a stream object whose content is compressed as often as said.
func deflated(num int, content string, times int) string {
	for range times {
		var out bytes.Buffer
		z := zlib.NewWriter(&out)
		_, _ = z.Write([]byte(content)) // a buffer takes all
		_ = z.Close()
		content = out.String()
	}
	return fmt.Sprintf("\n%d 0 obj <</Filter[%s]/Length %d>> stream\n%s\nendstream endobj\n", num, strings.Repeat("/FlateDecode", times), len(content), content)
}

func TestASmallFileTakesLittleMemory(t *testing.T) {
	page := func(streams, resources string) string {
		return "%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Kids[3 0 R]>> endobj\n" +
			"3 0 obj <</Type/Page/Contents[" + streams + "]/Resources " + resources + ">> endobj\n"
	}
	text := "BT /F 10 Tf 50 700 Td (abc) Tj ET "
	wide := "BT /F 10 Tf 50 700 Td <" + strings.Repeat("0041", 100) + "> Tj ET "
	ranges := ""
	for i := range 60 {
		ranges += fmt.Sprintf("%d %d 5 ", i<<16, i<<16|0xFFFF)
	}
	trailer := "trailer <</Root 1 0 R>>"
	for name, c := range map[string]struct {
		data string
		want error
	}{
		"a stream that becomes ten thousand times as much":      {page("4 0 R", helvetica) + deflated(4, text+strings.Repeat(" ", 30<<20), 2) + trailer, ErrWork},
		"a stream that is drawn again and again":                {page(strings.Repeat("4 0 R ", 100), helvetica) + deflated(4, text+strings.Repeat(" ", 1<<19), 2) + trailer, ErrWork},
		"a page of a million letters":                           {page("4 0 R", helvetica) + deflated(4, "BT /F 10 Tf 50 700 Td ("+strings.Repeat("a", 1_000_000)+") Tj ET", 2) + trailer, ErrChars},
		"a page of a million numbers":                           {page("4 0 R", helvetica) + deflated(4, "["+strings.Repeat("1 ", 500_000)+"] TJ "+text, 2) + trailer, ErrWork},
		"a font with the widths of four million letters":        {page("4 0 R", "<</Font<</F<</Subtype/Type0/ToUnicode 5 0 R/DescendantFonts[<</W["+ranges+"]>>]>>>>>>") + deflated(4, wide, 1) + deflated(5, "1 beginbfrange <0041> <0041> <0041> endbfrange", 1) + trailer, nil},
		"a table of contents of a million objects that are not": {page("4 0 R", helvetica) + deflated(4, text, 1) + strings.Replace(deflated(6, strings.Repeat("\x01", 1<<20), 2), "<<", "<</Type/XRef/W[0 1 0]/Index[100 9000000]/Root 1 0 R", 1), ErrWork},
	} {
		t.Run(name, func(t *testing.T) {
			if strings.Contains(c.data, "/XRef") {
				c.data += fmt.Sprintf("startxref\n%d\n%%%%EOF", strings.Index(c.data, "6 0 obj"))
			}
			if len(c.data) > 10_000 {
				t.Fatalf("the file has %d bytes", len(c.data))
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Text(t.Context(), []byte(c.data), Limits{Pages: 200, Chars: 1 << 20, Work: 128 << 20})
			runtime.ReadMemStats(&after)
			took := after.TotalAlloc - before.TotalAlloc
			t.Logf("a file of %d bytes allocates %d kB", len(c.data), took>>10)
			if !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
			if took > 40<<20 {
				t.Errorf("a file of %d bytes allocates %d MiB", len(c.data), took>>20)
			}
		})
	}
}

func TestTextIsPutTogetherFromItsPlaces(t *testing.T) {
	for name, c := range map[string]struct{ content, want string }{
		"words by gaps":                 {"BT /F 10 Tf 50 700 Td (Hello) Tj 30 0 Td (world) Tj ET", "Hello world"},
		"kerning is no gap":             {"BT /F 10 Tf 50 700 Td [(A) 70 (W) 70 (AY)] TJ ET", "AWAY"},
		"a large step in TJ is a space": {"BT /F 10 Tf 50 700 Td [(one) -300 (two)] TJ ET", "one two"},
		"lines by T*":                   {"BT /F 10 Tf 12 TL 50 700 Td (one) Tj T* (two) Tj (three) ' ET", "one\ntwo\nthree"},
		"a blank line between blocks":   {"BT /F 10 Tf 50 700 Td (one) Tj 0 -30 Td (two) Tj ET", "one\n\ntwo"},
		"indentation":                   {"BT /F 10 Tf 50 700 Td (one) Tj 20 -12 Td (two) Tj ET", "one\n    two"},
		"cells by tabs":                 {"BT /F 10 Tf 50 700 Td (one) Tj 90 0 Td (two) Tj ET", "one\ttwo"},
		"drawn in another order":        {"BT /F 10 Tf 90 700 Td (two) Tj -40 0 Td (one) Tj ET", "one\ttwo"},
		"drawn twice for bold":          {"BT /F 10 Tf 50 700 Td (x) Tj ET BT /F 10 Tf 50.2 700 Td (x) Tj ET", "x"},
		"turned by a quarter":           {"0 1 -1 0 0 0 cm BT /F 10 Tf 50 700 Td (one two) Tj 0 -12 Td (three) Tj ET", "one two\nthree"},
		"upside down and back":          {"1 0 0 -1 0 800 cm BT /F 10 Tf 1 0 0 -1 50 100 Tm (one) Tj 1 0 0 -1 50 112 Tm (two) Tj ET", "one\ntwo"},
		"escapes and hex": {`BT /F 10 Tf 50 700 Td (a\(b\)\143\
d) Tj <6566> Tj ET`, "a(b)cdef"},
		"q and Q keep the font":        {"/F 10 Tf q /G 10 Tf Q BT 50 700 Td (kept) Tj ET", "kept"},
		"an image in the content":      {"BI /W 1 ID (((( EI BT /F 10 Tf 50 700 Td (after) Tj ET", "after"},
		"a bullet that is drawn":       {"51 702 3 3 re f BT /F 10 Tf 60 700 Td (item) Tj ET", "• item"},
		"a line that is drawn is none": {"51 702 300 1 re f BT /F 10 Tf 60 700 Td (item) Tj ET", "item"},
		"letters by their spacing":     {"BT /F 10 Tf 1 Tc 50 700 Td (spaced) Tj ET", "spaced"},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := Text(t.Context(), []byte(document(c.content, helvetica, "")), limits)
			if err != nil || strings.TrimSuffix(text, "\n") != c.want {
				t.Errorf("%q, %v; want %q", text, err, c.want)
			}
		})
	}
}

func TestFiltersAreUndone(t *testing.T) {
	const plain = "BT /F 10 Tf 50 700 Td (abc) Tj ET"
	for name, c := range map[string]struct{ dict, data string }{
		"hex":        {"/Filter/ASCIIHexDecode", "4254202f46203130205466203530203730302054642028616263292054 6a204554>"},
		"run length": {"/Filter[/RunLengthDecode]", "\x20" + plain + "\x80"},
		"both":       {"/Filter[/ASCIIHexDecode/RunLengthDecode]", "20" + hexOf(plain) + "80>"},
	} {
		t.Run(name, func(t *testing.T) {
			data := strings.Replace(document(c.data, helvetica, ""), "4 0 obj <<>>", "4 0 obj <<"+c.dict+">>", 1)
			text, err := Text(t.Context(), []byte(data), limits)
			if err != nil || text != "abc\n" {
				t.Errorf("%q, %v", text, err)
			}
		})
	}
	// The example of the standard: the codes of 45 45 45 45 45 65 45 45 45 66.
	if got := unLZW([]byte{0x80, 0x0B, 0x60, 0x50, 0x22, 0x0C, 0x0C, 0x85, 0x01}, true, 100); string(got) != "-----A---B" {
		t.Errorf("LZW: %q", got)
	}
}

func TestLettersAreThoseOfTheirEncoding(t *testing.T) {
	for name, c := range map[string]struct {
		letters [256]string
		codes   string
		want    string
	}{
		"Windows":   {winLetters, "A\x80\x84\x85\x93\x95\x96\x9F\xA9\xB0\xC4\xDF\xE9\xFC\xFF", "A€„…“•–Ÿ©°Äßéüÿ"},
		"Macintosh": {macLetters, "A\x80\x8A\x9F\xA5\xA7\xC9\xD0\xD2\xDB\xDE\xF5\xFF", "AÄäü•ß…–“€ﬁıˇ"},
		"Standard":  {standardLetters, "A'`\xA1\xAA\xAE\xB1\xB7\xBA\xBC\xBF\xC1\xD0\xE1\xE3\xE8\xEB\xF1\xF5\xF8\xFB", "A’‘¡“ﬁ–•”…¿`—ÆªŁºæıłß"},
	} {
		got := ""
		for _, code := range []byte(c.codes) {
			got += c.letters[code]
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	for glyph, want := range map[string]string{
		"eacute": "é", "Lslash": "Ł", "fi": "fi", "f_i": "fi", "a.sc": "a", "uni20AC": "€", "u1F600": "😀", "space": " ", "x": "x", "g123": "", "H18533": "■", "grave": "`",
	} {
		if got := letterNamed(glyph); got != want {
			t.Errorf("%s: %q, want %q", glyph, got, want)
		}
	}
}

func hexOf(s string) string {
	const digits = "0123456789abcdef"
	var out strings.Builder
	for i := range len(s) {
		out.WriteByte(digits[s[i]>>4])
		out.WriteByte(digits[s[i]&15])
	}
	return out.String()
}

func TestLimitsAreKept(t *testing.T) {
	long := document("BT /F 10 Tf 50 700 Td ("+strings.Repeat("a", 1000)+") Tj ET", helvetica, "")
	ended, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("enough")
	cancel(reason)
	for name, c := range map[string]struct {
		ctx    context.Context
		limits Limits
		want   error
	}{
		"characters": {t.Context(), Limits{Pages: 1, Chars: 999, Work: 1 << 20}, ErrChars},
		"pages":      {t.Context(), Limits{Pages: 0, Chars: 9999, Work: 1 << 20}, ErrPages},
		"work":       {t.Context(), Limits{Pages: 1, Chars: 9999, Work: 1000}, ErrWork},
		"time":       {ended, Limits{Pages: 1, Chars: 9999, Work: 1 << 20}, reason},
	} {
		if _, err := Text(c.ctx, []byte(long), c.limits); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Text(t.Context(), []byte(long), Limits{Pages: 1, Chars: 1000, Work: 1 << 20}); err != nil {
		t.Error(err)
	}
}
