package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// chosen is the environment variable that holds the name of the mutant that a
// woven program is; without it, the program is as it was.
const chosen = "NESTOR_MUTANT"

// weave writes into folder a program that can become any of the mutants when it
// starts, and returns the overlay with which the go command builds it. So all of
// them are compiled and linked once. Those whose change is outside of functions
// are returned: each of them needs a build of its own.
func weave(root, folder string, list []mutant) (overlay string, alone []mutant, err error) {
	files := map[string][]mutant{}
	for _, m := range list {
		files[m.file] = append(files[m.file], m)
	}
	replace := map[string]string{}
	for file, of := range files {
		text, pkg, rest, err := woven(root, file, of)
		if err != nil {
			return "", nil, err
		}
		alone = append(alone, rest...)
		if len(rest) == len(of) {
			continue
		}
		if err := lay(replace, folder, filepath.Join(root, file), text); err != nil {
			return "", nil, err
		}
		which := fmt.Sprintf("package %s\n\nimport \"os\"\n\nvar mutant__ = os.Getenv(%q)\n", pkg, chosen)
		if err := lay(replace, folder, filepath.Join(root, filepath.Dir(file), "mutant__.go"), which); err != nil {
			return "", nil, err
		}
	}
	overlay, err = writeOverlay(folder, replace)
	return overlay, alone, err
}

// woven is the text of a file in which each function that a mutant changes begins
// with its changed body, for the time that this mutant is chosen.
func woven(root, file string, of []mutant) (text, pkg string, alone []mutant, err error) {
	whole, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		return "", "", nil, err
	}
	type insertion struct {
		at   int
		text string
	}
	var insertions []insertion
	for _, m := range of {
		broken, err := m.broken(root)
		if err != nil {
			return "", "", nil, err
		}
		at := strings.Index(string(whole), m.old)
		before, name, err := function(string(whole), at, at+len(m.old))
		if err != nil {
			return "", "", nil, err
		}
		after, _, err := function(broken, at, at+len(m.new))
		if err != nil {
			return "", "", nil, fmt.Errorf("%s: %w", m.promise, err)
		}
		pkg = name
		if before == nil || after == nil {
			alone = append(alone, m)
			continue
		}
		insertions = append(insertions, insertion{
			before.begin,
			fmt.Sprintf(" if mutant__ == %q {%s%s\n}; ", m.name, relabelled(after, m.name), after.end),
		})
	}
	slices.SortFunc(insertions, func(a, b insertion) int { return b.at - a.at })
	text = string(whole)
	for _, i := range insertions {
		text = text[:i.at] + i.text + text[i.at:]
	}
	return text, pkg, alone, nil
}

// body is the text between the braces of a function, which begins at a place of
// its file.
type body struct {
	begin  int
	text   string
	end    string // leaves a function that may come to its end
	labels []int  // where the text names labels
}

// function returns the body of the outermost function that holds a part of a file, or nil
// if none does, and the name of the package.
func function(text string, from, to int) (*body, string, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", text, parser.SkipObjectResolution)
	if err != nil {
		return nil, "", err
	}
	var found *body
	look := func(of *ast.FuncType, block *ast.BlockStmt) {
		if block == nil || found != nil {
			return
		}
		begin, end := set.Position(block.Lbrace).Offset+1, set.Position(block.Rbrace).Offset
		if from < begin || end < to {
			return
		}
		found = &body{begin: begin, text: text[begin:end]}
		if of.Results == nil {
			found.end = "\nreturn"
		}
		ast.Inspect(block, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.LabeledStmt:
				found.labels = append(found.labels, set.Position(n.Label.End()).Offset-begin)
			case *ast.BranchStmt:
				if n.Label != nil {
					found.labels = append(found.labels, set.Position(n.Label.End()).Offset-begin)
				}
			}
			return true
		})
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			look(n.Type, n.Body)
		case *ast.FuncLit:
			look(n.Type, n.Body)
		}
		return found == nil
	})
	return found, file.Name.Name, nil
}

// relabelled is the text of a body that stands in a function that has the same labels.
func relabelled(b *body, name string) string {
	text := b.text
	slices.Sort(b.labels)
	for _, at := range slices.Backward(b.labels) {
		text = text[:at] + "__" + name + text[at:]
	}
	return text
}

// overlay has the go command build this mutant alone.
func (m mutant) overlay(root, folder string) (string, error) {
	text, err := m.broken(root)
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	if err := lay(replace, folder, filepath.Join(root, m.file), text); err != nil {
		return "", err
	}
	return writeOverlay(folder, replace)
}

// lay has text take the place of a file.
func lay(replace map[string]string, folder, file, text string) error {
	if replace[file] != "" {
		return nil
	}
	replace[file] = filepath.Join(folder, fmt.Sprintf("%d-%s", len(replace), filepath.Base(file)))
	return os.WriteFile(replace[file], []byte(text), 0o600)
}

func writeOverlay(folder string, replace map[string]string) (string, error) {
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(folder, "overlay.json")
	return overlay, os.WriteFile(overlay, list, 0o600)
}
