package githubtest

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// issue is an issue or a pull request. Both share one sequence of numbers.
type issue struct {
	repo      *Repo
	id        int64
	number    int
	title     string
	body      string
	author    string
	state     string
	labels    []string
	comments  []*comment
	created   time.Time
	updated   time.Time
	closed    time.Time
	reactions map[string][]string // logins of users by their reaction
	pull      *pull               // the additional data of a pull request; nil for an issue
}

// pull has the additional data of a pull request.
type pull struct {
	head, base string // names of the head branch and the base branch
	headSHA    string
	draft      bool
	merged     time.Time
	asked      []string // logins of the requested reviewers
	reviews    []*review
	threads    []*thread
}

// NewPullRequest is a pull request to open with OpenPullRequest.
type NewPullRequest struct {
	Title, Body string
	Head        string // name of a branch; owner:branch is a branch in that owner's fork
	Base        string // name of a branch; "" means main
	Author      string // login of the author; "" means alice
	Draft       bool
	Labels      []string
}

// OpenPullRequest opens a pull request.
func (r *Repo) OpenPullRequest(p NewPullRequest) (number int) {
	if p.Base == "" {
		p.Base = "main"
	}
	head := r.CommitSHA(p.Head)
	if head == "" || r.CommitSHA(p.Base) == "" {
		r.s.fail("open a pull request from %s: no such branch", p.Head)
		return 0
	}
	r.s.change(func() {
		i := r.add(p.Title, p.Body, p.Author, p.Labels, &pull{head: p.Head, base: p.Base, headSHA: head, draft: p.Draft})
		r.emitPull(i, "opened", i.author, nil)
		number = i.number
	})
	return number
}

// add adds an issue or a pull request. Call it only within Server.change.
func (r *Repo) add(title, body, author string, labels []string, p *pull) *issue {
	if author == "" {
		author = "alice"
	}
	r.last++
	i := &issue{repo: r, id: r.s.id(), number: r.last, title: title, body: body, author: author, state: "open", labels: slices.Clone(labels),
		created: r.s.now(), updated: r.s.now(), reactions: map[string][]string{}, pull: p}
	r.issues[i.number] = i
	return i
}

// edit changes an issue or a pull request, and sends an event about it.
func (r *Repo) edit(number int, action, by string, more map[string]any, change func(*issue)) {
	r.s.change(func() {
		i := r.issues[number]
		if i == nil {
			r.s.fail("%s has no #%d", r.name, number)
			return
		}
		change(i)
		i.updated = r.s.now()
		if i.pull != nil {
			r.emitPull(i, action, by, more)
		} else {
			r.emitIssue(i, action, by, more)
		}
	})
}

// CloseIssue closes an issue or a pull request.
func (r *Repo) CloseIssue(number int) {
	r.edit(number, "closed", "alice", nil, func(i *issue) { i.state, i.closed = "closed", r.s.now() })
}

// ReopenIssue reopens an issue or a pull request.
func (r *Repo) ReopenIssue(number int) {
	r.edit(number, "reopened", "alice", nil, func(i *issue) { i.state, i.closed = "open", time.Time{} })
}

// MarkDraftReady marks a draft pull request as ready for review.
func (r *Repo) MarkDraftReady(number int) {
	r.edit(number, "ready_for_review", "alice", nil, func(i *issue) { i.pull.draft = false })
}

// MergePullRequest merges a pull request into its base branch.
func (r *Repo) MergePullRequest(number int) {
	var base, head string
	r.s.change(func() { base, head = r.issues[number].pull.base, r.issues[number].pull.head })
	r.edit(number, "closed", "alice", nil, func(i *issue) { i.state, i.closed, i.pull.merged = "closed", r.s.now(), r.s.now() })
	r.MergeBranch(base, head)
}

// ChangeTitle changes the title of an issue or a pull request.
func (r *Repo) ChangeTitle(number int, title string) {
	r.edit(number, "edited", "alice", nil, func(i *issue) { i.title = title })
}

// AddLabel adds a label to an issue or a pull request.
func (r *Repo) AddLabel(number int, name, by string) {
	r.edit(number, "labeled", by, map[string]any{"label": map[string]any{"name": name}}, func(i *issue) {
		if !contains(i.labels, name) {
			i.labels = append(i.labels, name)
		}
	})
}

// RemoveLabel removes a label from an issue or a pull request.
func (r *Repo) RemoveLabel(number int, name, by string) {
	r.edit(number, "unlabeled", by, map[string]any{"label": map[string]any{"name": name}}, func(i *issue) {
		i.labels = slices.DeleteFunc(i.labels, func(l string) bool { return strings.EqualFold(l, name) })
	})
}

// RequestReview requests a user's review of a pull request.
func (r *Repo) RequestReview(number int, login string) {
	r.edit(number, "review_requested", "alice", map[string]any{"requested_reviewer": user(login)}, func(i *issue) {
		i.pull.asked = append(i.pull.asked, login)
	})
}

// pushed updates pull requests after a push to a branch, and sends the events.
func (r *Repo) pushed(branch, before, after, by string) {
	if before == after {
		return
	}
	r.s.change(func() {
		for number := 1; number <= r.last; number++ {
			i := r.issues[number]
			if i.pull == nil || i.state != "open" || i.pull.head != branch {
				continue
			}
			i.pull.headSHA, i.updated = after, r.s.now()
			r.updatePositions(i)
			r.emitPull(i, "synchronize", by, map[string]any{"before": before, "after": after})
		}
		if !strings.Contains(branch, ":") {
			r.emitPush(branch, before, after, by)
		}
	})
}

func (i *issue) json() map[string]any {
	labels := []any{}
	for _, l := range i.labels {
		labels = append(labels, map[string]any{"id": idOf(l), "name": l, "color": i.repo.colorOf(l)})
	}
	kind, page := "I", "/issues/"
	if i.pull != nil {
		kind, page = "PR", "/pull/"
	}
	v := map[string]any{"id": i.id, "node_id": nodeID(kind, i.id), "number": i.number, "title": i.title, "body": i.body, "user": user(i.author),
		"state": i.state, "labels": labels, "comments": len(i.comments), "created_at": stamp(i.created), "updated_at": stamp(i.updated),
		"closed_at": stamp(i.closed), "author_association": i.repo.standing(i.author), "locked": false,
		"html_url": "https://github.com/" + i.repo.name + page + itoa(i.number), "url": i.repo.s.URL() + "repos/" + i.repo.name + "/issues/" + itoa(i.number)}
	if i.pull != nil {
		v["pull_request"] = map[string]any{"url": i.repo.s.URL() + "repos/" + i.repo.name + "/pulls/" + itoa(i.number)}
		v["draft"] = i.pull.draft
	}
	return v
}

// pullJSON returns a pull request in GitHub's JSON. A single pull request has more fields than a
// pull request in a list. Call it only within Server.change.
func (i *issue) pullJSON(alone bool) map[string]any {
	v, p := i.json(), i.pull
	delete(v, "pull_request")
	asked := []any{}
	for _, login := range p.asked {
		asked = append(asked, user(login))
	}
	v["draft"], v["merged_at"], v["requested_reviewers"] = p.draft, stamp(p.merged), asked
	v["head"], v["base"] = i.branchJSON(p.head, p.headSHA), i.branchJSON(p.base, i.repo.CommitSHA(p.base))
	if !alone {
		return v
	}
	d := i.repo.pullDiff(i)
	added, deleted := 0, 0
	for _, f := range d.files {
		added, deleted = added+f.added, deleted+f.deleted
	}
	v["merged"], v["mergeable"], v["commits"], v["changed_files"] = !p.merged.IsZero(), true, len(i.commits()), len(d.files)
	v["additions"], v["deletions"] = added, deleted
	return v
}

func (i *issue) branchJSON(branch, sha string) map[string]any {
	repo := i.repo.json()
	owner, name, _ := strings.Cut(i.repo.name, "/")
	if fork, of, ok := strings.Cut(branch, ":"); ok {
		branch = of
		owner = fork
		repo["full_name"], repo["owner"], repo["fork"] = fork+"/"+name, user(fork), true
	}
	return map[string]any{"label": owner + ":" + branch, "ref": branch, "sha": sha, "user": user(owner), "repo": repo}
}

// commits returns the commits of a pull request, oldest first.
func (i *issue) commits() []commit {
	return i.repo.commits("--reverse", "--topo-order", i.repo.CommitSHA(i.pull.base)+".."+i.pull.headSHA)
}

// pullIn returns the pull request that a request is about.
func pullIn(r *request) *issue {
	i := r.repo.issues[r.number("number", 0)]
	if i == nil || i.pull == nil {
		return nil
	}
	return i
}

func onPull(do func(*Server, *request, *issue) answer) func(*Server, *request) answer {
	return func(s *Server, r *request) answer {
		i := pullIn(r)
		if i == nil {
			return notFound()
		}
		return do(s, r, i)
	}
}

func getPull(s *Server, r *request, i *issue) answer {
	if strings.Contains(r.Header.Get("Accept"), "diff") {
		return getDiff(r.repo.pullDiff(i))
	}
	return good(i.pullJSON(true))
}

// GitHub's limits for diffs (docs.github.com, limits for viewing content and diffs in a
// repository).
const (
	diffFiles = 300
	diffLines = 20000
	listFiles = 3000
	patchSize = 500 << 10
)

func getDiff(d *pullDiff) answer {
	message := ""
	switch {
	case len(d.files) > diffFiles:
		message = "Sorry, the diff exceeded the maximum number of files (300). Consider using 'List pull requests files' API or locally cloning the repository instead."
	case d.lines > diffLines:
		message = "Sorry, the diff exceeded the maximum number of lines (20000)"
	default:
		return good(d.text)
	}
	return refuse(http.StatusNotAcceptable, message, map[string]any{"resource": "PullRequest", "field": "diff", "code": "too_large"})
}

func listPulls(s *Server, r *request) answer {
	q := r.URL.Query()
	state := q.Get("state")
	list := r.repo.sorted(q.Get("sort"), q.Get("direction"), func(i *issue) bool {
		return i.pull != nil && (state == "all" || i.state == state || state == "" && i.state == "open")
	})
	return paged(r, list, func(i *issue) any { return i.pullJSON(false) })
}

// sorted returns the issues and pull requests that want accepts. The newest comes first by default.
func (r *Repo) sorted(by, direction string, want func(*issue) bool) []*issue {
	var list []*issue
	for _, i := range r.issues {
		if want(i) {
			list = append(list, i)
		}
	}
	slices.SortFunc(list, func(a, b *issue) int {
		if direction == "asc" {
			a, b = b, a
		}
		if c := b.updated.Compare(a.updated); by == "updated" && c != 0 {
			return c
		}
		return b.number - a.number
	})
	return list
}

func listPullCommits(s *Server, r *request, i *issue) answer {
	all := i.commits()
	return paged(r, all[:min(len(all), 250)], commit.json)
}

func listPullFiles(s *Server, r *request, i *issue) answer {
	files := r.repo.pullDiff(i).files
	return paged(r, files[:min(len(files), listFiles)], (*file).json)
}
