// Package economy holds no code, only a test of what conversations cost: how often models are
// asked, and with how many tokens. The scenarios are in testdata, what they may cost in
// docs/economy.md.
package economy
