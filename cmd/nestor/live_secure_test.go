package main

import (
	"testing"

	"github.com/nestorhq/nestor/internal/bus/natstest"
)

// TestNodesReachEachOtherByNATSWithTLSAndCredentials, and who has the wrong credentials or does
// not trust the server works on without it.
func TestNodesReachEachOtherByNATSWithTLSAndCredentials(t *testing.T) {
	nats := natstest.NewSecure(t)
	nats.Start()
	t.Run("live", func(t *testing.T) {
		th := newTheatre(t, "NESTOR_NATS="+nats.URL(), "NESTOR_NATS_CREDS="+nats.Creds, "SSL_CERT_FILE="+nats.Roots)
		chat, actor := th.play(th.a, "hamlet")
		there := th.watch(th.b, chat)
		actor.say("To be")
		there.until("To be")
		for _, h := range []*house{th.a, th.b} {
			if th.metric(h, "nestor_bus_up") != 1 || th.metric(h, "nestor_bus_received_total") == 0 {
				t.Error("NATS carried nothing")
			}
		}
		close(actor.words)
		there.untilTold("To be")
	})
	for name, env := range map[string][]string{
		"credentials that the server does not know": {"NESTOR_NATS_CREDS=" + nats.Strange, "SSL_CERT_FILE=" + nats.Roots},
		"no credentials":               {"SSL_CERT_FILE=" + nats.Roots},
		"a server that is not trusted": {"NESTOR_NATS_CREDS=" + nats.Creds},
	} {
		t.Run(name, func(t *testing.T) {
			th := newTheatre(t, append(env, "NESTOR_NATS="+nats.URL())...)
			chat, actor := th.play(th.a, "hamlet")
			there := th.watch(th.b, chat)
			actor.say("To be")
			close(actor.words)
			there.untilTold("To be")
			if th.metric(th.a, "nestor_bus_up") != 0 || th.metric(th.b, "nestor_bus_up") != 0 {
				t.Error("NATS took them for somebody that it knows")
			}
		})
	}
}
