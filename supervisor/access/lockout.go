package access

import (
	"time"

	"mews/supervisor"
)

// maxTries is the number of wrong codes that lock a factor. At any time two codes are right, and at
// most 20 codes can be tried a day. So guessing succeeds with a chance of 4 in 100,000 a day (ASVS
// 5.0, 6.1.1 and 6.3.1). Only the user's own accounts can try codes, so no other user can lock the
// user out for long.
const maxTries = 5

// lockoutDurations are the durations of the first, the second, and every later lockout.
var lockoutDurations = []time.Duration{15 * time.Minute, time.Hour, longestLockout}

const longestLockout = 24 * time.Hour

// lockedUntil returns the end of a factor's lockout. The factor is not locked if the end is not
// after now. If the end is more than a day away, the clock was wrong when the lockout began. Then
// the lockout ends a day from now.
func lockedUntil(f supervisor.SecondFactor, now time.Time) time.Time {
	if latest := now.Add(longestLockout); f.LockedUntil.After(latest) {
		return latest
	}
	return f.LockedUntil
}

// countFailure returns the factor after one more wrong code.
func countFailure(f supervisor.SecondFactor, now time.Time) supervisor.SecondFactor {
	f.Failures = max(f.Failures, 0) + 1
	if f.Failures < maxTries {
		return f
	}
	f.Failures = 0
	f.Lockouts = max(f.Lockouts, 0) + 1
	f.LockedUntil = now.Add(lockoutDuration(f.Lockouts))
	return f
}

// lockoutDuration returns the duration of a lockout. The first lockout has the number 1.
func lockoutDuration(number int) time.Duration {
	return lockoutDurations[min(max(number, 1), len(lockoutDurations))-1]
}

// resetFailures returns the factor without failures and lockouts, as after a right code.
func resetFailures(f supervisor.SecondFactor) supervisor.SecondFactor {
	f.Failures, f.Lockouts, f.LockedUntil = 0, 0, time.Time{}
	return f
}
