package a2a

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/a2aproject/a2a-go/a2a"

	"github.com/nestorhq/nestor"
	"github.com/nestorhq/nestor/internal/httpapi"
)

// protocol is the version of A2A that the SDK speaks.
const protocol = "0.3.0"

// publicCard tells anybody how to talk to a participant. It says nothing of the server's
// users: not even whether a graph or a connection of theirs is there.
func (d *Door) publicCard(r *httpapi.Request, w http.ResponseWriter) error {
	card, err := d.card(r)
	if err != nil {
		return err
	}
	data, err := json.Marshal(card)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Access-Control-Allow-Origin", "*") // it is the same for everybody
	_, err = w.Write(data)
	return err
}

// participantOf is whom a request is for, as a chat names it.
func participantOf(r *httpapi.Request) string {
	if p := r.PathValue("participant"); p != "" {
		return p
	}
	return nestor.KindOrchestrator
}

// card is that of the participant of a request.
func (d *Door) card(r *httpapi.Request) (*a2a.AgentCard, error) {
	id := participantOf(r)
	card := &a2a.AgentCard{
		Name: id, Description: "Answers what it is asked.", Version: d.version, ProtocolVersion: protocol,
		URL: r.BaseURL() + "/a2a/" + url.PathEscape(id), PreferredTransport: a2a.TransportProtocolJSONRPC,
		Capabilities:      a2a.AgentCapabilities{Streaming: true, PushNotifications: true},
		DefaultInputModes: []string{"text/plain", "application/json", "image/*", "application/pdf"}, DefaultOutputModes: []string{"text/plain"},
		SecuritySchemes: a2a.NamedSecuritySchemes{"apiKey": a2a.HTTPAuthSecurityScheme{
			Scheme: "Bearer", Description: "An API key of a user of this server.",
		}},
		Security:                          []a2a.SecurityRequirements{{"apiKey": {}}},
		SupportsAuthenticatedExtendedCard: true,
	}
	switch kind, name := nestor.ParseParticipant(id); {
	case id == nestor.KindOrchestrator:
		card.Name = "Nestor"
		card.Description = "An orchestrator. It answers by itself or gives the work to agents, asks back, and reports what came of it."
		for _, p := range d.Roles() {
			card.Skills = append(card.Skills, skill(p))
		}
	case kind == nestor.KindAgent:
		for _, p := range d.Roles() {
			if p.ID == id {
				card.Name, card.Description, card.Skills = p.Name, p.Description, []a2a.AgentSkill{skill(p)}
				return card, nil
			}
		}
		return nil, nestor.Errorf(nestor.CodeNotFound, "there is no role %q", name)
	case name == "":
		return nil, nestor.Errorf(nestor.CodeNotFound, "there is no participant %q", id)
	default: // of a user: whether it is there is for those to know who may talk to it
		card.Skills = []a2a.AgentSkill{skill(nestor.Participant{ID: id, Kind: kind, Name: id, Description: card.Description})}
	}
	return card, nil
}

func skill(p nestor.Participant) a2a.AgentSkill {
	return a2a.AgentSkill{ID: p.ID, Name: p.Name, Description: p.Description, Tags: []string{p.Kind}}
}

// extendedCard is that of the participant, with all participants that the caller can talk
// to as skills.
func (d *Door) extendedCard(r *httpapi.Request) (*a2a.AgentCard, error) {
	card, err := d.card(r)
	if err != nil {
		return nil, err
	}
	list, err := r.Participants()
	if err != nil {
		return nil, err
	}
	card.Skills = nil
	for _, p := range list {
		if strings.TrimSpace(p.Description) == "" {
			p.Description = p.Name
		}
		card.Skills = append(card.Skills, skill(p))
	}
	return card, nil
}
