package intake

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files")

// The files of testdata are made by other programs; a .want file beside each has its
// text and its tasks.
func TestUploadsBecomeTextAndTasks(t *testing.T) {
	for name, source := range map[string]string{
		"notes.md": Markdown, "list.txt": Plain, "docxjs.docx": Docx, "pandoc.docx": Docx,
		"chromium.pdf": PDF, "pdfkit.pdf": PDF, "pdflib.pdf": PDF, "cairo.pdf": PDF, "ghostscript.pdf": PDF,
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("testdata", name)
			text, sourceType, err := Text(name, "", testdata(t, name))
			if err != nil || sourceType != source {
				t.Fatalf("%s, %v", sourceType, err)
			}
			var got strings.Builder
			fmt.Fprintf(&got, "%s\n-- tasks --\n", strings.TrimRight(text, "\n"))
			for _, task := range Tasks("doc", text) {
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
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}
