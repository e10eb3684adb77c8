package participant

import (
	"context"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/agent/role"
	"github.com/nestorhq/nestor/internal/module"
	"github.com/nestorhq/nestor/internal/store"
)

// Set is everybody whom chats can talk to.
type Set struct {
	Roles *role.Roles
	// Others are those of modules. Defaults to none.
	Others func() []module.Participants
}

// List are those that a user can talk to, the orchestrator first.
func (s *Set) List(ctx context.Context, userID string) ([]nestor.Participant, error) {
	list := s.own()
	for _, kind := range s.others() {
		more, err := kind.List(ctx, userID)
		if err != nil {
			return nil, err
		}
		for _, p := range more {
			p.Kind, p.ID = kind.Kind, kind.Kind+":"+p.ID
			list = append(list, p)
		}
	}
	return list, nil
}

// OfRoles are the agents of roles, by name.
func OfRoles(roles *role.Roles) (list []nestor.Participant) {
	for _, name := range roles.Names() {
		list = append(list, nestor.Participant{
			ID: nestor.KindAgent + ":" + name, Kind: nestor.KindAgent, Name: name, Description: roles.Roles[name].Description,
		})
	}
	return list
}

// Find returns the participant of that name, nil if a user cannot talk to it.
func (s *Set) Find(r store.Reader, userID, participant string) (*nestor.Participant, error) {
	kind, id := nestor.ParseParticipant(participant)
	if other := s.other(kind); other != nil {
		return other.Find(r, userID, id)
	}
	for _, p := range s.own() {
		if p.ID == participant {
			return &p, nil
		}
	}
	return nil, nil
}

// own are those that every user can talk to, the orchestrator first.
func (s *Set) own() []nestor.Participant {
	return append([]nestor.Participant{{
		ID: nestor.KindOrchestrator, Kind: nestor.KindOrchestrator, Name: "Orchestrator", Description: "Answers, and delegates to agents.",
	}}, OfRoles(s.Roles)...)
}

func (s *Set) others() []module.Participants {
	if s.Others == nil {
		return nil
	}
	return s.Others()
}

// other is the kind that a module adds, nil if none does.
func (s *Set) other(kind string) *module.Participants {
	for _, p := range s.others() {
		if p.Kind == kind {
			return &p
		}
	}
	return nil
}
