package nestor

import (
	"strings"
)

// Limits of a path. They are part of the contract: indexes and client schemas
// rely on them.
const (
	MaxIDLength   = 64
	MaxPathLength = 1024
)

// Path names a document: an even number of segments, collection and id in
// turn, such as users/u1/orch-chats/c1/messages/m1. Segments are 1 to 64
// characters of A-Z a-z 0-9 _ - and dot; "." and ".." are refused so that a
// path means the same in a URL and on disk. Paths are case-sensitive.
type Path string

// ParsePath checks that s names a document.
func ParsePath(s string) (Path, error) {
	n, err := checkSegments(s)
	if err != nil {
		return "", err
	}
	if n%2 != 0 {
		return "", Errorf(CodeInvalid, "path %q names a collection: a document path has an even number of segments", s)
	}
	return Path(s), nil
}

// ParseCollectionPath checks that s names a collection: an odd number of
// segments, such as users/u1/orch-chats.
func ParseCollectionPath(s string) (string, error) {
	n, err := checkSegments(s)
	if err != nil {
		return "", err
	}
	if n%2 == 0 {
		return "", Errorf(CodeInvalid, "path %q names a document: a collection path has an odd number of segments", s)
	}
	return s, nil
}

// CheckID reports why s cannot be the id of a document.
func CheckID(s string) error {
	switch {
	case s == "":
		return Errorf(CodeInvalid, "an id must not be empty")
	case len(s) > MaxIDLength:
		return Errorf(CodeInvalid, "id %.20q… has %d characters: at most %d are allowed", s, len(s), MaxIDLength)
	case s == "." || s == "..":
		return Errorf(CodeInvalid, "id %q is not allowed", s)
	}
	for i := range len(s) {
		if !idByte(s[i]) {
			return Errorf(CodeInvalid, "id %q has a character outside A-Z a-z 0-9 _ - . at position %d", s, i+1)
		}
	}
	return nil
}

func idByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.'
}

// checkSegments validates every segment of s and counts them.
func checkSegments(s string) (int, error) {
	if s == "" {
		return 0, Errorf(CodeInvalid, "a path must not be empty")
	}
	if len(s) > MaxPathLength {
		return 0, Errorf(CodeInvalid, "the path has %d characters: at most %d are allowed", len(s), MaxPathLength)
	}
	n := 0
	for seg := range strings.SplitSeq(s, "/") {
		if err := CheckID(seg); err != nil {
			return 0, Errorf(CodeInvalid, "path %q, segment %d: %w", s, n+1, err)
		}
		n++
	}
	return n, nil
}

// ID is the last segment.
func (p Path) ID() string {
	return string(p[strings.LastIndexByte(string(p), '/')+1:])
}

// Collection is the path of the collection the document lies in.
func (p Path) Collection() string {
	return string(p[:max(0, strings.LastIndexByte(string(p), '/'))])
}

// Parent is the document the collection lies under, "" at the top.
func (p Path) Parent() Path {
	c := p.Collection()
	return Path(c[:max(0, strings.LastIndexByte(c, '/'))])
}

// UserID is the id of the user the document belongs to, "" when it lies
// outside users/.
func (p Path) UserID() string {
	rest, ok := strings.CutPrefix(string(p), "users/")
	if !ok {
		return ""
	}
	id, _, _ := strings.Cut(rest, "/")
	return id
}

// Tenant is whose work a document is: the topmost document on its path, such as
// users/u1. Work of different tenants takes turns.
func (p Path) Tenant() string {
	s := string(p)
	first := strings.IndexByte(s, '/') + 1
	if second := strings.IndexByte(s[first:], '/'); second >= 0 {
		return s[:first+second]
	}
	return s
}

// Contains reports whether q is p itself or lies below it.
func (p Path) Contains(q Path) bool {
	return q == p || len(q) > len(p) && q[len(p)] == '/' && q[:len(p)] == p
}

// Child is the path of a document in a collection directly below p.
func (p Path) Child(collection, id string) Path {
	return p + "/" + Path(collection) + "/" + Path(id)
}

// Secrets is the top-level collection of what is for the server alone. No
// caller of the API reaches it, and no trigger fires on it.
const Secrets = "secrets"

// IsSecret reports whether a path, of a document or a collection, is
// [Secrets] or lies below it.
func IsSecret(path string) bool {
	return path == Secrets || strings.HasPrefix(path, Secrets+"/")
}

func (p Path) String() string { return string(p) }
