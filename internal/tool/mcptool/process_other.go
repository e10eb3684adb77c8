//go:build !unix

package mcptool

import "os/exec"

func ownGroup(*exec.Cmd) {}

// killGroup ends the process if it still runs.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = cmd.Process.Kill() // an error means that it has ended
	}
}
