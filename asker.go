package nestor

import "slices"

// Askers are the people on whose behalf work is done; the one who spoke last
// comes last. Work has the rights that all of them have, and the last one is
// charged.
//
// None stands for the user whose chat the work is done in. Askers come from the
// server: from the person who was signed in when something was said, never from
// what a client claims.
type Askers []string

// With adds those who speak now. The last of them is charged from now on.
func (a Askers) With(speakers ...string) Askers {
	for _, s := range speakers {
		a = append(slices.DeleteFunc(slices.Clone(a), func(id string) bool { return id == s }), s)
	}
	return a
}

// Joined adds somebody who has a say in the work and is not charged for it.
func (a Askers) Joined(by string) Askers {
	if slices.Contains(a, by) {
		return a
	}
	return append(Askers{by}, a...)
}

// Or is a, or the owner of the chat if a is empty.
func (a Askers) Or(owner string) Askers {
	if len(a) == 0 {
		return Askers{owner}
	}
	return a
}

// Payer is the one who is charged, "" if there is nobody.
func (a Askers) Payer() string {
	if len(a) == 0 {
		return ""
	}
	return a[len(a)-1]
}
