package store

// TalksTo reports whether a user can talk to a participant such as agent:researcher, as the
// server that opened the store knows. A program that opens a store without a server can talk
// to all.
func TalksTo(r Reader, userID, participant string) (bool, error) {
	s, ok := r.(*Session)
	if !ok || s.rules.Participant == nil {
		return true, nil
	}
	return s.rules.Participant(s, userID, participant)
}
