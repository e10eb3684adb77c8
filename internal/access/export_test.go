package access

// OnHash calls fn whenever the hash of a password is computed.
func (g *Gate) OnHash(fn func()) {
	compute := g.passwords.compute
	g.passwords.compute = func(password, salt []byte, c HashCost, size uint32) []byte {
		fn()
		return compute(password, salt, c, size)
	}
}

// CheckPHC reports whether text is a hash as it is stored, and how it is
// written again.
func CheckPHC(text string) (again string, err error) {
	p, err := parsePHC(text)
	return p.String(), err
}
