// Package netguard makes HTTP clients that are safe to point at addresses
// somebody else chose: a web page a model wants to read, a webhook target a
// user registered, a tool's endpoint.
//
// The guard sits in the dialer. It judges the address that is about to be
// connected to, after name resolution and for every connection anew, redirects
// included. A name that answers with a public address first and a private one
// later gains nothing, because no earlier answer is ever trusted.
//
// A guarded client ignores proxy settings of the environment: behind a proxy
// it could not see where a connection leads.
package netguard
