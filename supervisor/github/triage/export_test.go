package triage

import "time"

// SetFirstWait sets the wait before the first retry.
func (t *Triages) SetFirstWait(d time.Duration) { t.firstWait = d }
