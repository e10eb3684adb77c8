package webui

import "strings"

// pages are the paths of the UI's pages, where :name stands for one segment. The
// page itself reads them: web/src/place.ts has the same list, and a test compares
// the two.
var pages = []string{
	"/",
	"/new",
	"/chats/:chat",
	"/chats/:chat/agents/:agent",
	"/chats/:chat/agents/:agent/steps/:step",
	"/chats/:chat/runs/:run",
	"/runs/:run",
	"/shared/:token",
	"/operations",
	"/operations/:tab",
	"/priorities",
	"/priorities/:part",
	"/documents",
	"/documents/:document",
	"/graphs",
	"/graphs/:graph",
}

func isPage(path string) bool {
	for _, p := range pages {
		if matches(p, path) {
			return true
		}
	}
	return false
}

func matches(page, path string) bool {
	want, got := strings.Split(page, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return false
	}
	for i, segment := range want {
		isName := strings.HasPrefix(segment, ":")
		if isName && got[i] == "" || !isName && got[i] != segment {
			return false
		}
	}
	return true
}
