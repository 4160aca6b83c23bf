package supervisor

import "time"

// IssueTriage is an issue on GitHub that is to be triaged, or was. There is one for each issue.
type IssueTriage struct {
	ID       int64
	User     string // whose it is
	Repo     string // its GitHubRepo's name
	Number   int
	State    TriageState
	Round    int       // how often it was wanted
	Asked    string    // who has asked for it; "" where it is done by itself
	WantedAt time.Time // told of the same wish again, nothing changes
	Due      time.Time // of one that settles
	Report   string    // what came of reading it: a protocol.Triage as JSON; "" is nothing yet
	Labels   []string  // that are ours on the issue, or about to be: those of earlier rounds too
	Comment  int64     // ours on GitHub; 0 is none, or not known
	Why      string    // of one that was skipped or has failed
}

// TriageState is how far a triage has come.
type TriageState string

const (
	TriageSettling TriageState = "settling" // waits until it is due
	// has its inbound, or is about to, and goes on with its turn
	TriageQueued  TriageState = "queued"
	TriageDone    TriageState = "done"
	TriageSkipped TriageState = "skipped" // the issue is left alone
	TriageFailed  TriageState = "failed"  // its person was told
)
