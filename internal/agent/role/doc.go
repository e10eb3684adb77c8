// Package role has the kinds of agents, the built-in ones with their instructions
// and those of the user's configuration.
package role
