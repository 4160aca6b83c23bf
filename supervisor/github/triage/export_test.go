package triage

import "time"

// WaitFor sets the wait before the first retry.
func (t *Triages) WaitFor(d time.Duration) { t.firstWait = d }
