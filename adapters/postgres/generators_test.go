package postgres_test

import "fmt"

// rapid names a generator when it is first used, without a lock: those that tests
// share which run side by side are named before.
func init() { //nolint:gochecknoinits // see above
	for _, shared := range []fmt.Stringer{
		someKeys, someHolders, someTimes, reportTimes, anyList, nearIDs, nearOwners, nearTimes, finerTimes, anyBytes, anyInstant,
		anyRaw, drawnText, drawnBytes, drawnTime, drawnKey,
	} {
		_ = shared.String()
	}
}
