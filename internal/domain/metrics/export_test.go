package metrics

// Committed lets tests observe a store of their own.
var Committed = (*Recorder).committed
