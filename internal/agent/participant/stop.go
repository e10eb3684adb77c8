package participant

import (
	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/store"
)

// Stop ends the answers to messages that are under way at participants of modules. It
// reports whether there was one.
func (s *Set) Stop(tx store.Tx, chat nestor.Path, handed []nestor.Message) (any bool, err error) {
	for _, m := range handed {
		kind, _ := nestor.ParseParticipant(m.HandedTo)
		other := s.other(kind)
		if m.ExecutionID == "" || other == nil || other.Stop == nil {
			continue
		}
		stopped, err := other.Stop(tx, chat, m.ExecutionID)
		if err != nil {
			return false, err
		}
		any = any || stopped
	}
	return any, nil
}
