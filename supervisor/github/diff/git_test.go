package diff_test

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mews/supervisor/github/diff"
)

// generated is the number of commits that the test generates. They are the same in each run.
const generated = 600

// TestDiff_AgreesWithGit parses the diff of every commit in a repository, and compares the result
// with other output of git. It compares paths, modes, statuses, counts and lines. A file's hunks
// must also turn the old content into the new one. The variable MEWS_DIFFS is the path of a
// repository. MEWS_DIFFS_COMMITS selects its commits, in the form of git log. Without these
// variables, the test generates 600 commits.
func TestDiff_AgreesWithGit(t *testing.T) {
	repo := os.Getenv("MEWS_DIFFS")
	made := repo == ""
	if made {
		repo = t.TempDir()
		git(t, repo, nil, "init", "-q", "--bare")
		git(t, repo, bytes.NewReader(history(16, generated)), "fast-import", "--quiet")
	}
	which := strings.Fields(cmp.Or(os.Getenv("MEWS_DIFFS_COMMITS"), "--all"))
	v := &viewer{repo: repo, which: which, blobs: startBlobs(t, repo), kinds: map[string]int{}}
	v.commits(t)
	v.merges(t, "-c")
	v.merges(t, "--cc")
	t.Logf("%d commits: %v", v.read, v.kinds)
	if !made {
		return
	}
	if v.read != generated {
		t.Errorf("%d commits", v.read)
	}
	for _, kind := range []string{
		"added", "removed", "modified", "renamed", "copied", "binary", "submodule", "modes", "type changed", "unended", "returns", "quoted",
		"-c hunks", "--cc hunks",
	} {
		if v.kinds[kind] < 20 {
			t.Errorf("%s: %d times is too seldom to show anything", kind, v.kinds[kind])
		}
	}
}

// viewer compares git's different views of a repository.
type viewer struct {
	repo  string
	which []string // arguments of git log that select the commits
	blobs *blobs
	read  int
	kinds map[string]int // number of changes of each kind
}

// Marks that git puts before lines instead of +, - and a space. They never appear in the headers of
// a diff.
const markNew, markOld, markContext = "\x01", "\x02", "\x03"

func (v *viewer) commits(t *testing.T) {
	shown := v.log(t, "--diff-merges=first-parent", "-p")
	listed := v.log(t, "--diff-merges=first-parent", "--raw", "--numstat", "-z")
	marked := v.log(t, "--diff-merges=first-parent", "-p", "--output-indicator-new="+markNew, "--output-indicator-old="+markOld,
		"--output-indicator-context="+markContext)
	for shown.Scan() {
		if !listed.Scan() || !marked.Scan() {
			t.Fatal("git lists fewer commits than it shows")
		}
		commit, text := commitOf(shown.Text())
		commit2, list := commitOf(listed.Text())
		commit3, marks := commitOf(marked.Text())
		if commit != commit2 || commit != commit3 {
			t.Fatalf("git shows commits %s, %s and %s", commit, commit2, commit3)
		}
		v.read++
		if err := v.commit(text, list, marks); err != nil {
			t.Fatalf("commit %s: %v", commit, err)
		}
	}
	shown.end(t)
	listed.end(t)
	marked.end(t)
}

// gitLog reads the output of git log, commit by commit.
type gitLog struct {
	*bufio.Scanner
	cmd *exec.Cmd
}

// end checks that git has ended without an error.
func (l gitLog) end(t *testing.T) {
	t.Helper()
	if l.Scan() {
		t.Fatal("git has more commits than it shows")
	}
	if err := cmp.Or(l.Err(), l.cmd.Wait()); err != nil {
		t.Fatalf("%v: %v", l.cmd.Args, err)
	}
}

// commitMark comes before each commit in a log.
const commitMark = "\x00\x00a commit of git's log "

// log runs git log, without a user's settings for diffs.
func (v *viewer) log(t *testing.T, args ...string) gitLog {
	t.Helper()
	all := []string{"-c", "core.quotePath=true", "-c", "diff.context=3", "-c", "diff.suppressBlankEmpty=false", "log", "--reverse", "--format=" +
		strings.ReplaceAll(commitMark, "\x00", "%x00") + "%H", "--no-abbrev", "--full-index", "--no-color", "--no-ext-diff", "--no-textconv",
		"--src-prefix=a/", "--dst-prefix=b/", "--submodule=short", "-M", "-C", "--inter-hunk-context=0", "-O" + os.DevNull}
	cmd := exec.CommandContext(t.Context(), "git", slices.Concat(all, args, v.which)...)
	cmd.Dir = v.repo
	cmd.Env = gitEnv()
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	scanner := bufio.NewScanner(out)
	scanner.Buffer(make([]byte, 1<<20), 1<<30)
	scanner.Split(splitCommits)
	return gitLog{scanner, cmd}
}

func splitCommits(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if !bytes.HasPrefix(data, []byte(commitMark)) {
		if atEOF {
			return len(data), nil, nil
		}
		if i := bytes.Index(data, []byte(commitMark)); i > 0 {
			return i, nil, nil
		}
		return 0, nil, nil
	}
	from := len(commitMark)
	if i := bytes.Index(data[from:], []byte(commitMark)); i >= 0 {
		return from + i, data[from : from+i], nil
	}
	if atEOF {
		return len(data), data[from:], nil
	}
	return 0, nil, nil
}

func commitOf(section string) (commit, rest string) { return section[:40], section[40:] }

// commit compares the views of one commit.
func (v *viewer) commit(text, list, marks string) error {
	files, err := diff.Parse(text)
	if err != nil {
		return err
	}
	pairs, err := pairsOf(list)
	if err != nil {
		return err
	}
	markedFiles := markedOf(marks)
	if len(markedFiles) != len(files) {
		return fmt.Errorf("%d files, and git has %d", len(files), len(markedFiles))
	}
	for _, p := range pairs {
		n := 1
		if p.status == "T" {
			n = 2 // git log lists a change of type once, and the diff has two files for it
		}
		if len(files) < n {
			return fmt.Errorf("%+v is not shown", p)
		}
		for i, f := range files[:n] {
			if got := linesOf(f); got != markedFiles[i] {
				return fmt.Errorf("%s: lines\n%swhere git has\n%s", f.Path(), got, markedFiles[i])
			}
		}
		if err := v.pair(p, files[:n]); err != nil {
			return fmt.Errorf("%+v: %w", p, err)
		}
		files, markedFiles = files[n:], markedFiles[n:]
	}
	if len(files) > 0 {
		return fmt.Errorf("%s is shown, and not listed", files[0].Path())
	}
	return nil
}

// pair has the two versions of a file, as git lists them.
type pair struct {
	oldMode, newMode, oldID, newID string
	status                         string // letter of the status, without the percentage of similarity
	old, new                       string
	added, removed                 string // numbers of added and removed lines, as git log --numstat prints them
}

var statuses = map[string]diff.FileStatus{"A": diff.FileAdded, "D": diff.FileRemoved, "M": diff.FileModified,
	"R": diff.FileRenamed, "C": diff.FileCopied}

// pairsOf parses the output of git log --raw --numstat -z.
func pairsOf(list string) ([]pair, error) {
	var pairs []pair
	counted := 0
	tokens := strings.Split(strings.TrimLeft(list, "\n\x00"), "\x00")
	for i := 0; i < len(tokens); i++ {
		token := strings.TrimPrefix(tokens[i], "\n")
		switch {
		case strings.HasPrefix(token, ":"):
			f := strings.Fields(token[1:])
			p := pair{oldMode: f[0], newMode: f[1], oldID: f[2], newID: f[3], status: f[4][:1], old: tokens[i+1], new: tokens[i+1]}
			i++
			if p.status == "R" || p.status == "C" {
				i++
				p.new = tokens[i]
			}
			pairs = append(pairs, p)
		case token != "":
			f := strings.SplitN(token, "\t", 3)
			if len(f) != 3 || counted == len(pairs) {
				return nil, fmt.Errorf("not what git lists: %q", token)
			}
			if f[2] == "" {
				i += 2
			}
			pairs[counted].added, pairs[counted].removed = f[0], f[1]
			counted++
		}
	}
	return pairs, nil
}

// linesOf returns the lines of a file, each with the position of a comment on it.
func linesOf(f diff.File) string {
	var b strings.Builder
	for i := range f.Hunks {
		for line := range f.Hunks[i].Lines() {
			side, number := line.CommentPosition()
			fmt.Fprintf(&b, "%s %d %q\n", side, number, line.Text)
		}
	}
	return b.String()
}

var hunkStart = regexp.MustCompile(`^@@ -(\d+)(?:,\d+)? \+(\d+)`)

// markedOf returns the same as linesOf, but from a diff with special marks.
func markedOf(text string) (files []string) {
	var before, after int
	var b strings.Builder
	end := func() {
		if files != nil {
			files[len(files)-1] = b.String()
		}
		b.Reset()
	}
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case strings.HasPrefix(line, "diff --git "):
			end()
			files = append(files, "")
		case strings.HasPrefix(line, "@@ "):
			m := hunkStart.FindStringSubmatch(line)
			before, _ = strconv.Atoi(m[1])
			after, _ = strconv.Atoi(m[2])
		case strings.HasPrefix(line, markOld):
			fmt.Fprintf(&b, "LEFT %d %q\n", before, line[1:])
			before++
		case strings.HasPrefix(line, markNew), strings.HasPrefix(line, markContext):
			fmt.Fprintf(&b, "RIGHT %d %q\n", after, line[1:])
			after++
			if line[:1] == markContext {
				before++
			}
		}
	}
	end()
	return files
}

// pair compares a file of the diff with git's list, and with its two contents.
func (v *viewer) pair(p pair, files []diff.File) error {
	if p.status == "T" {
		v.kinds["type changed"]++
		gone, come := p, p
		gone.status, gone.added, gone.removed = "D", "", ""
		gone.newMode, gone.newID, come.oldMode, come.oldID = absent, absent, absent, absent
		come.status, come.added, come.removed = "A", "", ""
		return cmp.Or(v.pair(gone, files[:1]), v.pair(come, files[1:]))
	}
	f := files[0]
	want := diff.File{Old: p.old, New: p.new, Status: statuses[p.status], OldMode: p.oldMode, NewMode: p.newMode}
	switch p.status {
	case "A":
		want.Old, want.OldMode = "", ""
	case "D":
		want.New, want.NewMode = "", ""
	}
	got := diff.File{Old: f.Old, New: f.New, Status: f.Status, OldMode: f.OldMode, NewMode: f.NewMode}
	if p.oldMode == p.newMode && p.oldID == p.newID {
		// git does not tell the modes of a file that was only renamed
		got.OldMode, got.NewMode = p.oldMode, p.newMode
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		return fmt.Errorf("%q, want %q", fmt.Sprint(got), fmt.Sprint(want))
	}
	v.count(f)
	if p.oldID == p.newID && len(f.Hunks) == 0 {
		return nil // git does not tell the kind of an unchanged content
	}
	added, removed := changed(f)
	counted := p.added != "" // for a file with a changed type, git counts both parts together
	if counted && (f.Binary != (p.added == "-") || !f.Binary && (strconv.Itoa(added) != p.added || strconv.Itoa(removed) != p.removed)) {
		return fmt.Errorf("%d lines added and %d removed, binary %t", added, removed, f.Binary)
	}
	return v.contents(f, p)
}

func changed(f diff.File) (added, removed int) {
	for i := range f.Hunks {
		for line := range f.Hunks[i].Lines() {
			switch line.Kind {
			case diff.LineAdded:
				added++
			case diff.LineRemoved:
				removed++
			}
		}
	}
	return added, removed
}

const absent = "0000000000000000000000000000000000000000"

// contents applies a file's hunks to the old content, and compares the result with the new content.
func (v *viewer) contents(f diff.File, p pair) error {
	if f.Binary {
		return nil
	}
	old, err := v.blobs.content(p.oldMode, p.oldID)
	if err != nil {
		return err
	}
	want, err := v.blobs.content(p.newMode, p.newID)
	if err != nil {
		return err
	}
	got, err := applied(f, old)
	if err != nil {
		return err
	}
	if got != want {
		return fmt.Errorf("the hunks make %.2000q of %.2000q, and it is %.2000q", got, old, want)
	}
	return nil
}

// applied applies a file's hunks to a content. Each line must be at the position that its hunk
// tells.
func applied(f diff.File, old string) (string, error) {
	lines := strings.SplitAfter(old, "\n")
	var b strings.Builder
	before, after := 1, 1
	for i := range f.Hunks {
		for line := range f.Hunks[i].Lines() {
			for ; line.Old > before || line.Old == 0 && line.New > after; before, after = before+1, after+1 {
				b.WriteString(lines[before-1])
			}
			text := line.Text + "\n"
			if line.Unended {
				text = line.Text
			}
			if line.Kind != diff.LineAdded {
				if line.Old != before || lines[before-1] != text {
					return "", fmt.Errorf("%+v is no line of the old content", line)
				}
				before++
			}
			if line.Kind != diff.LineRemoved {
				if line.New != after {
					return "", fmt.Errorf("%+v is line %d", line, after)
				}
				b.WriteString(text)
				after++
			}
		}
	}
	b.WriteString(strings.Join(lines[min(before-1, len(lines)):], ""))
	return b.String(), nil
}

// count counts the kinds of changes in a file.
func (v *viewer) count(f diff.File) {
	v.kinds[string(f.Status)]++
	v.kinds["hunks"] += len(f.Hunks)
	for kind, seen := range map[string]bool{
		"binary": f.Binary, "submodule": f.IsSubmodule(), "modes": f.OldMode != f.NewMode && f.OldMode != "" &&
			f.NewMode != "",
		"quoted": strconv.Quote(f.Path()) != `"`+f.Path()+`"`,
	} {
		if seen {
			v.kinds[kind]++
		}
	}
	for i := range f.Hunks {
		for line := range f.Hunks[i].Lines() {
			v.kinds["lines"]++
			if line.Unended {
				v.kinds["unended"]++
			}
			if strings.HasSuffix(line.Text, "\r") {
				v.kinds["returns"]++
			}
		}
	}
}

// merges parses the combined diffs of merges. Diffs by -c have all changes, so they turn the first
// parent's content into the result. Diffs by --cc leave out hunks, so only the positions of their
// lines are checked.
func (v *viewer) merges(t *testing.T, how string) {
	shown, listed := v.log(t, "--merges", how, "-p"), v.log(t, "--merges", how, "--raw", "-z")
	for shown.Scan() && listed.Scan() {
		commit, text := commitOf(shown.Text())
		_, list := commitOf(listed.Text())
		if err := v.mergeOf(how, text, list); err != nil {
			t.Fatalf("%s %s: %v", how, commit, err)
		}
	}
	shown.end(t)
	listed.end(t)
}

func (v *viewer) mergeOf(how, text, list string) error {
	files, err := diff.Parse(text)
	if err != nil {
		return err
	}
	byPath := map[string]diff.File{}
	for _, f := range files {
		byPath[f.Path()] = f
	}
	tokens := strings.Split(strings.TrimLeft(list, "\n\x00"), "\x00")
	for i := 0; i+1 < len(tokens); i += 2 {
		fields := strings.Fields(tokens[i])
		parents := strings.Count(fields[0], ":")
		fields[0] = fields[0][parents:]
		f, ok := byPath[tokens[i+1]]
		if !ok && how == "-c" {
			return fmt.Errorf("%q is not shown", tokens[i+1])
		}
		delete(byPath, tokens[i+1])
		if f.Binary || !ok {
			continue
		}
		v.kinds[how+" hunks"] += len(f.Hunks)
		old, err := v.blobs.content(fields[0], fields[parents+1])
		if err != nil {
			return err
		}
		now, err := v.blobs.content(fields[parents], fields[2*parents+1])
		if err != nil {
			return err
		}
		if err := combinedFits(f, old, now, how == "-c"); err != nil {
			return fmt.Errorf("%q: %w", tokens[i+1], err)
		}
	}
	if len(byPath) > 0 {
		return fmt.Errorf("%v are shown, and not listed", byPath)
	}
	return nil
}

// combinedFits compares a combined diff with the contents of the first parent and the result. A
// combined diff does not tell whether the last line ends with a newline.
func combinedFits(f diff.File, old, now string, all bool) error {
	ended := func(s string) string {
		if s == "" {
			return s
		}
		return strings.TrimSuffix(s, "\n") + "\n"
	}
	old, now = ended(old), ended(now)
	if all {
		got, err := applied(f, old)
		if err == nil && ended(got) != now {
			err = fmt.Errorf("the hunks make %.2000q of %.2000q, and it is %.2000q", got, old, now)
		}
		return err
	}
	before, after := strings.Split(old, "\n"), strings.Split(now, "\n")
	for i := range f.Hunks {
		for line := range f.Hunks[i].Lines() {
			if line.Old > 0 && (line.Old > len(before) || before[line.Old-1] != line.Text) {
				return fmt.Errorf("%+v is no line of the first parent's", line)
			}
			if line.New > 0 && (line.New > len(after) || after[line.New-1] != line.Text) {
				return fmt.Errorf("%+v is no line of the result", line)
			}
		}
	}
	return nil
}

// blobs returns the contents of blobs by name.
type blobs struct {
	ask  io.Writer
	told *bufio.Reader
}

func startBlobs(t *testing.T, repo string) *blobs {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", "cat-file", "--batch")
	cmd.Dir, cmd.Env, cmd.Stderr = repo, gitEnv(), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	return &blobs{in, bufio.NewReaderSize(out, 1<<16)}
}

func (b *blobs) content(mode, id string) (string, error) {
	if id == absent {
		return "", nil
	}
	if mode == submodule {
		return "Subproject commit " + id + "\n", nil
	}
	fmt.Fprintln(b.ask, id)
	header, err := b.told.ReadString('\n')
	if err != nil {
		return "", err
	}
	fields := strings.Fields(header)
	if len(fields) != 3 {
		return "", fmt.Errorf("git cat-file: %s", header)
	}
	size, _ := strconv.Atoi(fields[2])
	content := make([]byte, size+1)
	_, err = io.ReadFull(b.told, content)
	return string(content[:size]), err
}
