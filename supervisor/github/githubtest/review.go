package githubtest

import (
	"fmt"
	"net/http"
	"strings"
	"time"
)

// review is a review of a pull request.
type review struct {
	id        int64
	author    string
	body      string
	state     string
	commit    string
	submitted time.Time
}

// thread is a discussion about lines of a diff.
type thread struct {
	id         int64
	path, side string
	start      int // first line of several; 0 for one line
	line       int // last line; 0 if the thread is outdated
	original   int
	commit     string
	resolvedBy string
	resolved   bool
	comments   []*comment
}

// reaction is a user's reaction to a comment.
type reaction struct {
	by string
	at time.Time
}

// comment is a comment on an issue or a pull request, or in a thread.
type comment struct {
	id        int64
	review    int64
	author    string
	body      string
	created   time.Time
	updated   time.Time
	reactions map[string][]reaction // reactions to the comment, by their contents such as +1
	on        *thread
	below     *issue
}

// draft is a comment in a request that creates a review.
type draft struct {
	Path      string
	Body      string
	Line      *int
	Side      string
	StartLine *int   `json:"start_line"`
	StartSide string `json:"start_side"`
	Position  *int
}

// reviewStates has the state of a review for each event in a request.
var reviewStates = map[string]string{"": "PENDING", "COMMENT": "COMMENTED", "APPROVE": "APPROVED", "REQUEST_CHANGES": "CHANGES_REQUESTED"}

// maxBodyText is the maximum size of a review's or comment's text in bytes.
const maxBodyText = 65536

func createReview(s *Server, r *request, i *issue) answer {
	var asked struct {
		Body     string
		Event    string
		CommitID string `json:"commit_id"`
		Comments []draft
	}
	if !r.into(&asked) {
		return refuse(http.StatusBadRequest, "Problems parsing JSON")
	}
	state, known := reviewStates[asked.Event]
	switch {
	case !known:
		return unprocessable("Event is not included in the list")
	case asked.Event != "" && asked.Event != "APPROVE" && asked.Body == "" && (asked.Event == "REQUEST_CHANGES" || len(asked.Comments) == 0):
		return unprocessable("Body can't be blank")
	case len(asked.Body) > maxBodyText:
		return unprocessable("Body is too long (maximum is 65536 characters)")
	case strings.EqualFold(r.grant.login, i.author) && (state == "APPROVED" || state == "CHANGES_REQUESTED"):
		return unprocessable("Can not " + strings.ReplaceAll(strings.ToLower(asked.Event), "_", " ") + " your own pull request")
	}
	if asked.CommitID == "" {
		asked.CommitID = i.pull.headSHA
	}
	if !r.repo.contains(i, asked.CommitID) {
		return unprocessable("The commit_id is not part of the pull request")
	}
	threads, wrong := r.repo.check(i, asked.CommitID, asked.Comments)
	if len(wrong) > 0 {
		return unprocessable(wrong...) // GitHub refuses the whole review because of one comment
	}
	made := &review{id: s.id(), author: r.grant.login, body: asked.Body, state: state, commit: asked.CommitID}
	if state != "PENDING" {
		made.submitted = s.now()
		s.mail(r.repo.name, i.number)
	}
	i.pull.reviews = append(i.pull.reviews, made)
	for n, t := range threads {
		t.comments = []*comment{s.comment(made.author, asked.Comments[n].Body)}
		t.comments[0].review, t.comments[0].on = made.id, t
		i.pull.threads = append(i.pull.threads, t)
	}
	i.updated = s.now()
	r.repo.emitReview(i, made, "submitted")
	if made.commit != i.pull.headSHA {
		r.repo.updatePositions(i)
	}
	return good(made.json(i))
}

func (s *Server) comment(author, body string) *comment {
	return &comment{id: s.id(), author: author, body: body, created: s.now(), updated: s.now(), reactions: map[string][]reaction{}}
}

// contains reports whether a commit is or was part of a pull request.
func (r *Repo) contains(i *issue, sha string) bool {
	_, err := r.try(nil, nil, "cat-file", "-e", sha+"^{commit}")
	return err == nil
}

// check turns a review's comments into threads. If comments are wrong, it returns texts about them.
func (r *Repo) check(i *issue, head string, drafts []draft) (threads []*thread, wrong []any) {
	d := r.diffAt(i, head)
	for _, c := range drafts {
		t := &thread{id: r.s.id(), path: c.Path, side: c.Side, commit: head}
		if t.side == "" {
			t.side = "RIGHT"
		}
		if words := t.findLines(d, c); words != "" {
			wrong = append(wrong, words)
		}
		threads = append(threads, t)
	}
	return threads, wrong
}

// findLines finds the lines of a comment in a diff. It returns "", or the reason if the diff has no
// such line.
func (t *thread) findLines(d *pullDiff, c draft) string {
	f := d.file(t.path)
	switch {
	case f == nil || f.patch == "":
		return "Path could not be resolved"
	case strings.TrimSpace(c.Body) == "":
		return "Body can't be blank"
	case len(c.Body) > maxBodyText:
		return "Body is too long (maximum is 65536 characters)"
	case t.side != "LEFT" && t.side != "RIGHT":
		return "Side is not included in the list"
	case c.Line == nil:
		return "Line could not be resolved"
	}
	in := f.hunkOf(t.side, *c.Line)
	if in == nil {
		return "Line could not be resolved"
	}
	t.line, t.original = *c.Line, *c.Line
	if c.StartLine == nil {
		return ""
	}
	side := t.side
	if c.StartSide != "" {
		side = c.StartSide
	}
	t.start = *c.StartLine
	switch {
	case side == t.side && t.start >= t.line:
		return "Start line must precede the end line."
	case !in.has(side, t.start):
		return "Start line must be part of the same hunk as the line."
	}
	return ""
}

func (f *file) hunkOf(side string, line int) *hunk {
	for n := range f.hunks {
		if f.hunks[n].has(side, line) {
			return &f.hunks[n]
		}
	}
	return nil
}

// updatePositions updates the positions of a pull request's threads after a push.
func (r *Repo) updatePositions(i *issue) {
	d := r.pullDiff(i)
	for _, t := range i.pull.threads {
		line := t.original
		if t.side == "RIGHT" && t.commit != i.pull.headSHA {
			if f := r.diff(t.commit, i.pull.headSHA).file(t.path); f != nil {
				line = f.mapLine(line)
			}
		}
		f := d.file(t.path)
		if t.line = 0; f != nil && line > 0 && f.hunkOf(t.side, line) != nil {
			t.line = line
		}
	}
}

func (v *review) json(i *issue) map[string]any {
	return map[string]any{"id": v.id, "node_id": nodeID("PRR", v.id), "user": user(v.author), "body": v.body, "state": v.state, "commit_id": v.commit,
		"submitted_at": stamp(v.submitted), "author_association": i.repo.standing(v.author),
		"html_url": fmt.Sprintf("https://github.com/%s/pull/%d#pullrequestreview-%d", i.repo.name, i.number, v.id)}
}

func reviewIn(r *request, i *issue) *review {
	for _, v := range i.pull.reviews {
		if v.id == r.id("review") {
			return v
		}
	}
	return nil
}

func listReviews(_ *Server, r *request, i *issue) answer {
	var seen []*review
	for _, v := range i.pull.reviews {
		if v.state != "PENDING" || v.author == r.grant.login {
			seen = append(seen, v)
		}
	}
	return paged(r, seen, func(v *review) any { return v.json(i) })
}

func updateReview(s *Server, r *request, i *issue) answer {
	var asked struct{ Body string }
	v := reviewIn(r, i)
	switch {
	case v == nil:
		return notFound()
	case v.author != r.grant.login:
		return refuse(http.StatusForbidden, "Must have admin rights to Repository.")
	case !r.into(&asked) || asked.Body == "":
		return unprocessable("Body can't be blank")
	case len(asked.Body) > maxBodyText:
		return unprocessable("Body is too long (maximum is 65536 characters)")
	}
	v.body = asked.Body
	i.updated = s.now()
	r.repo.emitReview(i, v, "edited")
	return good(v.json(i))
}

func listReviewComments(_ *Server, r *request, i *issue) answer {
	var list []*comment
	for _, t := range i.pull.threads {
		for _, c := range t.comments {
			if v := r.PathValue("review"); v == "" || c.review == r.id("review") {
				list = append(list, c)
			}
		}
	}
	return paged(r, list, func(c *comment) any { return c.diffJSON(i) })
}

// diffJSON returns a comment on a diff in GitHub's JSON. If its thread is outdated, its line is
// null.
func (c *comment) diffJSON(i *issue) any {
	t := c.on
	v := c.json(i)
	v["path"], v["side"], v["commit_id"], v["original_commit_id"], v["original_line"] = t.path, t.side, i.pull.headSHA, t.commit, t.original
	v["line"], v["pull_request_review_id"] = orNull(t.line), c.review
	v["pull_request_url"] = i.repo.s.URL() + "repos/" + i.repo.name + "/pulls/" + itoa(i.number)
	if t.comments[0] != c {
		v["in_reply_to_id"] = t.comments[0].id
	}
	return v
}

func orNull(n int) any {
	if n == 0 {
		return nil
	}
	return n
}

// Review is a review on the server.
type Review struct {
	ID       int64
	Author   string
	Body     string
	State    string
	Head     string
	Comments []DiffComment
}

// DiffComment is the first comment of a thread.
type DiffComment struct {
	ID          int64
	Path, Side  string
	Start, Line int // Line is 0 if the thread is outdated
	Body        string
	Resolved    bool
}

// Reviews returns the reviews of a pull request, oldest first.
func (r *Repo) Reviews(number int) []Review {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	var list []Review
	i := r.issues[number]
	for _, v := range i.pull.reviews {
		made := Review{ID: v.id, Author: v.author, Body: v.body, State: v.state, Head: v.commit}
		for _, t := range i.pull.threads {
			if c := t.comments[0]; c.review == v.id {
				made.Comments = append(made.Comments, DiffComment{c.id, t.path, t.side, t.start, t.line, c.body, t.resolved})
			}
		}
		list = append(list, made)
	}
	return list
}

// AddReview adds a user's review of a pull request, with comments on lines.
func (r *Repo) AddReview(number int, by, state, body string, comments ...DiffComment) (id int64) {
	r.s.change(func() {
		i := r.issues[number]
		made := &review{id: r.s.id(), author: by, body: body, state: state, commit: i.pull.headSHA, submitted: r.s.now()}
		i.pull.reviews = append(i.pull.reviews, made)
		for _, c := range comments {
			t := &thread{id: r.s.id(), path: c.Path, side: c.Side, start: c.Start, line: c.Line, original: c.Line, commit: i.pull.headSHA}
			t.comments = []*comment{r.s.comment(by, c.Body)}
			t.comments[0].review, t.comments[0].on = made.id, t
			i.pull.threads = append(i.pull.threads, t)
		}
		id = made.id
		r.emitReview(i, made, "submitted")
	})
	return id
}

// ResolveThread resolves the thread that a comment belongs to.
func (r *Repo) ResolveThread(number int, comment int64, by string) {
	r.onThread(number, comment, func(t *thread) { t.resolved, t.resolvedBy = true, by })
}

// ReplyInThread adds a reply to the thread that a comment belongs to.
func (r *Repo) ReplyInThread(number int, comment int64, by, body string) {
	r.onThread(number, comment, func(t *thread) {
		c := r.s.comment(by, body)
		c.on = t
		t.comments = append(t.comments, c)
		r.emitDiffComment(r.issues[number], c)
	})
}

func (r *Repo) onThread(number int, comment int64, do func(*thread)) {
	found := false
	r.s.change(func() {
		for _, t := range r.issues[number].pull.threads {
			for _, c := range t.comments {
				if c.id == comment && !found {
					found = true
					do(t)
				}
			}
		}
	})
	if !found {
		r.s.fail("%s#%d has no comment %d on a diff", r.name, number, comment)
	}
}
