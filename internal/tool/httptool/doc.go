// Package httptool makes tools of HTTP endpoints: one at a time from a
// [Config], or all operations of an [OpenAPI] document.
//
// A call that changes something carries an Idempotency-Key header, the same
// for every attempt. Only public addresses are called unless the configuration
// allows others, redirects to other hosts are not followed, and the secrets
// that headers are made of are hidden wherever a server echoes them.
package httptool
