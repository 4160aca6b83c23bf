package supervisor

import (
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
