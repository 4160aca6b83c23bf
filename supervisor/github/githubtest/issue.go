package githubtest

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// label is a label of a repository.
type label struct{ name, color, description string }

// NewIssue is an issue to open with OpenIssue.
type NewIssue struct {
	Title, Body string
	Author      string // login of the author; "" means alice
	Labels      []string
}

// OpenIssue opens an issue.
func (r *Repo) OpenIssue(n NewIssue) (number int) {
	r.s.change(func() {
		i := r.add(n.Title, n.Body, n.Author, n.Labels, nil)
		r.emitIssue(i, "opened", i.author, nil)
		number = i.number
	})
	return number
}

// AddComment adds a user's comment to an issue or a pull request.
func (r *Repo) AddComment(number int, by, body string) (id int64) {
	r.s.change(func() { id = r.comment(r.issues[number], by, body).id })
	return id
}

func (r *Repo) comment(i *issue, by, body string) *comment {
	c := r.s.comment(by, body)
	c.below = i
	i.comments, i.updated = append(i.comments, c), r.s.now()
	r.emitComment(i, c, "created")
	return c
}

// AddReaction adds a user's reaction to a comment: +1, -1, eyes and so on. As on GitHub, no webhook
// is sent.
func (r *Repo) AddReaction(comment int64, by, content string) {
	r.s.change(func() {
		c := r.commentBy(comment)
		if c == nil {
			r.s.fail("%s has no comment %d", r.name, comment)
			return
		}
		c.reactions[content] = append(c.reactions[content], reaction{by, r.s.now()})
	})
}

// CreateLabels creates labels.
func (r *Repo) CreateLabels(names ...string) {
	r.s.change(func() {
		for _, n := range names {
			r.labels = append(r.labels, label{name: n, color: "ededed"})
		}
	})
}

// Issue is an issue or a pull request on the server.
type Issue struct {
	Number   int
	Title    string
	State    string
	Labels   []string
	Comments []Comment
}

// Comment is a comment on the server.
type Comment struct {
	ID           int64
	Author, Body string
	Created      time.Time
	Updated      time.Time
}

// Issue returns an issue or a pull request.
func (r *Repo) Issue(number int) Issue {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	i := r.issues[number]
	made := Issue{Number: number, Title: i.title, State: i.state, Labels: slices.Clone(i.labels)}
	for _, c := range i.comments {
		made.Comments = append(made.Comments, Comment{c.id, c.author, c.body, c.created, c.updated})
	}
	return made
}

// Labels returns the names of the repository's labels.
func (r *Repo) Labels() []string {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	var names []string
	for _, l := range r.labels {
		names = append(names, l.name)
	}
	return names
}

func (r *Repo) colorOf(name string) string {
	for _, l := range r.labels {
		if strings.EqualFold(l.name, name) {
			return l.color
		}
	}
	return "ededed"
}

// commentBy returns the comment with an id, on an issue or on a diff.
func (r *Repo) commentBy(id int64) *comment {
	for _, i := range r.issues {
		for _, c := range i.comments {
			if c.id == id {
				return c
			}
		}
		if i.pull == nil {
			continue
		}
		for _, t := range i.pull.threads {
			for _, c := range t.comments {
				if c.id == id {
					return c
				}
			}
		}
	}
	return nil
}

func (c *comment) json(i *issue) map[string]any {
	return map[string]any{"id": c.id, "node_id": nodeID("IC", c.id), "body": c.body, "user": user(c.author), "created_at": stamp(c.created),
		"updated_at": stamp(c.updated), "author_association": i.repo.standing(c.author),
		"issue_url": i.repo.s.URL() + "repos/" + i.repo.name + "/issues/" + itoa(i.number),
		"html_url":  fmt.Sprintf("https://github.com/%s/issues/%d#issuecomment-%d", i.repo.name, i.number, c.id)}
}

func onIssue(do func(*Server, *request, *issue) answer) func(*Server, *request) answer {
	return func(s *Server, r *request) answer {
		if i := r.repo.issues[r.number("number", 0)]; i != nil {
			return do(s, r, i)
		}
		return notFound()
	}
}

func getIssue(_ *Server, _ *request, i *issue) answer { return good(i.json()) }

func listIssues(s *Server, r *request) answer {
	q := r.URL.Query()
	since, _ := time.Parse(time.RFC3339, q.Get("since")) // a missing parameter becomes the zero time
	state := cmp.Or(q.Get("state"), "open")
	list := r.repo.sorted(q.Get("sort"), q.Get("direction"), func(i *issue) bool {
		return (state == "all" || i.state == state) && !i.updated.Truncate(time.Second).Before(since)
	})
	return paged(r, list, func(i *issue) any { return i.json() })
}

func listIssueComments(_ *Server, r *request, i *issue) answer {
	return paged(r, i.comments, func(c *comment) any { return c.json(i) })
}

// listComments returns a handler that lists all comments of a repository, on issues or on diffs.
func listComments(diffs bool) func(*Server, *request) answer {
	return func(s *Server, r *request) answer {
		// a missing parameter becomes the zero time
		since, _ := time.Parse(time.RFC3339, r.URL.Query().Get("since"))
		type one struct {
			c *comment
			i *issue
		}
		var list []one
		for _, i := range r.repo.issues {
			all := i.comments
			if diffs {
				all = i.diffComments()
			}
			for _, c := range all {
				if !c.updated.Truncate(time.Second).Before(since) {
					list = append(list, one{c, i})
				}
			}
		}
		slices.SortFunc(list, func(a, b one) int { return cmp.Or(a.c.updated.Compare(b.c.updated), cmp.Compare(a.c.id, b.c.id)) })
		return paged(r, list, func(o one) any {
			if diffs {
				return o.c.diffJSON(o.i)
			}
			return o.c.json(o.i)
		})
	}
}

func (i *issue) diffComments() []*comment {
	var all []*comment
	if i.pull != nil {
		for _, t := range i.pull.threads {
			all = append(all, t.comments...)
		}
	}
	return all
}

func createComment(s *Server, r *request, i *issue) answer {
	var asked struct{ Body string }
	if !r.into(&asked) || strings.TrimSpace(asked.Body) == "" {
		return invalid("IssueComment", "body", "missing_field")
	}
	if len(asked.Body) > maxBodyText {
		return unprocessable("Body is too long (maximum is 65536 characters)")
	}
	s.mail(r.repo.name, i.number)
	return created(r.repo.comment(i, r.grant.login, asked.Body).json(i))
}

func editComment(s *Server, r *request) answer {
	var asked struct{ Body string }
	c := r.repo.commentBy(r.id("comment"))
	if c == nil || c.below == nil {
		return notFound()
	}
	if !r.into(&asked) || asked.Body == "" || len(asked.Body) > maxBodyText {
		return unprocessable("Body can't be blank")
	}
	if c.author != r.grant.login {
		return refuse(http.StatusForbidden, "Must have admin rights to Repository.")
	}
	c.body, c.updated = asked.Body, s.now()
	r.repo.emitComment(c.below, c, "edited")
	return good(c.json(c.below))
}

// reactionContents are the reactions that GitHub knows.
var reactionContents = strings.Fields("+1 -1 laugh confused heart hooray rocket eyes")

// reactTo adds a reaction to a comment on a diff, or to another comment. As on GitHub, the same
// reaction of the same user is kept once.
func reactTo(onDiff bool) func(*Server, *request) answer {
	return func(s *Server, r *request) answer {
		var asked struct{ Content string }
		c := r.repo.commentBy(r.id("comment"))
		if c == nil || (c.below == nil) != onDiff {
			return notFound()
		}
		if !r.into(&asked) || !slices.Contains(reactionContents, asked.Content) {
			return invalid("Reaction", "content", "invalid")
		}
		given := map[string]any{"id": s.id(), "content": asked.Content}
		if slices.ContainsFunc(c.reactions[asked.Content], func(one reaction) bool { return one.by == r.grant.login }) {
			return good(given)
		}
		c.reactions[asked.Content] = append(c.reactions[asked.Content], reaction{r.grant.login, s.now()})
		return created(given)
	}
}

// Reactions lists the users that reacted to a comment in one way, such as +1.
func (r *Repo) Reactions(comment int64, content string) (by []string) {
	r.s.change(func() {
		if c := r.commentBy(comment); c != nil {
			for _, one := range c.reactions[content] {
				by = append(by, one.by)
			}
		}
	})
	return by
}

func getComment(_ *Server, r *request) answer {
	c := r.repo.commentBy(r.id("comment"))
	if c == nil || c.below == nil {
		return notFound()
	}
	return good(c.json(c.below))
}

func listLabels(_ *Server, r *request) answer {
	return paged(r, r.repo.labels, func(l label) any {
		return map[string]any{"id": idOf(l.name), "name": l.name, "color": l.color, "description": l.description}
	})
}

func createLabel(_ *Server, r *request) answer {
	var asked struct{ Name, Color, Description string }
	if !r.into(&asked) || asked.Name == "" {
		return invalid("Label", "name", "missing_field")
	}
	for _, l := range r.repo.labels {
		if strings.EqualFold(l.name, asked.Name) {
			return invalid("Label", "name", "already_exists")
		}
	}
	if strings.HasPrefix(asked.Color, "#") || len(asked.Color) != 6 {
		return invalid("Label", "color", "invalid")
	}
	r.repo.labels = append(r.repo.labels, label{asked.Name, asked.Color, asked.Description})
	return created(map[string]any{"id": idOf(asked.Name), "name": asked.Name, "color": asked.Color, "description": asked.Description})
}

// addLabels adds labels to an issue. As on GitHub, missing labels are created.
func addLabels(s *Server, r *request, i *issue) answer {
	var asked struct{ Labels []string }
	if !r.into(&asked) && !r.into(&asked.Labels) {
		return refuse(http.StatusBadRequest, "Problems parsing JSON")
	}
	for _, name := range asked.Labels {
		if !slices.ContainsFunc(r.repo.labels, func(l label) bool { return strings.EqualFold(l.name, name) }) {
			r.repo.labels = append(r.repo.labels, label{name: name, color: "ededed"})
		}
		if contains(i.labels, name) {
			continue
		}
		i.labels, i.updated = append(i.labels, name), s.now()
		more := map[string]any{"label": map[string]any{"name": name}}
		if i.pull != nil {
			r.repo.emitPull(i, "labeled", r.grant.login, more)
		} else {
			r.repo.emitIssue(i, "labeled", r.grant.login, more)
		}
	}
	return good(i.json()["labels"])
}

// search returns issues, sorted by how many words of the query their title and body contain.
func search(s *Server, r *request) answer {
	repo, kind, words := "", "", []string{}
	for _, word := range strings.Fields(strings.ToLower(r.URL.Query().Get("q"))) {
		name, value, ok := strings.Cut(word, ":")
		switch {
		case ok && name == "repo":
			repo = value
		case ok && (name == "is" || name == "type"):
			kind = value
		default:
			words = append(words, word)
		}
	}
	if len(r.URL.Query().Get("q")) > 256 {
		return unprocessable("The search is longer than 256 characters.")
	}
	found := s.repos[repo]
	if found == nil || r.grant.repos != nil && !contains(r.grant.repos, repo) {
		return refuse(http.StatusUnprocessableEntity, "Validation Failed", map[string]any{"resource": "Search", "field": "q", "code": "invalid",
			"message": "The listed users and repositories cannot be searched either because the resources do not exist or you do not have permission to view them."})
	}
	hits := map[*issue]int{}
	for _, i := range found.issues {
		if kind == "issue" && i.pull != nil || kind == "pr" && i.pull == nil {
			continue
		}
		text := strings.ToLower(i.title + " " + i.body)
		for _, w := range words {
			if strings.Contains(text, w) {
				hits[i]++
			}
		}
	}
	list := []*issue{}
	for i := range hits {
		list = append(list, i)
	}
	slices.SortFunc(list, func(a, b *issue) int { return cmp.Or(hits[b]-hits[a], b.number-a.number) })
	a := paged(r, list, func(i *issue) any { return i.json() })
	a.body = map[string]any{"total_count": len(list), "incomplete_results": false, "items": a.body}
	return a
}
