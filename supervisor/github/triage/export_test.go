package triage

import "time"

// WaitFor has triages wait so long before they try something again for the first time.
func (t *Triages) WaitFor(d time.Duration) { t.firstWait = d }
