package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// mutant is the program with one mechanism broken, and the test that must
// notice.
type mutant struct {
	name     string // its number in the list
	promise  string // what is broken
	file     string
	notices  string // the test, as docs/guarantees.md names it
	dir      string // of the test's package
	test     string // with its sub-tests
	old, new string
}

// parse reads mutants, which empty lines separate. The first line of one says
// what is broken, the second names the file and the third the test, the transcript or the group
// of the contract suite, as docs/guarantees.md does; the lines that follow begin with "-" where they are
// taken out of the file and with "+" where they are put in instead.
func parse(text string) (list []mutant, err error) {
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		lines := strings.Split(strings.Trim(block, "\n"), "\n")
		if len(lines) < 4 {
			return nil, fmt.Errorf("too few lines: %q", block)
		}
		m := mutant{name: strconv.Itoa(len(list) + 1), promise: lines[0], file: lines[1], notices: lines[2]}
		switch m.dir, m.test, _ = strings.Cut(m.notices, " "); m.dir {
		case "transcript":
			m.dir, m.test = "internal/agent", "TestTranscripts/sqlite/"+m.test
		case "internal/store/storetest:":
			m.dir, m.test = "internal/store/sqlite", "TestContract/"+m.test
		}
		var old, replacement []string
		for _, l := range lines[3:] {
			switch {
			case strings.HasPrefix(l, "-"):
				old = append(old, l[1:])
			case strings.HasPrefix(l, "+"):
				replacement = append(replacement, l[1:])
			default:
				return nil, fmt.Errorf("%s: a line that begins with neither - nor +: %q", m.promise, l)
			}
		}
		m.old, m.new = strings.Join(old, "\n"), strings.Join(replacement, "\n")
		if m.test == "" || m.old == "" || m.old == m.new {
			return nil, fmt.Errorf("%s: the test or the change is missing", m.promise)
		}
		list = append(list, m)
	}
	return list, nil
}

// broken is the text of the mutant's file, below root, with the mechanism broken.
func (m mutant) broken(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, m.file))
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(text), m.old); n != 1 {
		return "", fmt.Errorf("%s: %s has the text to break %d times:\n%s", m.promise, m.file, n, m.old)
	}
	return strings.Replace(string(text), m.old, m.new, 1), nil
}
