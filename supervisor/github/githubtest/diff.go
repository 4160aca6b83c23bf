package githubtest

import (
	"strconv"
	"strings"
)

func itoa(n int) string { return strconv.Itoa(n) }

// pullDiff is the change of a pull request: from the last common commit of base and head to the
// head.
type pullDiff struct {
	text  string
	lines int
	files []*file
}

// file is a file of a diff.
type file struct {
	path, before, status string
	blob                 string
	added, deleted       int
	patch                string // the hunks; "" for a binary file
	hunks                []hunk
}

// hunk has the ranges of a hunk's lines, on the old side and on the new side.
type hunk struct{ oldFrom, oldCount, newFrom, newCount int }

// has reports whether the hunk contains a line of a side.
func (h hunk) has(side string, line int) bool {
	if side == "LEFT" {
		return line >= h.oldFrom && line < h.oldFrom+h.oldCount
	}
	return line >= h.newFrom && line < h.newFrom+h.newCount
}

// pullDiff returns a pull request's diff.
func (r *Repo) pullDiff(i *issue) *pullDiff { return r.diffAt(i, i.pull.headSHA) }

func (r *Repo) diffAt(i *issue, head string) *pullDiff {
	base, err := r.try(nil, nil, "merge-base", r.CommitSHA(i.pull.base), head)
	if err != nil {
		return &pullDiff{}
	}
	return r.diff(strings.TrimSpace(string(base)), head)
}

// diff returns the changes between two commits.
func (r *Repo) diff(from, to string) *pullDiff {
	key := from + " " + to
	if d := r.diffs[key]; d != nil {
		return d
	}
	args := []string{"-c", "core.quotePath=true", "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--find-renames", "--full-index"}
	raw := r.git(nil, nil, append(args, "--raw", "-z", "--no-abbrev", from, to)...)
	d := &pullDiff{text: string(r.git(nil, nil, append(args, "--patch", from, to)...)), files: rawFiles(string(raw))}
	d.lines = strings.Count(d.text, "\n")
	parts := strings.Split("\n"+d.text, "\ndiff --git ")[1:]
	for n, f := range d.files {
		if n < len(parts) { // git shows no diff for a merge
			f.read(parts[n])
		}
	}
	r.diffs[key] = d
	return d
}

var statuses = map[byte]string{'A': "added", 'D': "removed", 'M': "modified", 'R': "renamed", 'C': "copied", 'T': "changed"}

// rawFiles parses the output of `git diff --raw -z`.
func rawFiles(raw string) []*file {
	fields := strings.Split(raw, "\x00")
	var files []*file
	for len(fields) > 1 {
		head := strings.Fields(fields[0])
		f := &file{status: statuses[head[4][0]], blob: head[3], path: fields[1]}
		fields = fields[2:]
		if f.status == "renamed" || f.status == "copied" {
			f.before, f.path, fields = f.path, fields[0], fields[1:]
		}
		if f.status == "removed" {
			f.blob = head[2]
		}
		files = append(files, f)
	}
	return files
}

// read parses the hunks in a file's part of a diff.
func (f *file) read(part string) {
	at := strings.Index(part, "\n@@ ")
	if at < 0 {
		return
	}
	f.patch = strings.TrimSuffix(part[at+1:], "\n")
	oldLeft, newLeft := 0, 0
	for _, line := range strings.Split(f.patch, "\n") {
		switch {
		case oldLeft == 0 && newLeft == 0 && strings.HasPrefix(line, "@@ "):
			h := readHunk(line)
			oldLeft, newLeft = h.oldCount, h.newCount
			f.hunks = append(f.hunks, h)
		case strings.HasPrefix(line, "+"):
			f.added++
			newLeft--
		case strings.HasPrefix(line, "-"):
			f.deleted++
			oldLeft--
		case strings.HasPrefix(line, " "):
			oldLeft--
			newLeft--
		}
	}
}

func readHunk(line string) hunk {
	fields := strings.Fields(line) // for example @@ -1,2 +3,4 @@
	h := hunk{}
	h.oldFrom, h.oldCount = readRange(fields[1][1:])
	h.newFrom, h.newCount = readRange(fields[2][1:])
	return h
}

func readRange(text string) (from, count int) {
	a, b, ok := strings.Cut(text, ",")
	from, _ = strconv.Atoi(a) // git writes only numbers here
	count = 1
	if ok {
		count, _ = strconv.Atoi(b)
	}
	return from, count
}

func (f *file) json() any {
	v := map[string]any{"sha": f.blob, "filename": f.path, "status": f.status, "additions": f.added, "deletions": f.deleted,
		"changes": f.added + f.deleted}
	if f.before != "" {
		v["previous_filename"] = f.before
	}
	if f.patch != "" && len(f.patch) <= patchSize && f.added+f.deleted <= diffLines {
		v["patch"] = f.patch
	}
	return v
}

func (d *pullDiff) file(path string) *file {
	for _, f := range d.files {
		if f.path == path {
			return f
		}
	}
	return nil
}

// mapLine returns the new number of an old line; 0 if the line was changed or removed.
func (f *file) mapLine(line int) int {
	shift := 0
	for _, h := range f.hunks {
		if line < h.oldFrom || h.oldCount == 0 && line == h.oldFrom {
			break
		}
		if line >= h.oldFrom+h.oldCount {
			shift += h.newCount - h.oldCount
			continue
		}
		return f.mapWithin(h, line)
	}
	return line + shift
}

// mapWithin maps a line within a hunk, as mapLine does.
func (f *file) mapWithin(in hunk, line int) int {
	old, now, inside := 0, 0, false
	for _, text := range strings.Split(f.patch, "\n") {
		if strings.HasPrefix(text, "@@ ") {
			h := readHunk(text)
			inside = h == in
			old, now = h.oldFrom, h.newFrom
			continue
		}
		if !inside || text == "" {
			continue
		}
		if text[0] != '+' && text[0] != '\\' && old == line {
			if text[0] == '-' {
				return 0
			}
			return now
		}
		if text[0] == '-' || text[0] == ' ' {
			old++
		}
		if text[0] == '+' || text[0] == ' ' {
			now++
		}
	}
	return 0
}
