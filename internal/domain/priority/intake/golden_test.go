package intake

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nestorhq/nestor/internal/doctext"
)

var update = flag.Bool("update", false, "write the golden files")

// uploads are the files that the reader of texts is tested with.
const uploads = "../../../doctext/testdata"

// The files there are made by other programs; a .want file beside each has its
// text and its tasks.
func TestUploadsBecomeTextAndTasks(t *testing.T) {
	for name, source := range map[string]string{
		"notes.md": doctext.Markdown, "list.txt": doctext.Plain, "docxjs.docx": doctext.Docx, "pandoc.docx": doctext.Docx,
		"chromium.pdf": doctext.PDF, "pdfkit.pdf": doctext.PDF, "pdflib.pdf": doctext.PDF, "cairo.pdf": doctext.PDF, "ghostscript.pdf": doctext.PDF,
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(uploads, name)
			text, sourceType, err := doctext.Text(name, "", testdata(t, name))
			if err != nil || sourceType != source {
				t.Fatalf("%s, %v", sourceType, err)
			}
			var got strings.Builder
			fmt.Fprintf(&got, "%s\n-- tasks --\n", strings.TrimRight(text, "\n"))
			for _, task := range Tasks("doc", text, added) {
				fmt.Fprintf(&got, "%s %gh done=%t %s\n", task.ID, task.EffortHours, task.Done, task.Text)
			}
			if *update {
				if err := os.WriteFile(file+".want", []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file + ".want")
			if err != nil {
				t.Fatal(err)
			}
			if got.String() != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got.String(), want)
			}
		})
	}
}

func testdata(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(uploads, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
