package review

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/github/api"
	"mews/supervisor/github/diff"
	"mews/supervisor/github/finding"
)

// Limits of the data about a pull request. Sizes are in bytes.
const (
	chunkSize   = 24 << 10
	maxText     = 16 << 10 // most bytes of a pull request's description
	maxRules    = 32 << 10 // most bytes of a file with review rules
	maxHead     = 8 << 20  // most bytes of a file after the change
	maxHeads    = 16 << 20 // most bytes of all files after the change together
	maxCommits  = 50
	maxMessage  = 600
	maxIssues   = 3
	maxThreads  = 50
	maxSaid     = 1500 // most bytes of a comment on a pull request
	minSpecName = 3    // minimum length of a branch name, in characters, to search for a specification of that name
)

// rules lists files with a repository's rules for reviews. Mews reads the rules from the base
// branch. In the head, a change of these files is reviewed like any other change.
var rules = []string{"AGENTS.md", "CLAUDE.md", ".mews/review.md"}

const gitattributes = ".gitattributes"

// change is the data about a pull request that was read from GitHub. It is stored in the spool. So
// a turn that continues after a crash has the same data.
type change struct {
	Title, URL, Author string
	Stranger           bool // the head is from a fork of a user without a role in the repository
	Files              []api.ChangedFile
	Heads              map[string]string // texts of the head's files that were read in full, by path
	Material           protocol.ReviewMaterial
	// descriptions of parts that need no review, and of parts that could not be read
	Skipped, Unread []string
	Hunks           map[string][]string // fingerprints of reviewed and skipped hunks, by path
	Coverage        finding.Coverage    // coverage before a worker has read the chunks
}

// filesOf returns a pull request's files as a diff. hidden has the paths of files whose lines
// GitHub does not show.
func filesOf(list []api.ChangedFile) (files []diff.File, hidden []string) {
	for _, f := range list {
		file := diff.File{Old: cmp.Or(f.Before, f.Path), New: f.Path, Status: diff.FileStatus(f.Status)}
		switch file.Status {
		case diff.FileAdded:
			file.Old = ""
		case diff.FileRemoved:
			file.New = ""
		}
		hunks, err := diff.ParsePatch(finding.VisibleCode(f.Patch))
		if file.Hunks = hunks; err != nil || len(hunks) == 0 && f.Additions+f.Deletions > 0 {
			hidden = append(hidden, f.Path)
			continue
		}
		files = append(files, file)
	}
	return files, hidden
}

// gather reads all data about a head from GitHub, and stores it in the spool.
func (r *Reviews) gather(ctx context.Context, w *supervisor.Review, pull api.PullRequest) (c change, err error) {
	page, err := r.o.API.ChangedFiles(ctx, w.Repo, w.Number)
	if err != nil {
		return c, err
	}
	files, hidden := filesOf(page.Items)
	c = change{Title: pull.Title, URL: pull.URL, Author: pull.Author, Files: page.Items}
	for _, p := range hidden {
		c.Unread = append(c.Unread, fmt.Sprintf(textHidden, p))
	}
	if page.More {
		c.Unread = append(c.Unread, textMoreFiles)
	}
	m := &c.Material
	*m = protocol.ReviewMaterial{Repo: w.Repo, Number: w.Number, Title: visible(pull.Title, maxMessage),
		Author: pull.Author, Branch: visible(pull.Head.Ref, maxMessage),
		Description: visible(pull.Body, maxText), Request: w.Text}
	for _, read := range []func(context.Context, api.PullRequest, *change) error{r.readBase, r.readCommits,
		r.readThreads, r.readIssues} {
		if err := read(ctx, pull, &c); err != nil {
			return c, err
		}
	}
	c.Coverage, err = r.coverageBefore(ctx, w.Repo, pull, page, files, hidden, c.Heads[gitattributes])
	if err != nil {
		return c, err
	}
	if err := r.chunk(ctx, *w, pull, files, &c); err != nil {
		return c, err
	}
	m.Notes = append(m.Notes, c.Unread...)
	return c, r.keepChange(w, c)
}

// visible returns a text of others as GitHub displays it, cut if it is longer than most, in bytes.
// The text may have megabytes, as in a commit's message.
func visible(text string, most int) string {
	return finding.Truncate(finding.VisibleMarkdown(finding.Truncate(text, 16*most)), most)
}

// chunk splits a change into chunks for the worker. It leaves out hunks that were reviewed before.
// It adds whole files or functions around hunks, which may help to understand them.
func (r *Reviews) chunk(ctx context.Context, w supervisor.Review, pull api.PullRequest, files []diff.File,
	c *change) error {
	var earlier []supervisor.Review
	var err error
	if w.Requester == "" {
		earlier, err = r.o.Store.ListOfPullRequest(ctx, w.User, w.Repo, w.Number)
	} else if resultOf(w).Round == w.Round { // this review has read hunks before a push
		earlier = []supervisor.Review{w}
	}
	if err != nil {
		return err
	}
	unseen, seen := files, seenIn(earlier)
	if len(seen) > 0 {
		unseen = diff.UnseenChanges(files, seen)
	}
	if before := hunks(files) - hunks(unseen); before > 0 {
		c.Skipped = append(c.Skipped, amount.Plural(before, textSeenOne, textSeenMany))
	}
	attributes := c.Heads[gitattributes]
	delete(c.Heads, gitattributes)
	chunks, unread := diff.SplitIntoChunks(unseen, chunkSize, diff.NewSkipFilter([]byte(attributes)))
	why := map[string]int{}
	for _, u := range unread {
		if len(u.File.Hunks) > 0 {
			why[u.Reason]++
		}
	}
	for _, f := range files {
		if reason := c.Coverage.UnreadReason(f.Path()); len(f.Hunks) == 0 && reason != "" {
			why[reason]++
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(why)) {
		c.Skipped = append(c.Skipped, fmt.Sprintf("%s (%s)", amount.Plural(why[reason], textFile, textFiles), reason))
	}
	c.Hunks = map[string][]string{}
	for _, f := range files {
		c.Hunks[f.Path()] = diff.HunkFingerprints(f)
	}
	if c.Heads, err = r.readHeads(ctx, w, pull, chunks, c.Files); err != nil {
		return err
	}
	for i, chunk := range chunks {
		made := protocol.ReviewChunk{Name: fmt.Sprint("chunk-", i+1)}
		contexts := diff.ContextOfChunk(chunk, c.Heads)
		for _, f := range chunk {
			around := contexts[f.Path()]
			file := protocol.ReviewFile{Path: f.Path(), Status: string(f.Status), Diff: f.NumberedLines(),
				Whole: around.Whole, Functions: around.Functions}
			if f.Old != f.New && f.Old != "" && f.New != "" {
				file.FormerPath = f.Old
			}
			made.Files = append(made.Files, file)
		}
		c.Material.Chunks = append(c.Material.Chunks, made)
	}
	return nil
}

func hunks(files []diff.File) (n int) {
	for _, f := range files {
		n += len(f.Hunks)
	}
	return n
}

var (
	specLine = regexp.MustCompile(`(?mi)^\s*spec:\s*(\S{1,200})\s*$`)
	closes   = regexp.MustCompile(`(?i)\b(?:close[sd]?|fix(?:es|ed)?|resolve[sd]?)\b:?\s+#([1-9][0-9]{0,8})\b`)
)

// readBase reads the repository's rules and the change's specification, both from the base branch.
// A specification's path must be in the base's tree, because a stranger may have written the path.
func (r *Reviews) readBase(ctx context.Context, pull api.PullRequest, c *change) error {
	m, repo := &c.Material, c.Material.Repo
	spec := ""
	if named := specLine.FindStringSubmatch(m.Description); named != nil {
		if spec = named[1]; !fs.ValidPath(spec) || strings.ContainsAny(spec, ":\\?#%") {
			m.Notes, spec = append(m.Notes, textBadSpec), ""
		}
	} else if tail := path.Base(pull.Head.Ref); len(tail) >= minSpecName {
		entries, err := r.o.API.ListFolder(ctx, repo, "specs", pull.Base.SHA)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if name := path.Base(e.Path); e.Type == "file" && strings.HasSuffix(name, ".md") && strings.Contains(name, tail) {
				spec = e.Path
			}
		}
	}
	paths := append(slices.Clone(rules), gitattributes)
	if spec != "" && !slices.Contains(paths, spec) {
		paths = append(paths, spec)
	}
	texts, err := r.o.API.FileTexts(ctx, repo, pull.Base.SHA, paths)
	if err != nil {
		return err
	}
	for _, p := range rules {
		if text := texts[p]; text != "" && p != spec {
			m.Rules = append(m.Rules, protocol.ReviewText{Name: p, Text: visible(text, maxRules)})
		}
	}
	if text, found := texts[spec]; found {
		m.Spec = &protocol.ReviewText{Name: spec, Text: visible(text, maxRules)}
	} else if spec != "" {
		m.Notes = append(m.Notes, textNoSpec)
	}
	c.Heads = map[string]string{gitattributes: texts[gitattributes]}
	return nil
}

func (r *Reviews) readCommits(ctx context.Context, pull api.PullRequest, c *change) error {
	page, err := r.o.API.PullRequestCommits(ctx, c.Material.Repo, pull.Number)
	for _, commit := range page.Items[:min(len(page.Items), maxCommits)] {
		c.Material.Commits = append(c.Material.Commits, visible(commit.Message, maxMessage))
	}
	return err
}

// readThreads reads the earlier comments on lines of a pull request's diff.
func (r *Reviews) readThreads(ctx context.Context, pull api.PullRequest, c *change) error {
	threads, known, err := r.o.API.ReviewThreads(ctx, c.Material.Repo, pull.Number)
	if err != nil {
		return err
	}
	if !known {
		c.Material.Notes = append(c.Material.Notes, textNoThreads)
	}
	for _, t := range threads[max(0, len(threads)-maxThreads):] {
		made := protocol.ReviewThread{Path: t.Path, Line: t.Line, Resolved: t.Resolved, Outdated: t.Outdated}
		for _, said := range t.Comments {
			made.Comments = append(made.Comments, protocol.ReviewText{Name: said.Author, Text: visible(said.Body, maxSaid)})
		}
		c.Material.Threads = append(c.Material.Threads, made)
	}
	return nil
}

// readIssues reads the issues that a pull request closes, according to its description.
func (r *Reviews) readIssues(ctx context.Context, pull api.PullRequest, c *change) error {
	for _, m := range closes.FindAllStringSubmatch(c.Material.Description, maxIssues) {
		number, _ := strconv.Atoi(m[1]) // the pattern allows only digits
		issue, err := r.o.API.Issue(ctx, c.Material.Repo, number)
		if api.ErrorClassOf(err) == api.NotFound {
			continue
		}
		if err != nil {
			return err
		}
		c.Material.Issues = append(c.Material.Issues, protocol.ReviewText{Name: fmt.Sprintf("#%d %s", number, visible(issue.Title, maxMessage)),
			Text: visible(issue.Body, maxText/4)})
	}
	return nil
}

// keepChange stores a change in the spool.
func (r *Reviews) keepChange(w *supervisor.Review, c change) error {
	file, err := r.o.Spool.NewWriter()
	if err != nil {
		return err
	}
	if err := json.NewEncoder(file).Encode(c); err != nil {
		return fmt.Errorf("keep what was read of %s: %w", w.PullRequestName(), cmp.Or(file.Discard(), err))
	}
	ref, err := file.Commit()
	w.Change = ref.SHA256
	return err
}

// readChange reads a change from the spool. The error is spool.ErrGone if the change was deleted.
func (r *Reviews) readChange(w supervisor.Review) (c change, err error) {
	file, _, err := r.o.Spool.OpenBlob(w.Change)
	if err != nil {
		return c, err
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	return c, err
}
