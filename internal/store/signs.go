package store

import (
	"sync/atomic"
	"time"
)

// Signs are when a node itself could reach the database. They tell whether it may take
// others for gone. When the database was away, or so slow that renewals came late, no node
// could renew its lease or keep its lock, and all of them get the length of a lease to do so.
// Else a database that is slow for some seconds would have the nodes of a large cluster
// take all jobs from each other.
type Signs struct {
	back    atomic.Int64 // when it could again
	renewed atomic.Int64 // when it renewed its own lease last
}

// Joined notes that the node has its lease.
func (s *Signs) Joined() { s.renewed.Store(time.Now().UnixMilli()) }

// Back notes that the node has its lock again.
func (s *Signs) Back() { s.back.Store(time.Now().UnixMilli()) }

// Renewed notes that the node has renewed a lease of this length.
func (s *Signs) Renewed(ttl time.Duration) {
	if late(&s.renewed, ttl) {
		s.Back()
	}
	s.Joined()
}

// Judge reports whether the node may judge others by leases of this length.
func (s *Signs) Judge(ttl time.Duration) bool {
	return time.Since(time.UnixMilli(s.back.Load())) > ttl && !late(&s.renewed, ttl)
}

// late: leases are renewed three times in their length.
func late(renewed *atomic.Int64, ttl time.Duration) bool {
	return time.Since(time.UnixMilli(renewed.Load())) > ttl/2
}
