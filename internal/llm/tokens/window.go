package tokens

import (
	_ "embed"
	"encoding/json"
	"strings"
	"sync"
)

// defaultWindow is assumed for a model that is not in windows.json. Most models
// that are served today take at least as much; for one that takes less, the
// configuration must name its window.
const defaultWindow = 128_000

// Window returns how many tokens a model can take in, from windows.json, and
// 128,000 for a model that is not listed there. A listed name stands also for
// what adds a release, a size or a tag to it, unless that is listed itself:
// "gpt-4" for "gpt-4-0613" but not for "gpt-4-turbo" or "gpt-4.1". A provider's
// name in front ("anthropic/claude-…") is no part of the model's.
func Window(model string) int {
	table := contextWindows()
	name := strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])
	name = strings.TrimPrefix(name, "ft:")
	for end := len(name); end > 0; end-- {
		if end < len(name) && !strings.ContainsRune("-:@", rune(name[end])) {
			continue
		}
		if window, ok := table[name[:end]]; ok {
			return window
		}
	}
	return defaultWindow
}

//go:embed windows.json
var windowsJSON []byte

var contextWindows = sync.OnceValue(func() map[string]int {
	var table struct {
		Models map[string]int `json:"models"`
	}
	if err := json.Unmarshal(windowsJSON, &table); err != nil {
		panic("tokens: windows.json: " + err.Error())
	}
	return table.Models
})
