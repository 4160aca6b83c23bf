package githubtest

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Repo is a repository on the server.
type Repo struct {
	s        *Server
	name     string // the repository's name, as owner/name
	id       int64
	dir      string // path of the bare git repository
	last     int    // highest number of an issue or a pull request
	issues   map[int]*issue
	labels   []label
	people   map[string]string // permissions of users by login
	checks   []*check
	releases []map[string]any     // releases, newest first
	diffs    map[string]*pullDiff // computed diffs, by base and head
	tips     sync.Map             // commits of requested refs, by ref
}

// Repo returns the repository with a name. If there is none, Repo creates it, with README.md on the
// branch main.
func (s *Server) Repo(name string) *Repo {
	r, found := s.repo(name)
	if !found {
		r.run(nil, "init", "--quiet", "--bare", "--initial-branch=main", "--template=", r.dir)
		r.AddCommit("main", Commit{Message: "Begin", Files: map[string]string{"README.md": "# " + name + "\n"}})
	}
	return r
}

// ImportRepo creates a repository from a local git repository, with all its branches.
func (s *Server) ImportRepo(name, dir string) *Repo {
	r, _ := s.repo(name)
	r.run(nil, "clone", "--quiet", "--bare", "--template=", dir, r.dir)
	return r
}

func (s *Server) repo(name string) (r *Repo, found bool) {
	s.change(func() {
		if r = s.repos[strings.ToLower(name)]; r != nil {
			found = true
			return
		}
		id := s.id()
		r = &Repo{s: s, name: name, id: id, dir: filepath.Join(s.options.Dir, fmt.Sprint(id)+".git"), issues: map[int]*issue{},
			people: map[string]string{}, diffs: map[string]*pullDiff{}}
		owner, _, _ := strings.Cut(name, "/")
		r.people[strings.ToLower(s.options.Login)] = "write"
		r.people[strings.ToLower(owner)] = "admin"
		s.repos[strings.ToLower(name)] = r
	})
	return r, found
}

// Name returns the repository's name as owner/name.
func (r *Repo) Name() string { return r.name }

// Rename renames the repository. Requests for the old name are redirected.
func (r *Repo) Rename(name string) {
	r.s.change(func() {
		delete(r.s.repos, strings.ToLower(r.name))
		r.s.moved[strings.ToLower(r.name)] = name
		r.s.repos[strings.ToLower(name)], r.name = r, name
	})
}

// SetPermission sets a user's permission in the repository: admin, write, read or none.
func (r *Repo) SetPermission(login, permission string) {
	r.s.change(func() { r.people[strings.ToLower(login)] = permission })
}

// Commit is a commit to create.
type Commit struct {
	Message string
	Author  string            // login of the author; "" means alice
	Files   map[string]string // new contents of files, by path
	Delete  []string
	Folder  string // a folder with all files, in place of Files
}

// AddCommit creates a commit on a branch and pushes it. A new branch starts at main. A branch
// owner:name is in that owner's fork.
func (r *Repo) AddCommit(branch string, c Commit) (sha string) {
	before := r.CommitSHA(branch)
	from := before
	if from == "" {
		from = r.CommitSHA("main")
	}
	if c.Folder != "" {
		sha = r.commitFolder(from, c)
		r.move(branch, sha)
	} else {
		sha = r.commitFiles(branch, from, c)
	}
	r.pushed(branch, before, sha, c.by())
	return sha
}

func (c Commit) by() string {
	if c.Author == "" {
		return "alice"
	}
	return c.Author
}

func (r *Repo) commitFiles(branch, from string, c Commit) string {
	var b bytes.Buffer
	by := c.by()
	fmt.Fprintf(&b, "commit %s\nmark :1\ncommitter %s <%s@example.org> %d +0000\ndata %d\n%s\n", ref(branch), by, by, r.s.Now().Unix(), len(c.Message), c.Message)
	if from != "" {
		fmt.Fprintf(&b, "from %s\n", from)
	}
	for _, path := range slices.Sorted(maps.Keys(c.Files)) {
		fmt.Fprintf(&b, "M 100644 inline %s\ndata %d\n%s\n", strconv.Quote(path), len(c.Files[path]), c.Files[path])
	}
	for _, path := range c.Delete {
		fmt.Fprintf(&b, "D %s\n", strconv.Quote(path))
	}
	b.WriteString("get-mark :1\n")
	sha := strings.TrimSpace(string(r.git(nil, b.Bytes(), "fast-import", "--quiet", "--force", "--date-format=raw")))
	r.tips.Store(ref(branch), sha)
	return sha
}

// move moves a branch to a commit.
func (r *Repo) move(branch, sha string) {
	r.run(nil, "update-ref", ref(branch), sha)
	r.tips.Store(ref(branch), sha)
}

// commitFolder creates a commit with the files of a folder.
func (r *Repo) commitFolder(from string, c Commit) string {
	index := r.index()
	defer os.Remove(index)
	r.with(index, nil, "--work-tree="+c.Folder, "add", "--all", "--force", ".")
	return r.commitIndex(index, from, c.Message, c.by())
}

func (r *Repo) commitIndex(index, from, message, by string) string {
	tree := strings.TrimSpace(string(r.with(index, nil, "write-tree")))
	args := []string{"commit-tree", tree, "-m", message}
	if from != "" {
		args = append(args, "-p", from)
	}
	return strings.TrimSpace(string(r.git([]string{"GIT_AUTHOR_NAME=" + by, "GIT_COMMITTER_NAME=" + by, "GIT_INDEX_FILE=" + index}, nil, args...)))
}

func (r *Repo) index() string {
	var n int64
	r.s.change(func() { n = r.s.id() })
	return filepath.Join(r.dir, fmt.Sprintf("index%d", n))
}

// ResetBranch moves a branch to a commit, like a force-push.
func (r *Repo) ResetBranch(branch, sha string) {
	before := r.CommitSHA(branch)
	r.move(branch, r.CommitSHA(sha))
	r.pushed(branch, before, r.CommitSHA(branch), "alice")
}

// RebaseBranch rebases a branch onto a commit and force-pushes it. There must be no conflict.
func (r *Repo) RebaseBranch(branch, onto string) (sha string) {
	before := r.CommitSHA(branch)
	sha = r.CommitSHA(onto)
	index := r.index()
	defer os.Remove(index)
	for _, commit := range strings.Fields(r.text("rev-list", "--reverse", "--no-merges", sha+".."+before)) {
		r.with(index, nil, "read-tree", sha)
		r.with(index, r.git(nil, nil, "diff-tree", "-p", "--binary", commit+"^", commit), "apply", "--cached", "-")
		by := r.text("log", "-1", "--format=%an", commit)
		sha = r.commitIndex(index, sha, r.text("log", "-1", "--format=%B", commit), by)
	}
	r.move(branch, sha)
	r.pushed(branch, before, sha, "alice")
	return sha
}

// MergeBranch merges another branch into a branch and pushes it. "Update branch" on GitHub does the
// same. There must be no conflict.
func (r *Repo) MergeBranch(branch, from string) (sha string) {
	before := r.CommitSHA(branch)
	other := r.CommitSHA(from)
	tree, _, _ := strings.Cut(r.text("merge-tree", "--write-tree", before, other), "\n")
	sha = r.text("commit-tree", tree, "-p", before, "-p", other, "-m", "Merge branch '"+from+"' into "+branch)
	r.move(branch, sha)
	r.pushed(branch, before, sha, "alice")
	return sha
}

// CommitSHA returns the SHA of a branch or of another name in git; "" if there is none.
func (r *Repo) CommitSHA(name string) string {
	if sha, ok := r.tips.Load(ref(name)); ok {
		return sha.(string)
	}
	for _, try := range []string{ref(name), name} {
		if out, err := r.try(nil, nil, "rev-parse", "--verify", "--quiet", try+"^{commit}"); err == nil {
			sha := strings.TrimSpace(string(out))
			if try == ref(name) {
				r.tips.Store(try, sha)
			}
			return sha
		}
	}
	return ""
}

// ref returns the git ref of a branch. A branch in a fork is named owner:name.
func ref(branch string) string {
	if owner, name, ok := strings.Cut(branch, ":"); ok {
		return "refs/forks/" + owner + "/" + name
	}
	return "refs/heads/" + branch
}

func (r *Repo) text(args ...string) string {
	return strings.TrimSpace(string(r.git(nil, nil, args...)))
}

func (r *Repo) run(stdin []byte, args ...string) { r.git(nil, stdin, args...) }

func (r *Repo) with(index string, stdin []byte, args ...string) []byte {
	return r.git([]string{"GIT_INDEX_FILE=" + index}, stdin, args...)
}

// git runs git. If git fails, the test fails.
func (r *Repo) git(env []string, stdin []byte, args ...string) []byte {
	out, err := r.try(env, stdin, args...)
	if err != nil && r.s.ctx.Err() == nil {
		r.s.fail("git %s: %v", strings.Join(args, " "), err)
	}
	return out
}

func (r *Repo) try(env []string, stdin []byte, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(r.s.ctx, "git", args...)
	at := fmt.Sprintf("@%d +0000", r.s.options.Now().Unix())
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_DIR=" + r.dir,
		"GIT_AUTHOR_NAME=alice", "GIT_AUTHOR_EMAIL=alice@example.org", "GIT_COMMITTER_NAME=alice", "GIT_COMMITTER_EMAIL=alice@example.org",
		"GIT_AUTHOR_DATE=" + at, "GIT_COMMITTER_DATE=" + at}, env...)
	cmd.Stdin = bytes.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, stderr.String())
	}
	return out, err
}

// commits returns the commits that git log lists for the given arguments.
func (r *Repo) commits(args ...string) []commit {
	out := r.git(nil, nil, append([]string{"log", "--format=%H%x00%P%x00%an%x00%cI%x00%B%x01"}, args...)...)
	var list []commit
	for _, entry := range strings.Split(string(out), "\x01") {
		f := strings.SplitN(strings.TrimPrefix(entry, "\n"), "\x00", 5)
		if len(f) < 5 {
			continue
		}
		at, _ := time.Parse(time.RFC3339, f[3]) // git writes only valid times
		list = append(list, commit{sha: f[0], parents: strings.Fields(f[1]), author: f[2], at: at, message: strings.TrimSpace(f[4])})
	}
	return list
}

// commit is a commit in the repository.
type commit struct {
	sha, author, message string
	parents              []string
	at                   time.Time
}

func (c commit) json() any {
	parents := []any{}
	for _, p := range c.parents {
		parents = append(parents, map[string]any{"sha": p})
	}
	who := map[string]any{"name": c.author, "email": c.author + "@example.org", "date": stamp(c.at)}
	return map[string]any{"sha": c.sha, "parents": parents, "author": user(c.author), "committer": user(c.author),
		"commit": map[string]any{"message": c.message, "author": who, "committer": who}}
}

// json returns the repository in GitHub's JSON.
func (r *Repo) json() map[string]any {
	owner, name, _ := strings.Cut(r.name, "/")
	return map[string]any{"id": r.id, "node_id": nodeID("R", r.id), "name": name, "full_name": r.name, "private": false, "owner": user(owner),
		"html_url": "https://github.com/" + r.name, "default_branch": "main", "fork": false, "archived": false}
}

// standing returns a user's association with the repository.
func (r *Repo) standing(login string) string {
	owner, _, _ := strings.Cut(r.name, "/")
	switch permission := r.people[strings.ToLower(login)]; {
	case strings.EqualFold(login, owner):
		return "OWNER"
	case permission == "admin" || permission == "write":
		return "COLLABORATOR"
	}
	return "NONE"
}
