package triage

import "time"

// SetFirstRetryWait sets the wait before the first retry.
func (t *Triages) SetFirstRetryWait(d time.Duration) { t.firstWait = d }
