// Package remote has agents whose work is done elsewhere: by a remote agent that speaks
// the Agent2Agent protocol.
//
// For the loop of agents the remote agent is a model. What it is asked is what was said to
// the agent and not sent yet; what it says is the agent's text; that it needs input is the
// agent's question, and the answer goes to the same remote task. What the loop does for
// any agent holds for these, too: what is said is shown as it comes, a step is committed
// as a whole, and a crash has it made again.
//
// Before a message is sent its id is written down, and the id of the remote task as soon
// as that is known ([nestor.RemoteTask]). A step that is made again takes up the remote
// task; it sends the message again only if nobody has confirmed it, and with the same id,
// by which a remote agent can tell that it has it already. Nestor can.
//
// An agent that is cancelled, or fails, has the remote task cancelled by a job.
package remote
