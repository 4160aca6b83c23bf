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
	Thread string // name of a topic in Chat
}

// ReviewPostMode says what a review posts on GitHub.
type ReviewPostMode string

const (
	PostAsReview   ReviewPostMode = "review" // one review with comments
	PostAsCheckRun ReviewPostMode = "check"  // one check run, which never blocks a merge
	PostOnlyCard   ReviewPostMode = "card"   // nothing on GitHub until the user picks findings on the card in the chat
)

// NormalizeRepoName returns a repository's name in lower case, for comparisons.
func NormalizeRepoName(name string) string { return strings.ToLower(name) }

// GitHubEvent holds the parts of a GitHub event that the service uses. The event comes from a
// webhook or from polling. The service decides by GitHub's current state, never by the event alone.
// The JSON has at most 8 KiB: code that makes a GitHubEvent cuts its texts.
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

	Title string `json:"title,omitempty"`
	Text  string `json:"text,omitempty"` // text of a comment, a review or a release
	// the uncut texts of the issue or comment look like a security report
	Security bool     `json:"security,omitempty"`
	URL      string   `json:"url,omitempty"`
	State    string   `json:"state,omitempty"` // state of the review, or conclusion of the check
	Labels   []string `json:"names,omitempty"` // labels, or logins of requested reviewers

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
	// the request comes from a change of title or labels: it reviews only a head that these have
	// kept from review
	Recheck bool
	At      time.Time
}

// Review is the review of one head of a pull request, in any state. Each head has one review. A
// settling review waits for the end of pushes, and has no head yet. A pull request has at most one
// settling review.
type Review struct {
	ID        int64
	User      string // owner of the work
	Repo      string // name of the GitHubRepo
	Number    int
	Head      string // number of requests for the review so far
	State     ReviewState
	Round     int       // number of requests so far
	Requester string    // login or name of the requester; "" means automatic
	Text      string    // the requester's question
	WantedAt  time.Time // time of the request; a second request with the same time changes nothing
	// time when the service continues a settling or failed review; zero means never
	Due     time.Time
	Turn    int64  // the reviewing turn; 0 means none yet
	Change  string // SHA-256 of the reviewed change in the spool; "" means none yet
	Result  string // the last result as JSON, perhaps of an earlier round; "" means none yet
	Posted  string // the review's posts on GitHub as JSON, sent or still to send; "" means none
	Buttons [][]Button
	// reason for people why the review was skipped or failed. A done review has a reason if its
	// last round failed after an earlier round had read the head
	Why string
}

// ReviewState is the state of a review.
type ReviewState string

const (
	ReviewDelayed ReviewState = "settling" // the review waits until there was no push for a while
	ReviewQueued  ReviewState = "queued"   // the review's inbound is stored
	// the review's turn waits for the user's approval, because a stranger opened the pull request
	ReviewAwaitsApproval ReviewState = "confirming"
	ReviewRunning        ReviewState = "running"
	ReviewDone           ReviewState = "done"
	ReviewSkipped        ReviewState = "skipped" // the review ended without reading the pull request
	ReviewFailed         ReviewState = "failed"  // the review failed, and its user was told
)

// IsActive reports whether the review has an inbound and has not ended.
func (r Review) IsActive() bool {
	return r.State == ReviewQueued || r.State == ReviewAwaitsApproval || r.State == ReviewRunning
}

// PullRequestName returns the pull request's name for people, such as owner/name#12.
func (r Review) PullRequestName() string { return fmt.Sprintf("%s#%d", r.Repo, r.Number) }

// PullRequestFinding is a finding in the list of a pull request's findings. A push or a failed
// review deletes no finding.
type PullRequestFinding struct {
	Fingerprint string
	State       FindingState
	Found       string // the first head that has the finding
	Seen        string // the last head in which a review has read the finding's lines
	Fixed       string // the first head without the finding; "" if the finding is not fixed
	Posted      bool   // the finding is on GitHub
	Turn        int64  // id of the turn that found it; 0 means unknown
	Finding     string // the finding as JSON
}

// FindingState is the state of a PullRequestFinding.
type FindingState string

const (
	FindingOpen    FindingState = "open"
	FindingChanged FindingState = "changed" // the finding's lines changed, and no review has read them since
	FindingFixed   FindingState = "fixed"   // the finding's lines changed, and a review did not find it again
	FindingRefuted FindingState = "refuted" // a second check by the model refuted the finding
)

// ReviewMute leaves a subject out of a repository's reviews.
type ReviewMute struct {
	ID      int64
	User    string // owner of the reviews
	Repo    string
	Kind    MuteKind
	Subject string // a finding's fingerprint, a pull request's number, or a label
	Why     string // reason for people why the subject is muted
	By      string // login or name of the person who muted the subject; "" means unknown
	At      time.Time

	// place of a muted finding: pull request, path, title and lines; zero for other subjects and in
	// mutes that older versions of Mews stored
	Number            int
	Path, Title, Code string
}

// MuteKind is the kind of a muted subject.
type MuteKind string

const (
	MuteKindFinding     MuteKind = "finding"
	MuteKindPullRequest MuteKind = "pull"
	MuteKindLabel       MuteKind = "label"
)

// IssueTriage is the triage of a GitHub issue, in any state. Each issue has at most one.
type IssueTriage struct {
	ID        int64
	User      string // owner of the work
	Repo      string // name of the GitHubRepo
	Number    int
	State     TriageState
	Round     int       // number of requests for the triage so far
	Requester string    // login or name of the requester; "" means automatic
	WantedAt  time.Time // time of the request; a second request with the same time changes nothing
	Due       time.Time // time when the service continues a settling triage
	Report    string    // result of the triage, a protocol.Triage as JSON; "" means none yet
	// labels that Mews has set on the issue or will set, including labels of earlier rounds
	Labels  []string
	Comment int64  // id of Mews's comment on the issue; 0 means none or unknown
	Why     string // reason why the triage was skipped or failed
}

// TriageState is the state of a triage.
type TriageState string

const (
	TriageDelayed TriageState = "settling" // the triage waits until it is due
	// the triage's inbound is stored, or will be; the turn of that inbound does the triage
	TriageQueued  TriageState = "queued"
	TriageDone    TriageState = "done"
	TriageSkipped TriageState = "skipped" // the triage ended without a change of the issue
	TriageFailed  TriageState = "failed"  // the triage failed, and its user was told
)

// WebhookDelivery is an event that another program sent, or that polling found. The fields from
// User to Body identify the event. A repeated delivery is ignored unless the earlier delivery
// failed.
type WebhookDelivery struct {
	ID     int64
	User   string // owner of the delivery; "" means nobody
	Source string // WebhookSourceGitHub, or WebhookSourceHookPrefix with the hook's name
	Hook   string // id of the webhook, from the sender; "" means none
	Key    string // id of the delivery, from the sender; not verified
	Body   string // SHA-256 of the body, which is in the spool

	Size  int64       // size of the body in the spool, in bytes
	Event GitHubEvent // the GitHub event; zero if the delivery has none
	State WebhookState
	Why   string // why the delivery was ignored or failed
	At    time.Time
}

// Values of WebhookDelivery.Source.
const (
	WebhookSourceGitHub     = "github"
	WebhookSourceHookPrefix = "hook/" // beginning of the source of a hook; the hook's name follows
)

// WebhookState is the state of a WebhookDelivery.
type WebhookState string

const (
	WebhookNew     WebhookState = "new"     // the delivery is stored and not yet handled
	WebhookDone    WebhookState = "done"    // the delivery is completely handled
	WebhookIgnored WebhookState = "ignored" // the delivery needs no work
	// handling failed; a repeated delivery counts as new
	WebhookFailed WebhookState = "failed"
)
