package event

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"mews/supervisor"
)

// Limits of an event's texts, in bytes.
const (
	maxName    = 140 // maximum size of an event's name, a login or a label, in bytes
	maxRepo    = 160
	maxRef     = 255 // maximum size of names in git: the limit of most file systems
	maxURL     = 500
	maxTitle   = 300
	maxText    = 2000
	maxNames   = 20
	maxCommits = 5
)

// draft is an event that is being read.
type draft struct {
	supervisor.GitHubEvent
	own           bool // the event is about a text by Mews
	labels, asked []string
	changed       []string // labels that were added or removed
	headRepo      string
	issueTexts    []string // uncut texts of an issue and of the comment on it
}

// marker begins the hidden mark in every text that Mews writes on GitHub.
const marker = "<!-- mews:"

func set(most int, field func(*draft) *string) func(*draft, string) {
	return func(d *draft, v string) {
		if f := field(d); *f == "" { // only the first of several values is used
			*f = clip(v, most)
		}
	}
}

func flag(field func(*draft) *bool) func(*draft, string) {
	return func(d *draft, v string) { *field(d) = v == "true" }
}

func list(field func(*draft) *[]string) func(*draft, string) {
	return func(d *draft, v string) {
		if f := field(d); len(*f) < maxNames {
			*f = append(*f, clip(v, maxName))
		}
	}
}

var (
	action   = set(maxName, func(d *draft) *string { return &d.Action })
	repo     = set(maxRepo, func(d *draft) *string { return &d.Repo })
	sender   = set(maxName, func(d *draft) *string { return &d.Sender })
	author   = set(maxName, func(d *draft) *string { return &d.Author })
	standing = set(maxName, func(d *draft) *string { return &d.Association })
	title    = set(maxTitle, func(d *draft) *string { return &d.Title })
	url      = set(maxURL, func(d *draft) *string { return &d.URL })
	state    = set(maxName, func(d *draft) *string { return &d.State })
	base     = set(maxRef, func(d *draft) *string { return &d.Base })
	head     = set(maxName, func(d *draft) *string { return &d.Head })
	before   = set(maxName, func(d *draft) *string { return &d.Before })
	headRepo = set(maxRepo, func(d *draft) *string { return &d.headRepo })
	isDraft  = flag(func(d *draft) *bool { return &d.Draft })
	merged   = flag(func(d *draft) *bool { return &d.Merged })
	gone     = flag(func(d *draft) *bool { return &d.Deleted })
	label    = list(func(d *draft) *[]string { return &d.labels })
	changed  = list(func(d *draft) *[]string { return &d.changed })
	asked    = list(func(d *draft) *[]string { return &d.asked })

	text   = set(maxText, func(d *draft) *string { return &d.Text })
	uncut  = func(d *draft, v string) { d.issueTexts = append(d.issueTexts, v) }
	setRef = set(maxRef, func(d *draft) *string { return &d.Ref })
)

// said stores the text of a comment in the draft. Mews writes only comments, so a hidden mark in a
// description was copied there by a user.
func said(d *draft, v string) {
	text(d, v)
	uncut(d, v)
	d.own = d.own || strings.Contains(v, marker)
}

// issueText stores the text of an issue in the draft.
func issueText(d *draft, v string) {
	text(d, v)
	uncut(d, v)
}

// ref stores the name of a branch or tag in the draft. In the payload of a push it begins with
// refs/heads/ or refs/tags/.
func ref(d *draft, v string) {
	setRef(d, strings.TrimPrefix(strings.TrimPrefix(v, "refs/heads/"), "refs/tags/"))
}

func senderType(d *draft, v string) { d.SenderBot = v == "Bot" }

func isPull(d *draft, _ string) { d.IsPull = true }

func number(d *draft, v string) {
	if n, err := strconv.ParseInt(v, 10, 32); err == nil && d.Number == 0 {
		d.Number = int(n)
	}
}

func pullNumber(d *draft, v string) {
	d.IsPull = true
	number(d, v)
}

func id(d *draft, v string) {
	if n, err := strconv.ParseInt(v, 10, 64); err == nil && d.Comment == 0 {
		d.Comment = n
	}
}

// at stores the latest time in the payload as the event's time. Earlier times belong to other
// objects.
func at(d *draft, v string) {
	if t, err := time.Parse(time.RFC3339, v); err == nil && t.After(d.At) {
		d.At = t.UTC()
	}
}

func nextCommit(d *draft, _ string) {
	if len(d.Commits) == maxCommits {
		d.MoreCommits++
		return
	}
	d.Commits = append(d.Commits, supervisor.GitHubCommit{})
}

// commit returns the commit that is being read. Commits beyond the limit are dropped.
func (d *draft) commit() *supervisor.GitHubCommit {
	if len(d.Commits) == 0 || d.MoreCommits > 0 {
		return &supervisor.GitHubCommit{}
	}
	return &d.Commits[len(d.Commits)-1]
}

func commitSHA(d *draft, v string)    { d.commit().SHA = clip(v, maxName) }
func commitAuthor(d *draft, v string) { d.commit().Author = clip(v, maxName) }

func commitTitle(d *draft, v string) {
	line, _, _ := strings.Cut(v, "\n")
	d.commit().Title = clip(line, maxTitle)
}

// event returns the finished event.
func (d *draft) event() supervisor.GitHubEvent {
	e := d.GitHubEvent
	// headRepo is "" if the fork was deleted
	e.Fork = e.IsPull && e.Head != "" && e.Base != "" && !strings.EqualFold(d.headRepo, e.Repo)
	switch {
	case strings.HasPrefix(e.Action, "review_request"):
		e.Labels = d.asked
	case strings.HasSuffix(e.Action, "labeled"):
		e.Labels = d.changed
	default:
		e.Labels = d.labels
	}
	if size(e) > MaxEventBytes { // the event is too long only if its texts need many escapes
		e.Text, e.Labels, e.Commits, e.MoreCommits = "", nil, nil, e.MoreCommits+len(e.Commits)
	}
	return e
}

// size returns the length of an event's JSON in bytes.
func size(e supervisor.GitHubEvent) int {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(e) // encoding an event into memory never fails
	return b.Len()
}
