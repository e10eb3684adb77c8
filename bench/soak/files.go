package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// What the nodes are configured with.
const (
	ownerToken = "0123456789abcdef0123456789abcdef0123456789abcdef"
	secretKey  = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
	// workerMark is how the model tells the instructions of agents from those of
	// the orchestrator.
	workerMark = "You are a worker of the soak."
)

type files struct{ tools, agents string }

func (s *soak) writeFiles(tools string) (files, error) {
	f := files{filepath.Join(s.Folder, "tools.json"), filepath.Join(s.Folder, "agents.json")}
	entry := func(name, method, more string) string {
		return fmt.Sprintf(`{"name": %q, "description": "The tool %s.", "method": %q, "url": "%s/%s", "allowPrivate": true%s,
			"parameters": {"type": "object", "properties": {"work": {"type": "string"}}, "required": ["work"]}}`, name, name, method, tools, name, more)
	}
	text := `{"http": [` + entry("look", "GET", "") + "," + entry("bump", "PUT", "") + "," +
		entry("post", "POST", "") + "," + entry("sign", "POST", `, "needsApproval": true`) + `]}`
	if err := os.WriteFile(f.tools, []byte(text), 0o666); err != nil {
		return f, err
	}
	roles := `{"roles": {"worker": {"description": "works", "instructions": "` + workerMark + `", "agents": ["worker"], "maxDepth": 3,
		"tools": ["look", "bump", "post", "sign", "calculator"]}}}`
	return f, os.WriteFile(f.agents, []byte(roles), 0o666)
}
