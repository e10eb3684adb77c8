//go:build unix

package mcptool

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the process at the head of a group, so that launchers such as
// npx can be ended with all they started, and so that an interrupt typed at our
// terminal reaches it only through us.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup ends whatever is left of the group.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // an error means that none is left
	}
}
