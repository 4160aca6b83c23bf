package supervisor

import (
	"fmt"
	"strings"
	"time"
)

// ChannelGitHub is the channel of work on GitHub, where nobody talks. A conversation on it is a
// user's work on a pull request or issue. Its chat is the repository, and its thread is the number.
const ChannelGitHub Channel = "github"

// GitHubRepo is a configured repository. Amounts are in millionths of a US dollar.
type GitHubRepo struct {
	Name         string // owner/name in lower case: GitHub ignores case
	User         string // owner of the repository's reviews and triages
	Review       bool
	Triage       bool
	Notify       []GitHubRecipient // recipients of the repository's notices; an empty list means the admins
	Post         ReviewPostMode
	DailyLimit   int64 // daily limit of all reviews and triages together
	CreateLabels bool  // triage may create missing labels
	ConfirmForks bool  // the review of a pull request from a stranger's fork waits for the user's tap

	Project string // title of the project for triaged issues; "" means none
}

// GitHubRecipient is a user or a chat that gets notices about a repository.
type GitHubRecipient struct {
	User   string // name of the user; "" if Chat is set
	Chat   string // chat on Telegram; "" means the user's private chat
	Thread string // a topic of Chat
}

// ReviewPostMode says what a review posts on GitHub.
type ReviewPostMode string

const (
	PostReview ReviewPostMode = "review" // one review with comments
	PostCheck  ReviewPostMode = "check"  // one check run, which never blocks a merge
	PostCard   ReviewPostMode = "card"   // nothing until the user picks findings
)

// NormalizeRepoName returns a repository's name in lower case, for comparisons.
func NormalizeRepoName(name string) string { return strings.ToLower(name) }

// GitHubEvent holds the parts of a GitHub event that the service uses. The event comes from a
// webhook or from polling. Decisions are made from GitHub's current state, never from the event
// alone. The JSON has at most 8 KiB: the code that makes a GitHubEvent cuts its texts.
type GitHubEvent struct {
	Repo   string `json:"repo"`             // owner/name, in its original case
	Event  string `json:"event"`            // GitHub's name of the event, such as pull_request
	Action string `json:"action,omitempty"` // GitHub's name of the action, such as opened
	Number int    `json:"number,omitempty"` // number of the pull request or issue
	IsPull bool   `json:"pull,omitempty"`   // Number belongs to a pull request

	Sender    string `json:"sender,omitempty"` // login of the account that caused the event
	SenderBot bool   `json:"sender_bot,omitempty"`
	// login of the author of the pull request, issue, comment or release
	Author string `json:"author,omitempty"`
	// role of the author of Text, in GitHub's words: OWNER, MEMBER, COLLABORATOR, ...
	Association string `json:"association,omitempty"`

	Title  string   `json:"title,omitempty"`
	Text   string   `json:"text,omitempty"` // text of a comment, a review or a release
	URL    string   `json:"url,omitempty"`
	State  string   `json:"state,omitempty"` // a review's state, or a check's conclusion
	Labels []string `json:"names,omitempty"` // labels, or logins of requested reviewers

	// branch or tag of a push, release or check; head branch of a pull request
	Ref     string `json:"ref,omitempty"`
	Base    string `json:"base,omitempty"` // target branch of a pull request
	Head    string `json:"head,omitempty"` // head commit of the push, pull request or check
	Before  string `json:"before,omitempty"`
	Draft   bool   `json:"draft,omitempty"`
	Merged  bool   `json:"merged,omitempty"`
	Fork    bool   `json:"fork,omitempty"`
	Deleted bool   `json:"gone,omitempty"` // the push deleted the branch

	Commits     []GitHubCommit `json:"commits,omitempty"` // first commits of a push
	MoreCommits int            `json:"more,omitempty"`    // number of further commits of a push
	Comment     int64          `json:"comment,omitempty"` // id of the comment, review or check
	At          time.Time      `json:"at,omitzero"`
}

// GitHubCommit is a commit of a push.
type GitHubCommit struct {
	SHA    string `json:"sha"`
	Title  string `json:"title"` // first line of the commit's message
	Author string `json:"author,omitempty"`
}

// GitHubWorkRequest asks for the review of a pull request or the triage of an issue.
type GitHubWorkRequest struct {
	Repo      string // name of the GitHubRepo
	Number    int
	Requester string // login or name of the requester; "" means automatic
	Text      string // text of the request, such as a question
	Fork      bool
	At        time.Time
}

// Review is the review of one head of a pull request, requested or done. Each head has one review.
// At most one review of a pull request settles, and has no head yet.
type Review struct {
	ID        int64
	User      string // owner of the work
	Repo      string // name of the GitHubRepo
	Number    int
	Head      string // head commit; "" until GitHub was asked
	State     ReviewState
	Round     int       // number of requests so far
	Requester string    // login or name of the requester; "" means automatic
	Text      string    // the requester's question
	WantedAt  time.Time // time of the request; a second request with the same time changes nothing
	// time when a settling or failed review continues; zero means never
	Due     time.Time
	Turn    int64  // the reviewing turn; 0 means none yet
	Change  string // SHA-256 of the reviewed change in the spool; "" means none yet
	Result  string // the review's result as JSON; "" means none yet
	Posted  string // the review's posts on GitHub, made or planned, as JSON; "" means none
	Buttons [][]Button
	Why     string // why the review was skipped or failed, for people
}

// ReviewState is the state of a review.
type ReviewState string

const (
	ReviewSettling ReviewState = "settling" // the review waits until no push came for a while
	ReviewQueued   ReviewState = "queued"   // the review's inbound is stored
	// the turn waits for the user's approval, since the pull request is a stranger's
	ReviewConfirming ReviewState = "confirming"
	ReviewRunning    ReviewState = "running"
	ReviewDone       ReviewState = "done"
	ReviewSkipped    ReviewState = "skipped" // the pull request is not reviewed
	ReviewFailed     ReviewState = "failed"  // the work failed, and the user was told
)

// IsActive reports whether the review has an inbound and has not ended.
func (r Review) IsActive() bool {
	return r.State == ReviewQueued || r.State == ReviewConfirming || r.State == ReviewRunning
}

// PullRequestName returns the pull request's name for people, such as owner/name#12.
func (r Review) PullRequestName() string { return fmt.Sprintf("%s#%d", r.Repo, r.Number) }

// PullFinding is a finding in the list of a pull request's findings. Pushes and failures delete
// none.
type PullFinding struct {
	Fingerprint string
	State       FindingState
	Found       string // the first head with the finding
	Seen        string // the last head in which its lines were read
	Fixed       string // the head without it; "" for other states
	Posted      bool   // it is on GitHub
	Turn        int64  // the turn that found it; 0 means unknown
	Finding     string // the finding as JSON
}

// FindingState is the state of a PullFinding.
type FindingState string

const (
	FindingOpen    FindingState = "open"
	FindingChanged FindingState = "changed" // its lines changed, and no review has read them since
	FindingFixed   FindingState = "fixed"   // its lines changed, and a review did not find it again
	FindingRefuted FindingState = "refuted" // a second look refuted it
)

// ReviewMute leaves a subject out of a repository's reviews.
type ReviewMute struct {
	ID      int64
	User    string // owner of the reviews
	Repo    string
	Kind    MuteKind
	Subject string // a finding's fingerprint, a pull request's number, or a label
	Why     string // why the subject is muted, for people
	By      string // login or name of the person who muted the subject; "" means unknown
	At      time.Time

	// for a finding: its pull request, path, title and lines; zero in mutes of older versions
	Number            int
	Path, Title, Code string
}

// MuteKind is the kind of a muted subject.
type MuteKind string

const (
	MuteFinding MuteKind = "finding"
	MutePull    MuteKind = "pull"
	MuteLabel   MuteKind = "label"
)

// IssueTriage is the triage of a GitHub issue, requested or done. Each issue has one.
type IssueTriage struct {
	ID        int64
	User      string // owner of the work
	Repo      string // name of the GitHubRepo
	Number    int
	State     TriageState
	Round     int       // number of requests so far
	Requester string    // login or name of the requester; "" means automatic
	WantedAt  time.Time // time of the request; a second request with the same time changes nothing
	Due       time.Time // when a settling triage continues
	Report    string    // the result: a protocol.Triage as JSON; "" means none yet
	// labels that Mews has set on the issue or will set, including labels of earlier rounds
	Labels  []string
	Comment int64  // id of Mews's comment on the issue; 0 means none or unknown
	Why     string // why the triage was skipped or failed
}

// TriageState is the state of a triage.
type TriageState string

const (
	TriageSettling TriageState = "settling" // the triage waits until it is due
	// the inbound of the triage is stored or will be; its turn continues the work
	TriageQueued  TriageState = "queued"
	TriageDone    TriageState = "done"
	TriageSkipped TriageState = "skipped" // the issue is left alone
	TriageFailed  TriageState = "failed"  // the work failed, and the user was told
)

// WebhookDelivery is an event that another program sent, or that polling found. The fields from
// User to Body identify it. A repeated delivery is ignored unless the earlier delivery failed.
type WebhookDelivery struct {
	ID     int64
	User   string // owner of the delivery; "" means nobody
	Source string // WebhookGitHub, or WebhookHook with the hook's name
	Hook   string // the sender's id of the webhook; "" means none
	Key    string // the sender's id of the delivery; not verified
	Body   string // SHA-256 of the body, which is in the spool

	Size  int64       // size of the body in the spool, in bytes
	Event GitHubEvent // the GitHub event; zero if the delivery has none
	State WebhookState
	Why   string // why the delivery was ignored or failed
	At    time.Time
}

// Values of WebhookDelivery.Source.
const (
	WebhookGitHub = "github"
	WebhookHook   = "hook/" // prefix of a hook; the hook's name follows
)

// WebhookState is the state of a WebhookDelivery.
type WebhookState string

const (
	WebhookNew     WebhookState = "new"     // the delivery is stored and not yet handled
	WebhookDone    WebhookState = "done"    // the delivery is completely handled
	WebhookIgnored WebhookState = "ignored" // the delivery needs no work
	// handling failed; if the delivery comes again, it counts as new
	WebhookFailed WebhookState = "failed"
)
