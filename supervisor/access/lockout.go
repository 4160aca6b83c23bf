package access

import (
	"time"

	"mews/supervisor"
)

// maxTries is how many wrong codes lock a factor. Two codes are right at any time, and at most 20
// can be tried a day, so that guessing succeeds with a chance of 4 in 100,000 a day. (ASVS 5.0,
// 6.1.1 and 6.3.1: against guessing, and nobody can be locked out for long by malice; only the
// person's own accounts can try at all.)
const maxTries = 5

// lockoutDurations are how long a factor is locked: the first time, the second, and from the third
// on.
var lockoutDurations = []time.Duration{15 * time.Minute, time.Hour, longestLockout}

const longestLockout = 24 * time.Hour

// lockedUntil is until when no code is taken. The factor is not locked where that is not after now.
// A lockout that ends later than any can was set while the clock was wrong: it ends a day from now.
func lockedUntil(f supervisor.Factor, now time.Time) time.Time {
	if latest := now.Add(longestLockout); f.LockedUntil.After(latest) {
		return latest
	}
	return f.LockedUntil
}

// countFailure is a factor after one more wrong code.
func countFailure(f supervisor.Factor, now time.Time) supervisor.Factor {
	f.Failures = max(f.Failures, 0) + 1
	if f.Failures < maxTries {
		return f
	}
	f.Failures = 0
	f.Lockouts = max(f.Lockouts, 0) + 1
	f.LockedUntil = now.Add(lockoutDuration(f.Lockouts))
	return f
}

// lockoutDuration is how long a lockout takes. The first one has the number 1.
func lockoutDuration(number int) time.Duration {
	return lockoutDurations[min(max(number, 1), len(lockoutDurations))-1]
}

// resetFailures is a factor after a right code.
func resetFailures(f supervisor.Factor) supervisor.Factor {
	f.Failures, f.Lockouts, f.LockedUntil = 0, 0, time.Time{}
	return f
}
