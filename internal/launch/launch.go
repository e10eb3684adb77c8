// Package launch runs programs in processes of their own, for tests and benchmarks: the
// built Nestor, and what works with it. A program listens on a port that the system
// chooses, and prints its address: no port is picked and given back before.
package launch

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
)

// Process is a program that serves on this machine.
type Process struct {
	*exec.Cmd
	// URL is where it listens: a scheme, a host and a port.
	URL string
	// Said is what it printed of what was waited for.
	Said string
}

// AnyURL is the address of a program on this machine.
var AnyURL = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// Start starts a program and waits until it prints its address.
func Start(cmd *exec.Cmd) (*Process, error) { return StartUntil(cmd, AnyURL) }

// StartUntil starts a program and waits until it prints a text that begins with its
// address. What it prints after that is dropped.
func StartUntil(cmd *exec.Cmd, text *regexp.Regexp) (*Process, error) {
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if said := text.FindString(line); said != "" {
			go io.Copy(io.Discard, lines) // ends with the process
			return &Process{Cmd: cmd, URL: AnyURL.FindString(said), Said: said}, nil
		}
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s ended and printed no address", cmd), cmd.Wait())
		}
	}
}

// Address is the host and the port of the URL.
func (p *Process) Address() string { return strings.TrimPrefix(p.URL, "http://") }

// Peak is the most memory that the program has had, in bytes.
func (p *Process) Peak() (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kilobytes := int64(0)
	_, err = fmt.Sscan(rest, &kilobytes)
	return kilobytes << 10, err
}

// Stop has the program end what it does, and waits for it.
func (p *Process) Stop() error {
	return errors.Join(p.Process.Signal(syscall.SIGTERM), p.Wait())
}

// Kill ends the program as a crash does. A second time does nothing.
func (p *Process) Kill() {
	_ = p.Process.Kill() // it may have ended
	_ = p.Wait()         // it says that it was killed
}
