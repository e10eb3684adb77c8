package doctext

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/nestorhq/nestor"
)

func TestPlainTextIsReadInItsEncoding(t *testing.T) {
	for name, c := range map[string]struct{ data, text string }{
		"UTF-8":                           {"Größe\r\nzwei\rdrei", "Größe\nzwei\ndrei"},
		"UTF-8 with a byte order mark":    {"\xEF\xBB\xBFGröße", "Größe"},
		"UTF-16, little end first":        {"\xFF\xFEG\x00r\x00\xF6\x00\x3D\xD8\x00\xDE", "Grö😀"},
		"UTF-16, big end first":           {"\xFE\xFF\x00G\x00r\x00\xF6", "Grö"},
		"a text that is about %PDF-":      {"A file begins with %PDF-1.4", "A file begins with %PDF-1.4"},
		"an escape of a terminal is kept": {"\x1b[1mbold", "\x1b[1mbold"},
	} {
		t.Run(name, func(t *testing.T) {
			text, sourceType, err := Text("a.txt", "", []byte(c.data))
			if err != nil || text != c.text || sourceType != Plain {
				t.Errorf("%q, %s, %v", text, sourceType, err)
			}
		})
	}
}

func TestTheContentDecidesWhatAFileIs(t *testing.T) {
	docx, pdf := testdata(t, "docxjs.docx"), testdata(t, "pdflib.pdf")
	text := []byte("# A list\n- one item")
	for name, c := range map[string]struct {
		name, contentType string
		data              []byte
		want, message     string
	}{
		"Markdown by its name":         {"a.MD", "", text, Markdown, ""},
		"Markdown by its content type": {"", "text/markdown; charset=utf-8", text, Markdown, ""},
		"text by its name":             {"a.txt", "text/markdown", text, Plain, ""},
		"text that says nothing":       {"", "application/octet-stream", text, Plain, ""},
		"text of an unknown name":      {"notes.org", "", text, Plain, ""},
		"Word without a name":          {"", "", docx, Docx, ""},
		"PDF without a name":           {"", "", pdf, PDF, ""},
		"PDF after other bytes":        {"a.pdf", "", append([]byte("\x00\x01\n"), pdf...), PDF, ""},
		"PDF called text":              {"a.txt", "", pdf, "", "called plain text (.txt) but its content is a PDF"},
		"Word called PDF":              {"a.pdf", "", docx, "", "called a PDF (.pdf) but its content is a Word document"},
		"PDF called Word":              {"a.docx", "", pdf, "", "called a Word document (.docx) but its content is a PDF"},
		"text called Word":             {"a.docx", "", text, "", "its content is not that"},
		"text called PDF by its type":  {"", "application/pdf", text, "", "its content is not that"},
		"Word with macros by its name": {"a.docm", "", docx, "", "files of the type .docm are not read"},
		"a picture":                    {"a.png", "", []byte("\x89PNG\r\n\x1a\n\x00"), "", "files of the type .png are not read"},
		"a picture without a name":     {"", "", []byte("\x89PNG\r\n\x1a\n\x00"), "", "not UTF-8"},
		"NUL in text":                  {"a.txt", "", []byte("a\x00b"), "", "control character U+0000"},
		"Latin-1":                      {"a.txt", "", []byte("Gr\xF6\xDFe"), "", "save it as UTF-8"},
		"half a UTF-16 character":      {"a.txt", "", []byte("\xFF\xFEa"), "", "cut off"},
		"an old Word document":         {"a.docx", "", []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1xxxx"), "", "old Word document"},
		"rich text":                    {"a.txt", "", []byte(`{\rtf1 hello}`), "", ".rtf"},
		"nothing":                      {"a.txt", "", nil, "", "has no text"},
		"only a byte order mark":       {"a.txt", "", []byte("\xFF\xFE"), "", "has no text"},
		"another archive":              {"", "", archive(t, map[string]string{"a.txt": "hello"}), "", "no Word document"},
		"a PDF with a password":        {"a.pdf", "", testdata(t, "locked.pdf"), "", "protected by a password"},
		"a scan":                       {"a.pdf", "", testdata(t, "scan.pdf"), "", "pages are pictures"},
		"half a PDF":                   {"a.pdf", "", []byte("%PDF-1.4\n1 0 obj"), "", "damaged"},
		"half a Word document":         {"a.docx", "", docx[:len(docx)/2], "", "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			_, got, err := Text(c.name, c.contentType, c.data)
			if c.message == "" {
				if err != nil || got != c.want {
					t.Errorf("%s, %v", got, err)
				}
				return
			}
			if !errors.Is(err, nestor.ErrInvalid) || !strings.Contains(err.Error(), c.message) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestWhatIsTooLargeIsRefusedWithItsLimit(t *testing.T) {
	pages := "%PDF-1.4\n1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Kids[" + strings.Repeat("<<>> ", MaxPages+1) + "]>> endobj\ntrailer <</Root 1 0 R>>"
	many := map[string]string{}
	for i := range maxEntries + 1 {
		many[fmt.Sprint(i)] = ""
	}
	zeros := strings.Repeat(" ", 33<<20)
	for name, c := range map[string]struct {
		data    []byte
		message string
	}{
		"the file":                 {make([]byte, MaxUpload+1), "10 MiB"},
		"the text":                 {[]byte(strings.Repeat("ä", MaxText+1)), "1048576 characters"},
		"the pages":                {[]byte(pages), "200 pages"},
		"the text of Word":         {word(t, paragraphs(strings.Repeat("a ", MaxText))), "inflates to more"},
		"the parts of Word":        {archive(t, many), "2000"},
		"a part that is zeros":     {word(t, zeros), "inflates to more"},
		"a part of styles":         {archive(t, map[string]string{"[Content_Types].xml": "<a/>", "word/document.xml": "<a/>", "word/styles.xml": zeros}), "inflates to more"},
		"content types that swell": {archive(t, map[string]string{"[Content_Types].xml": zeros, "word/document.xml": "<a/>"}), "inflates to more"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := Text("", "", c.data)
			if !errors.Is(err, nestor.ErrTooLarge) || !strings.Contains(err.Error(), c.message) {
				t.Errorf("%v", err)
			}
		})
	}
	if text, _, err := Text("", "", []byte(strings.Repeat("ä", MaxText))); err != nil || utf8.RuneCountInString(text) != MaxText {
		t.Errorf("a text of the limit: %v", err)
	}
}

func TestHostileWordDocumentsAreRefused(t *testing.T) {
	const main = "word/document.xml"
	laughs := `<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>`
	for name, c := range map[string]struct {
		parts   map[string]string
		message string
	}{
		"an external entity":         {map[string]string{main: `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><w:document ` + ns + `>&x;</w:document>`}, "entities"},
		"a billion laughs":           {map[string]string{main: laughs + `<w:document ` + ns + `>&b;</w:document>`}, "entities"},
		"an entity nobody declared":  {map[string]string{main: `<w:document ` + ns + `><w:p><w:r><w:t>&x;</w:t></w:r></w:p></w:document>`}, "damaged"},
		"a document type in styles":  {map[string]string{main: paragraphs("x"), "word/styles.xml": `<!DOCTYPE a><a/>`}, "entities"},
		"deep nesting":               {map[string]string{main: strings.Repeat("<a>", 100_000)}, "nested deeper"},
		"tables in tables":           {map[string]string{main: `<w:document ` + ns + `>` + strings.Repeat("<w:tbl><w:tr><w:tc>", 1000)}, "nested deeper"},
		"XML that ends early":        {map[string]string{main: `<w:document ` + ns + `><w:p>`}, "damaged"},
		"macros":                     {map[string]string{main: paragraphs("x"), "word/vbaProject.bin": "x"}, "macros"},
		"macros of another name":     {map[string]string{main: paragraphs("x"), "[Content_Types].xml": `<Types><Override ContentType="application/vnd.ms-word.document.macroEnabled.main+xml"/></Types>`}, "macros"},
		"a main part that is absent": {map[string]string{"_rels/.rels": `<R><Relationship Type="x/officeDocument" Target="../../etc/passwd"/></R>`}, "no Word document"},
		"a main part elsewhere":      {map[string]string{"_rels/.rels": `<R><Relationship Type="x/officeDocument" TargetMode="External" Target="http://example.com/"/></R>`}, "no Word document"},
		"no text":                    {map[string]string{main: paragraphs(" ")}, "no text"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.parts["[Content_Types].xml"] == "" {
				c.parts["[Content_Types].xml"] = "<Types/>"
			}
			_, _, err := Text("a.docx", "", archive(t, c.parts))
			if !errors.Is(err, nestor.ErrInvalid) || !strings.Contains(err.Error(), c.message) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestWordIsReadAsMarkdown(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"tabs, breaks and hyphens":     {p(r(`a<w:tab/>b<w:br/>c<w:noBreakHyphen/>d`)), "a\tb\nc-d"},
		"deleted and moved text":       {p(`<w:del>` + r("old") + `</w:del><w:moveFrom>` + r("gone") + `</w:moveFrom><w:ins>` + r("new") + `</w:ins>`), "new"},
		"hidden text":                  {p(r("a") + `<w:r><w:rPr><w:vanish/></w:rPr><w:t>b</w:t></w:r>` + r("c")), "ac"},
		"codes of fields":              {p(`<w:r><w:instrText>PAGE</w:instrText></w:r>` + r("7")), "7"},
		"a second form of the content": {`<mc:AlternateContent xmlns:mc="m"><mc:Choice>` + p(r("a")) + `</mc:Choice><mc:Fallback>` + p(r("b")) + `</mc:Fallback></mc:AlternateContent>`, "a"},
		"a heading by its outline":     {p(`<w:pPr><w:outlineLvl w:val="1"/></w:pPr>` + r("Title")), "## Title"},
		"a list that is switched off":  {p(`<w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="0"/></w:numPr></w:pPr>` + r("no item")), "no item"},
		"a box of the form fields":     {p(`<w:r><w:ffData><w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox></w:ffData></w:r>` + r("done")), "- [x] done"},
		"an empty box of form fields":  {p(`<w:r><w:ffData><w:checkBox><w:default w:val="0"/></w:checkBox></w:ffData></w:r>` + r("open")), "- [ ] open"},
		"a box of Wingdings":           {p(`<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>` + r("done")), "- [x] done"},
		"a box as a letter":            {p(r("☐ open")), "- [ ] open"},
		"a row of one cell":            {`<w:tbl><w:tr><w:tc>` + p(r("☐ open")) + p(r("words")) + `</w:tc></w:tr></w:tbl>`, "- [ ] open\nwords"},
		"a table in a table":           {`<w:tbl><w:tr><w:tc>` + p(r("a")) + `</w:tc><w:tc><w:tbl><w:tr><w:tc>` + p(r("b")) + `</w:tc><w:tc>` + p(r("c")) + `</w:tc></w:tr></w:tbl></w:tc></w:tr></w:tbl>`, "| a | b c |\n| --- | --- |"},
		"a text box in a paragraph":    {p(r("a") + `<w:r><w:txbxContent>` + p(r("inside")) + `</w:txbxContent></w:r>` + r("b")), "inside\n\nab"},
	} {
		t.Run(name, func(t *testing.T) {
			text, _, err := Text("a.docx", "", word(t, `<w:document `+ns+`><w:body>`+c.body+`</w:body></w:document>`))
			if err != nil || strings.TrimSpace(text) != c.want {
				t.Errorf("%q, %v; want %q", text, err, c.want)
			}
		})
	}
}

const ns = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`

func p(content string) string { return "<w:p>" + content + "</w:p>" }

// r is a run of text, in which elements may stand.
func r(text string) string {
	text = strings.NewReplacer("<", "</w:t><", "/>", "/><w:t>").Replace(text)
	return "<w:r><w:t>" + text + "</w:t></w:r>"
}

func paragraphs(text string) string {
	return `<w:document ` + ns + `><w:body>` + p(r(text)) + `</w:body></w:document>`
}

// word is a Word document with a main part only.
func word(t testing.TB, main string) []byte {
	return archive(t, map[string]string{"[Content_Types].xml": "<Types/>", "word/document.xml": main})
}

func archive(t testing.TB, parts map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, content := range parts {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// accept reads anything and fails if that takes long, if the error has no code, or if
// the text is none.
func accept(t *testing.T, name string, data []byte) {
	t.Helper()
	began := time.Now()
	text, _, err := Text(name, "", data)
	if err != nil && !errors.Is(err, nestor.ErrInvalid) && !errors.Is(err, nestor.ErrTooLarge) {
		t.Errorf("%v", err)
	}
	if !utf8.ValidString(text) {
		t.Error("it is not text")
	}
	if took := time.Since(began); took > time.Minute {
		t.Errorf("it took %v", took)
	}
}

func FuzzText(f *testing.F) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		f.Add(testdata(f, filepath.Base(file)))
	}
	f.Fuzz(func(t *testing.T, data []byte) { accept(t, "", data) })
}

func TestMutatedUploadsAreReadOrRefused(t *testing.T) {
	for _, name := range []string{"docxjs.docx", "pandoc.docx", "notes.md", "list.txt", "chromium.pdf"} {
		good := testdata(t, name)
		random := rand.New(rand.NewPCG(3, 4))
		for i := range 150 {
			data := bytes.Clone(good)
			for range 1 + random.IntN(6) {
				data[random.IntN(len(data))] = byte(random.IntN(256))
			}
			if i%5 == 0 {
				data = data[:random.IntN(len(data))]
			}
			accept(t, name, data)
		}
	}
	// An archive has checksums, so the XML in it is changed before it is packed.
	random := rand.New(rand.NewPCG(5, 6))
	good := []byte(paragraphs(`one<w:tab/>two`) + strings.Repeat(p(`<w:pPr><w:pStyle w:val="x"/><w:numPr><w:ilvl w:val="1"/></w:numPr></w:pPr>`+r("☐ item")), 5))
	for range 300 {
		data := bytes.Clone(good)
		for range 1 + random.IntN(4) {
			data[random.IntN(len(data))] = byte(random.IntN(128))
		}
		accept(t, "a.docx", word(t, string(data)))
	}
}

func testdata(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
