package launch

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
)

// Variable names a built program for all tests. make test builds it once and sets it,
// for the tests in a browser, too.
const Variable = "NESTOR_BIN"

// Program is the file of the built program: the one that [Variable] names, or else one that
// is built of the module's files as they are and shared by the tests of all packages.
var Program = sync.OnceValues(func() (string, error) {
	if name := os.Getenv(Variable); name != "" {
		// Results of tests are cached until a file that they looked at changes.
		_, err := os.Stat(name)
		return name, err
	}
	return Build("nestor", "")
})

// Build builds the program under a name, with flags of the linker, unless it is built of
// these files already. One process at a time does so: the others find it done. A process
// that runs keeps the file that it has.
func Build(name, flags string) (file string, err error) {
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	file = filepath.Join(root, "bin", "test", name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return "", err
	}
	lock, err := os.Create(file + ".lock")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return "", err
	}
	cmd := exec.Command("go", "build", "-ldflags=-s -w "+flags, "-o", file, "./cmd/nestor")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v: %w\n%s", cmd.Args, err, out)
	}
	return file, nil
}

// moduleRoot is the folder above this one that has the go.mod of Nestor: tests run in
// the folders of their packages.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	for ; err == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "cmd", "nestor", "main.go")); err == nil {
			return dir, nil
		}
	}
	return "", errors.Join(errors.New("no folder above this one has cmd/nestor"), err)
}
