// Package access finds out who is asking. Its sub-package rules decides what
// they may do.
//
// A [Gate] keeps users with their passwords, sessions and API keys, and turns
// the credentials of a request into a [Caller]. A [Key] is the server's master
// key: it seals secrets and signs the grants that webhook receivers write back
// with.
//
// What is secret lies below [nestor.Secrets], where no caller of the API
// reaches, and only as a hash:
//
//	secrets/access/passwords/{userId}    argon2id
//	secrets/access/sessions/{sessionId}  SHA-256 of the tokens
//	secrets/access/keys/{keyId}          SHA-256 of the key, and what it may do
//	secrets/access/logins/{hash}         whose name or e-mail it is
//	secrets/access/failures/{userId}     failed logins
//
// The rest are documents like any other, which rules let people see:
//
//	users/{userId}                       name, e-mail, admin, disabled
//	users/{userId}/sessions/{sessionId}  since when, from where
//	users/{userId}/keys/{keyId}          name, scopes, expiry, last use
//
// What is not listed there does not work: deleting the plain document of a
// session or key revokes it, and deleting a user ends all of theirs.
//
// Where to start: caller.go (who), authenticate.go (how a request says so),
// login.go and session.go (how people come in).
package access
