package supervisor

import (
	"fmt"
	"strings"
	"time"
)

// ChannelGitHub is where nobody talks: a conversation there is a person's work on one pull request
// or issue. Its chat is the repository, and its thread the number.
const ChannelGitHub Channel = "github"

// GitHubRepo is a repository that is served, with what is done about it. Amounts are in millionths
// of a US dollar.
type GitHubRepo struct {
	Name   string // owner/name in lower case: GitHub does not tell case apart
	User   string // whose its reviews and triages are
	Review bool
	Triage bool
	Notify []GitHubRecipient // who reads its notices; none: the admins
	Post   GitHubPost
	Day    int64 // what its reviews and triages may cost in a day together
	Labels bool  // triage may make labels that are not there
	Asks   bool  // a review for a stranger's fork waits for a tap

	Project string // title of the project that triaged issues are put into; "" for none
}

// GitHubRecipient is where notices go: to a person, or to a chat.
type GitHubRecipient struct {
	User   string // "" with a chat
	Chat   string // on Telegram; "" is the person's own chat
	Thread string // a topic of Chat
}

// GitHubPost is what a review leaves on GitHub.
type GitHubPost string

const (
	PostReview GitHubPost = "review" // one review with comments
	PostCheck  GitHubPost = "check"  // one neutral check run
	PostCard   GitHubPost = "card"   // nothing, until the person picks findings
)

// GitHubRepoName is how a repository's name is compared.
func GitHubRepoName(name string) string { return strings.ToLower(name) }

// GitHubEvent is what happened in a repository, as far as anything is done about it. A webhook
// tells of it, or it was found by looking. What is done rests on what stands on GitHub then, never
// on this. As JSON it has at most 8 KiB; whoever makes one cuts its texts.
type GitHubEvent struct {
	Repo   string `json:"repo"`             // owner/name, as it was written
	Event  string `json:"event"`            // GitHub's name of it, such as pull_request
	Action string `json:"action,omitempty"` // likewise, such as opened
	Number int    `json:"number,omitempty"` // of a pull request or an issue
	Pull   bool   `json:"pull,omitempty"`   // Number is a pull request's

	Sender    string `json:"sender,omitempty"` // login of who did it
	SenderBot bool   `json:"sender_bot,omitempty"`
	// login of whose the pull request, issue, comment or release is
	Author string `json:"author,omitempty"`
	// of the author of Text, in GitHub's words: OWNER, MEMBER, COLLABORATOR, ...
	Standing string `json:"association,omitempty"`

	Title string   `json:"title,omitempty"`
	Text  string   `json:"text,omitempty"` // of a comment, a review, a release
	URL   string   `json:"url,omitempty"`
	State string   `json:"state,omitempty"` // a review's, a check's conclusion
	Names []string `json:"names,omitempty"` // labels, or logins that were asked to review

	// branch or tag of a push, release or check; the head's branch of a pull request
	Ref    string `json:"ref,omitempty"`
	Base   string `json:"base,omitempty"` // branch
	Head   string `json:"head,omitempty"` // commit
	Before string `json:"before,omitempty"`
	Draft  bool   `json:"draft,omitempty"`
	Merged bool   `json:"merged,omitempty"`
	Fork   bool   `json:"fork,omitempty"`
	Gone   bool   `json:"gone,omitempty"` // a branch was deleted

	Commits []GitHubCommit `json:"commits,omitempty"` // the first of a push
	More    int            `json:"more,omitempty"`    // commits of a push that are not in Commits
	Comment int64          `json:"comment,omitempty"` // the comment's, review's or check's id
	At      time.Time      `json:"at,omitzero"`
}

// GitHubCommit is one of a push.
type GitHubCommit struct {
	SHA    string `json:"sha"`
	Title  string `json:"title"` // its first line
	Author string `json:"author,omitempty"`
}

// GitHubRequest is that a pull request is to be reviewed, or an issue triaged.
type GitHubRequest struct {
	Repo   string // its GitHubRepo's name
	Number int
	Asked  string // login or name of who asked for it; "" where it is done by itself
	Text   string // what they asked for beside that
	Fork   bool
	At     time.Time
}

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

// WebhookDelivery is what another program has sent to a webhook, or what was found by asking it
// instead. One is known by the fields from User to Body: what is sent again is no other, unless it
// has failed.
type WebhookDelivery struct {
	ID     int64
	User   string // whose it is; "" is nobody's
	Source string // WebhookGitHub, or WebhookHook and a name
	Hook   string // the sender's own name of the webhook; "" where it has none
	Key    string // the sender's own name of the delivery; nothing vouches for it
	Body   string // SHA-256 of what was sent, by which the spool has it

	Size  int64       // bytes that the spool has of it
	Event GitHubEvent // the zero value where it is none
	State WebhookState
	Why   string // it was ignored, or has failed
	At    time.Time
}

// The values of WebhookDelivery.Source.
const (
	WebhookGitHub = "github"
	WebhookHook   = "hook/" // and the hook's name
)

// WebhookState is how far a WebhookDelivery has come.
type WebhookState string

const (
	WebhookNew     WebhookState = "new"     // kept, and not yet done
	WebhookDone    WebhookState = "done"    // all is done that follows from it
	WebhookIgnored WebhookState = "ignored" // nothing follows from it
	WebhookFailed  WebhookState = "failed"  // it could not be done: sent again it is new
)
