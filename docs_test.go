package nestor_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every test that docs/guarantees.md names exists.
func TestTheGuaranteesNameTestsThatExist(t *testing.T) {
	text, err := os.ReadFile("docs/guarantees.md")
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`(\\S+) ((?:Test|Fuzz)\\w+)`").FindAllStringSubmatch(string(text), -1)
	if len(named) < 50 {
		t.Fatalf("only %d tests are named", len(named))
	}
	for _, m := range regexp.MustCompile("`transcript (\\w+)`").FindAllStringSubmatch(string(text), -1) {
		if _, err := os.Stat(filepath.Join("internal/agent/testdata", m[1]+".txtar")); err != nil {
			t.Errorf("there is no transcript %s", m[1])
		}
	}
	for _, m := range named {
		dir, test := m[1], m[2]
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, file := range files {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			found = found || strings.Contains(string(source), "\nfunc "+test+"(")
		}
		if !found {
			t.Errorf("%s has no %s", dir, test)
		}
	}
}

// A group of the tests for both engines, a browser test with its title, and every other file
// that docs/guarantees.md names as a test, exist.
func TestTheGuaranteesNameGroupsTitlesAndFilesThatExist(t *testing.T) {
	text, err := os.ReadFile("docs/guarantees.md")
	if err != nil {
		t.Fatal(err)
	}
	contract, err := os.ReadFile("internal/store/storetest/storetest.go")
	if err != nil {
		t.Fatal(err)
	}
	groups := regexp.MustCompile("`internal/store/storetest: (\\w+)`").FindAllStringSubmatch(string(text), -1)
	for _, m := range groups {
		if !strings.Contains(string(contract), "\t\t{\""+m[1]+"\", ") {
			t.Errorf("internal/store/storetest has no group %s", m[1])
		}
	}
	for _, m := range regexp.MustCompile("`e2e (\\w+)`").FindAllStringSubmatch(string(text), -1) {
		specTitles(t, m[1]+".spec.ts")
	}
	named := 0
	for _, m := range regexp.MustCompile("`(\\w+\\.spec\\.ts)`(?:: ([^`|\n]*))?").FindAllStringSubmatch(string(text), -1) {
		titles := specTitles(t, m[1])
		for title := range strings.SplitSeq(m[2], ";") {
			title = strings.Trim(title, " .,")
			if title == "" {
				continue
			}
			named++
			// What a title begins with may be told by the promise, and is left out then.
			if !slices.ContainsFunc(titles, func(t string) bool { return strings.Contains(t, title) }) {
				t.Errorf("web/e2e/%s has no test %q", m[1], title)
			}
		}
	}
	for _, m := range regexp.MustCompile("`((?:web|clients)/[\\w./]+\\.(?:ts|mjs))`").FindAllStringSubmatch(string(text), -1) {
		if _, err := os.Stat(m[1]); err != nil {
			t.Errorf("there is no %s", m[1])
		}
	}
	if len(groups) < 15 || named < 30 {
		t.Errorf("only %d groups and %d titles are named", len(groups), named)
	}
}

// specTitles are the titles of the tests in a file of web/e2e.
func specTitles(t *testing.T, file string) (titles []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("web/e2e", file))
	if err != nil {
		t.Error(err)
	}
	for _, m := range regexp.MustCompile("\\btest(?:\\.\\w+)*\\(\\s*[\"`]([^\"`]+)[\"`]").FindAllStringSubmatch(string(text), -1) {
		titles = append(titles, m[1])
	}
	return titles
}

// What CONTRIBUTING.md names exists, and a name of Go code stands in the file that
// is named before it.
func TestTheWalkNamesWhatExists(t *testing.T) {
	text, err := os.ReadFile("CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	declared := declarations(t)
	file, names := "", 0
	for _, m := range regexp.MustCompile("`([^`\\s]+)`").FindAllStringSubmatch(string(text), -1) {
		name := m[1]
		switch _, isFile := declared[name]; {
		case isFile:
			file = name
		case fileName.MatchString(name):
			if _, err := os.Stat(name); err != nil {
				t.Errorf("there is no %s", name)
			}
		case goName.MatchString(name):
			names++
			if !declared[file][name] {
				t.Errorf("%s has no %s; it is in %v", file, name, declaring(declared, name))
			}
		}
	}
	if names < 40 {
		t.Errorf("only %d names were found", names)
	}
}

var (
	// fileName matches a path in the tree: one of this folder has an ending.
	fileName = regexp.MustCompile(`^(?:[a-z]\w*/[\w./-]+|[A-Za-z_]+\.(?:go|md|json))$`)
	// goName matches package.Name, (*Type).Method and (Type).Method.
	goName = regexp.MustCompile(`^(?:\w+|\(\*?\w+\))\.\w+$`)
)

// declarations are the names that each Go file of the module declares, as
// CONTRIBUTING.md writes them.
func declarations(t *testing.T) map[string]map[string]bool {
	t.Helper()
	files := map[string]map[string]bool{}
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == "testdata") {
			return fs.SkipDir
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files[name] = declaredIn(parsed)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func declaredIn(file *ast.File) map[string]bool {
	names := map[string]bool{}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names[file.Name.Name+"."+d.Name.Name] = true
				continue
			}
			names["("+receiver(d.Recv.List[0].Type)+")."+d.Name.Name] = true
		case *ast.GenDecl:
			for _, s := range d.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					names[file.Name.Name+"."+s.Name.Name] = true
				case *ast.ValueSpec:
					for _, id := range s.Names {
						names[file.Name.Name+"."+id.Name] = true
					}
				}
			}
		}
	}
	return names
}

// receiver is the type of a method as it is written, without its parameters.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return "*" + receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

func declaring(files map[string]map[string]bool, name string) (found []string) {
	for file, names := range files {
		if names[name] {
			found = append(found, file)
		}
	}
	slices.Sort(found)
	return found
}

// The overview of the doors shows the clients that their pages show, which tests run.
func TestTheOverviewOfTheDoorsShowsTheClientsOfTheirPages(t *testing.T) {
	overview, err := os.ReadFile("docs/doors.md")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob("docs/doors/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal("there are no pages", err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		client := regexp.MustCompile("(?s)```js\n.*?```\n").Find(text)
		if client == nil || !strings.Contains(string(overview), string(client)) {
			t.Errorf("docs/doors.md does not show the client of %s", page)
		}
	}
}
