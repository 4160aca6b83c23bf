package supervisor

import (
	"fmt"
	"time"
)

// Review is a pull request's head that is to be reviewed, or was. There is one for each head, and
// at most one that settles: of that the head is not known yet.
type Review struct {
	ID       int64
	User     string // whose it is
	Repo     string // its GitHubRepo's name
	Number   int
	Head     string // commit; "" until it was looked at
	State    ReviewState
	Round    int       // how often it was wanted
	Asked    string    // who has asked for it; "" where it is done by itself
	Text     string    // what they want to know
	WantedAt time.Time // told of the same wish again, nothing changes
	// of one that settles, and of one that failed and is tried again; the zero time is never
	Due     time.Time
	Turn    int64  // that does it; 0 is none yet
	Change  string // SHA-256 in the spool of what was read on GitHub; "" is nothing yet
	Result  string // what came of reading that, as JSON; "" is nothing yet
	Posted  string // what stands on GitHub, or is about to, as JSON; "" is nothing
	Buttons [][]Button
	Why     string // of one that was skipped or has failed, for people
}

// ReviewState is how far a review has come.
type ReviewState string

const (
	ReviewSettling ReviewState = "settling" // waits until nothing was pushed for a while
	ReviewQueued   ReviewState = "queued"   // has its inbound
	// its turn waits for its person to allow it: it is a stranger's
	ReviewConfirming ReviewState = "confirming"
	ReviewRunning    ReviewState = "running"
	ReviewDone       ReviewState = "done"
	ReviewSkipped    ReviewState = "skipped" // nobody reads it
	ReviewFailed     ReviewState = "failed"  // its person was told
)

// Active says of a review whether it has its inbound and has not ended.
func (r Review) Active() bool {
	return r.State == ReviewQueued || r.State == ReviewConfirming || r.State == ReviewRunning
}

// Name is its pull request as people write it.
func (r Review) Name() string { return fmt.Sprintf("%s#%d", r.Repo, r.Number) }

// ReviewMute is something of which a repository's reviews say nothing.
type ReviewMute struct {
	ID      int64
	User    string // whose the reviews are
	Repo    string
	Kind    MuteKind
	Subject string // a finding's fingerprint, a pull request's number, or a label
	Why     string // for people
	By      string // login or name of who wants that; "" is not known
	At      time.Time
}

// MuteKind is what sort of thing a ReviewMute is of.
type MuteKind string

const (
	MuteFinding MuteKind = "finding"
	MutePull    MuteKind = "pull"
	MuteLabel   MuteKind = "label"
)
