package githubtest

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"
)

func getRepo(_ *Server, r *request) answer {
	v := r.repo.json()
	permission := r.repo.people[strings.ToLower(r.grant.login)]
	v["permissions"] = map[string]any{"admin": permission == "admin", "push": levels[permission] >= 2, "pull": true}
	return good(v)
}

// maxContent is the maximum size of a file whose content is returned, in bytes.
const maxContent = 1 << 20

func getContents(_ *Server, r *request) answer {
	at, file := cmp.Or(r.URL.Query().Get("ref"), "main"), strings.Trim(r.PathValue("path"), "/")
	commit := r.repo.CommitSHA(at)
	if commit == "" {
		return refuse(http.StatusNotFound, "No commit found for the ref "+at)
	}
	kind, err := r.repo.try(nil, nil, "cat-file", "-t", commit+":"+file)
	switch {
	case err != nil:
		return notFound()
	case strings.TrimSpace(string(kind)) == "tree":
		return good(r.repo.folder(commit, file))
	}
	data := r.repo.git(nil, nil, "cat-file", "blob", commit+":"+file)
	v := map[string]any{"type": "file", "name": path.Base(file), "path": file, "size": len(data), "sha": r.repo.text("rev-parse", commit+":"+file),
		"encoding": "base64", "content": base64.StdEncoding.EncodeToString(data)}
	if len(data) > maxContent {
		v["encoding"], v["content"] = "none", ""
	}
	return good(v)
}

// maxBlob is the maximum size of a blob that is returned, in bytes.
const maxBlob = 100 << 20

// getBlob returns a blob by its SHA. It knows only the raw form.
func getBlob(_ *Server, r *request) answer {
	sha := r.PathValue("sha")
	kind, err := r.repo.try(nil, nil, "cat-file", "-t", sha)
	switch {
	case err != nil || len(sha) != 40 || strings.TrimSpace(string(kind)) != "blob":
		return notFound()
	case !strings.Contains(r.Header.Get("Accept"), "raw"):
		return refuse(http.StatusNotImplemented, "this fake has blobs in their raw form only")
	}
	data := r.repo.git(nil, nil, "cat-file", "blob", sha)
	if len(data) > maxBlob {
		return refuse(http.StatusForbidden, "This API returns blobs up to 100 MB in size.",
			map[string]any{"resource": "Blob", "field": "data", "code": "too_large"})
	}
	return good(string(data))
}

var entryTypes = map[string]string{"blob": "file", "tree": "dir", "commit": "submodule"}

func (r *Repo) folder(commit, file string) any {
	list := []any{}
	for _, line := range strings.Split(r.text("ls-tree", "-l", "-z", commit+":"+file), "\x00") {
		head, name, ok := strings.Cut(line, "\t")
		if f := strings.Fields(head); ok && len(f) == 4 {
			list = append(list, map[string]any{"type": entryTypes[f[1]], "name": name, "path": path.Join(file, name), "sha": f[2], "size": atoi(f[3])})
		}
	}
	return list
}

func listCommits(_ *Server, r *request) answer {
	sha := r.repo.CommitSHA(cmp.Or(r.URL.Query().Get("sha"), "main"))
	if sha == "" {
		return notFound()
	}
	return paged(r, r.repo.commits("-300", sha), commit.json)
}

func compare(_ *Server, r *request) answer {
	base, head, ok := strings.Cut(r.PathValue("basehead"), "...")
	from, to := r.repo.CommitSHA(base), r.repo.CommitSHA(head)
	if !ok || from == "" || to == "" {
		return notFound()
	}
	shared, err := r.repo.try(nil, nil, "merge-base", from, to)
	if err != nil {
		return refuse(http.StatusNotFound, "No common ancestor between "+base+" and "+head+".")
	}
	merge := strings.TrimSpace(string(shared))
	ahead, behind := r.repo.commits("--reverse", from+".."+to), r.repo.commits(to+".."+from)
	status := "diverged"
	switch {
	case from == to:
		status = "identical"
	case len(behind) == 0:
		status = "ahead"
	case len(ahead) == 0:
		status = "behind"
	}
	commits, files := []any{}, []any{}
	for _, c := range ahead[:min(len(ahead), 250)] {
		commits = append(commits, c.json())
	}
	all := r.repo.diff(merge, to).files
	for _, f := range all[:min(len(all), diffFiles)] {
		files = append(files, f.json())
	}
	return good(map[string]any{"status": status, "ahead_by": len(ahead), "behind_by": len(behind), "total_commits": len(ahead),
		"merge_base_commit": map[string]any{"sha": merge}, "commits": commits, "files": files})
}

func getPermission(_ *Server, r *request) answer {
	login := r.PathValue("login")
	// a public repository is readable for all
	permission := cmp.Or(r.repo.people[strings.ToLower(login)], "read")
	return good(map[string]any{"permission": permission, "role_name": permission, "user": user(login)})
}

// PublishRelease publishes a release.
func (r *Repo) PublishRelease(tag, title, body string) {
	r.s.change(func() {
		v := map[string]any{"id": r.s.id(), "tag_name": tag, "name": title, "body": body, "draft": false, "prerelease": false, "author": user("alice"),
			"html_url": "https://github.com/" + r.name + "/releases/tag/" + tag, "created_at": stamp(r.s.now()), "published_at": stamp(r.s.now())}
		r.releases = append([]map[string]any{v}, r.releases...)
		r.emit("release", "published", "alice", map[string]any{"release": v})
	})
}

func listReleases(_ *Server, r *request) answer {
	return paged(r, r.repo.releases, func(v map[string]any) any { return v })
}

// check is a check run.
type check struct {
	id                                 int64
	name, head, status, result, app    string
	external, title, summary, finished string
}

// CheckRun is the state of a check run.
type CheckRun struct {
	ID                                         int64
	Name, Head, Status, Conclusion, App, Title string
	Summary, External                          string
}

// CheckRuns returns a repository's check runs, oldest first.
func (r *Repo) CheckRuns() []CheckRun {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	var list []CheckRun
	for _, c := range r.checks {
		list = append(list, CheckRun{c.id, c.name, c.head, c.status, c.result, c.app, c.title, c.summary, c.external})
	}
	return list
}

// CompleteCheckRun completes a check run of another App for a commit.
func (r *Repo) CompleteCheckRun(name, head, conclusion string) {
	r.s.change(func() {
		c := &check{id: r.s.id(), name: name, head: r.CommitSHA(head), status: "completed", result: conclusion,
			app: "actions", finished: r.s.now().Format(time.RFC3339)}
		r.checks = append(r.checks, c)
		r.emit("check_run", "completed", "alice", map[string]any{"check_run": c.json(r)})
	})
}

func (c *check) json(r *Repo) map[string]any {
	pulls := []any{}
	for _, i := range r.issues {
		if i.pull != nil && i.pull.headSHA == c.head {
			pulls = append(pulls, map[string]any{"number": i.number})
		}
	}
	v := map[string]any{"id": c.id, "name": c.name, "head_sha": c.head, "status": c.status, "external_id": c.external, "app": map[string]any{"slug": c.app, "name": c.app},
		"html_url": "https://github.com/" + r.name + "/runs/" + itoa(int(c.id)), "output": map[string]any{"title": c.title, "summary": c.summary},
		"pull_requests": pulls, "conclusion": nil, "completed_at": nil}
	if c.result != "" {
		v["conclusion"], v["completed_at"] = c.result, c.finished
	}
	return v
}

// checkBody is the body of a request that creates or updates a check run.
type checkBody struct {
	Name       string
	HeadSHA    string `json:"head_sha"`
	ExternalID string `json:"external_id"`
	Status     string
	Conclusion string
	Output     struct{ Title, Summary string }
}

// conclusions are the allowed conclusions of a completed check run. (docs.github.com: create a
// check run)
var conclusions = []string{"action_required", "cancelled", "failure", "neutral", "success", "skipped", "timed_out"}

// maxSummary is the maximum size of a check run's summary in bytes.
const maxSummary = 65535

// refused returns GitHub's refusal of a wrong body. wrong is false if GitHub accepts the body.
func (b checkBody) refused() (a answer, wrong bool) {
	switch {
	case b.Status == "completed" && !slices.Contains(conclusions, b.Conclusion):
		return invalid("CheckRun", "conclusion", "invalid"), true
	case (b.Output.Title == "") != (b.Output.Summary == ""):
		return invalid("CheckRun", "output", "missing_field"), true
	case len(b.Output.Summary) > maxSummary:
		return unprocessable("Only 65535 characters are allowed; " + itoa(len(b.Output.Summary)) +
			" were supplied."), true
	}
	return a, false
}

func createCheck(s *Server, r *request) answer {
	if !r.grant.app {
		return refuse(http.StatusForbidden, "You must authenticate via a GitHub App.")
	}
	var asked checkBody
	if !r.into(&asked) || asked.Name == "" || asked.HeadSHA == "" {
		return invalid("CheckRun", "name", "missing_field")
	}
	if refused, wrong := asked.refused(); wrong {
		return refused
	}
	c := &check{id: s.id(), head: asked.HeadSHA, app: s.options.App.Slug, external: asked.ExternalID}
	c.take(s, asked)
	r.repo.checks = append(r.repo.checks, c)
	return created(c.json(r.repo))
}

func (c *check) take(s *Server, asked checkBody) {
	c.name, c.status, c.title, c.summary = cmp.Or(asked.Name, c.name), cmp.Or(asked.Status, c.status, "queued"), asked.Output.Title, asked.Output.Summary
	if asked.Conclusion != "" {
		c.status, c.result, c.finished = "completed", asked.Conclusion, s.now().Format(time.RFC3339)
	}
}

func updateCheck(s *Server, r *request) answer {
	if !r.grant.app {
		return refuse(http.StatusForbidden, "You must authenticate via a GitHub App.")
	}
	for _, c := range r.repo.checks {
		if c.id == r.id("check") {
			var asked checkBody
			r.into(&asked)
			if refused, wrong := asked.refused(); wrong {
				return refused
			}
			c.take(s, asked)
			return good(c.json(r.repo))
		}
	}
	return notFound()
}

func listChecks(_ *Server, r *request) answer {
	sha := r.repo.CommitSHA(r.PathValue("ref"))
	last := map[string]*check{} // GitHub lists only the latest check run of each name
	var list []*check
	for _, c := range r.repo.checks {
		if c.head == sha {
			last[c.app+"/"+c.name] = c
		}
	}
	for _, c := range r.repo.checks {
		if last[c.app+"/"+c.name] == c {
			list = append(list, c)
		}
	}
	a := paged(r, list, func(c *check) any { return c.json(r.repo) })
	a.body = map[string]any{"total_count": len(list), "check_runs": a.body}
	return a
}
