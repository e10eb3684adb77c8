// Package mcptool offers the tools of MCP servers, over stdio or streamable
// HTTP, through the official Go SDK.
//
// A [Server] connects when it is first needed. When its process dies or the
// connection drops, the next use starts it again, after a pause that grows
// with every failed attempt. A call that the old connection swallowed is made
// again only if that is safe: the tool is pure or idempotent, or the server
// provably never took the call.
//
// Tools are named mcp_SERVER_TOOL. The server's annotations give the effect;
// they are hints, which configuration can overrule.
package mcptool
