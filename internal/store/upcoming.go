package store

// upcoming is the SQL of an additive step that no release has. The test of rolling
// upgrades links a program that knows it, as the next release would.
var upcoming string

func upcomingSteps(known int) []Migration {
	if upcoming == "" {
		return nil
	}
	return []Migration{{Version: known + 1, Name: "upcoming", SQL: upcoming, Additive: true}}
}
