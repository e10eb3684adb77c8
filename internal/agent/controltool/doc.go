// Package controltool has the tools by which models control the runtime: create an
// agent, reply to one, ask the user, give the final answer. They are offered like
// other tools but are in no registry: the handlers carry out their calls.
package controltool
