package command

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/nestorhq/nestor/internal/app"
)

func addUser(ctx context.Context, f *flags) (err error) {
	if f.newUser.ID, err = f.one("an id for the user"); err != nil {
		return err
	}
	password, err := readPassword()
	if err != nil {
		return err
	}
	return app.AddUser(ctx, f.cfg, f.newUser, password)
}

// readPassword asks for a password without showing it, or reads the first line
// of an input that is no terminal.
func readPassword() (string, error) {
	in := int(os.Stdin.Fd())
	if !term.IsTerminal(in) {
		line, err := bufio.NewReader(os.Stdin).ReadString('\n')
		if err != nil && line == "" {
			return "", fmt.Errorf("the password is expected on the first line of the input: %w", err)
		}
		return strings.TrimRight(line, "\r\n"), nil
	}
	var typed [2]string
	for i, prompt := range []string{"Password: ", "Again: "} {
		fmt.Fprint(os.Stderr, prompt)
		b, err := term.ReadPassword(in)
		fmt.Fprintln(os.Stderr)
		if err != nil {
			return "", err
		}
		typed[i] = string(b)
	}
	if typed[0] != typed[1] {
		return "", fmt.Errorf("these were two different passwords")
	}
	return typed[0], nil
}

// output calls fn with a file, or with the standard output for "".
func output(name string, fn func(io.Writer) error) error {
	if name == "" {
		return fn(os.Stdout)
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := fn(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// input calls fn with a file, or with the standard input for "".
func input(name string, fn func(io.Reader) error) error {
	if name == "" {
		return fn(os.Stdin)
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return fn(f)
}
