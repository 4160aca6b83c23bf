package todo

import (
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"mews/protocol"
	"mews/worker/section"
	"mews/worker/todo"
	"mews/worker/workspace"
)

const (
	maxScannedBytes = 1 << 20 // bytes of a file; longer files are not read
	minWords        = 3       // words of a section that a model reads
)

// scan has the boxes and sections of some Markdown files.
type scan struct {
	files, left, unread int // numbers of files: read, beyond the limit, and not readable
	boxes               []protocol.FoundTodo
	sections            []protocol.TodoSection
}

// scanFiles reads the Markdown files that globs match. Of too many it reads the last changed ones.
func scanFiles(ctx context.Context, files *workspace.Workspace, globs []string) (s scan, err error) {
	for _, glob := range globs {
		if !doublestar.ValidatePattern(glob) {
			return s, fmt.Errorf("glob %.80q is not valid; write one such as notes/**/*.md", glob)
		}
	}
	type file struct {
		path    string
		changed time.Time
	}
	var found []file
	err = files.Walk(ctx, ".", func(e workspace.Entry) error {
		if e.Err == nil && e.Info.Mode().IsRegular() && isSearched(e.Path, globs) {
			found = append(found, file{e.Path, e.Info.ModTime()})
		}
		return nil
	})
	if err != nil {
		return s, err
	}
	slices.SortStableFunc(found, func(a, b file) int { return b.changed.Compare(a.changed) })
	s.left = max(len(found)-protocol.MaxTodoFiles, 0)
	found = found[:len(found)-s.left]
	slices.SortFunc(found, func(a, b file) int { return strings.Compare(a.path, b.path) })
	for _, f := range found {
		if err := ctx.Err(); err != nil {
			return s, err
		}
		s.read(files, f.path)
	}
	return s, nil
}

// isSearched reports whether a file is Markdown, not hidden, not the list, and matched by a glob. A
// glob may also be a folder, or a pattern for names in all folders. No globs match everything.
func isSearched(name string, globs []string) bool {
	ending := strings.ToLower(path.Ext(name))
	if name == todo.FileName || ending != ".md" && ending != ".markdown" ||
		slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool { return strings.HasPrefix(part, ".") }) {
		return false
	}
	return len(globs) == 0 || slices.ContainsFunc(globs, func(glob string) bool {
		glob = path.Clean(strings.TrimPrefix(glob, "/"))
		return glob == "." || doublestar.MatchUnvalidated(glob, name) ||
			doublestar.MatchUnvalidated(glob+"/**", name) ||
			!strings.Contains(glob, "/") && doublestar.MatchUnvalidated("**/"+glob, name)
	})
}

// read adds the boxes and sections of a file.
func (s *scan) read(files *workspace.Workspace, name string) {
	text, err := readText(files, name)
	if err != nil {
		s.unread++
		return
	}
	s.files++
	f := todo.Parse(text)
	for _, i := range f.Items() {
		if utf8.RuneCountInString(i.Title) > todo.MaxTitle {
			continue // the list can't have it
		}
		s.boxes = append(s.boxes, protocol.FoundTodo{Digest: todo.FoundDigest(name, i.Title), Path: name,
			Line: i.Line, Title: cut(i.Title), Description: cut(i.Description), Status: string(i.Status),
			Effort: i.Effort, Tags: i.Tags, Due: i.Due})
	}
	s.sections = append(s.sections, sectionsOf(name, f)...)
}

// sectionsOf returns the sections of a file, without its boxes, that a model would read.
func sectionsOf(name string, f *todo.File) (list []protocol.TodoSection) {
	text := f.WithoutItems()
	lines := strings.Split(text, "\n")
	for _, part := range section.Split(name, text) {
		if hasWords(part.Text) {
			list = append(list, protocol.TodoSection{Digest: todo.Digest("section", name, part.Heading, part.Text),
				Path: name, Line: firstLine(lines, part), Heading: part.Heading, Text: part.Text})
		}
	}
	return list
}

// hasWords reports whether a text has at least minWords words.
func hasWords(text string) bool {
	words := 0
	for range strings.FieldsSeq(text) {
		if words++; words == minWords {
			return true
		}
	}
	return false
}

// firstLine returns the number of the line with which the text of a section begins. Its Line may be
// that of the heading.
func firstLine(lines []string, part section.Section) int {
	first, _, _ := strings.Cut(part.Text, "\n")
	for n := max(part.Line, 1); n <= len(lines); n++ {
		if strings.Contains(lines[n-1], first) && !strings.HasPrefix(strings.TrimSpace(lines[n-1]), "#") {
			return n
		}
	}
	return max(part.Line, 1)
}

func readText(files *workspace.Workspace, name string) (string, error) {
	f, err := files.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close() // the file was only read, so an error of Close loses nothing
	var b strings.Builder
	if info, err := f.Stat(); err == nil {
		b.Grow(int(min(info.Size(), maxScannedBytes)) + 1)
	}
	_, err = io.Copy(&b, io.LimitReader(f, maxScannedBytes+1))
	text := b.String()
	if err == nil && (len(text) > maxScannedBytes || !utf8.ValidString(text) || strings.Contains(text, "\x00")) {
		err = fmt.Errorf("read %s: it is no text of at most 1 MiB", name)
	}
	return text, err
}

// digests returns the digests of the boxes and then of the sections.
func (s *scan) digests() (list []string) {
	for _, b := range s.boxes {
		list = append(list, b.Digest)
	}
	for _, part := range s.sections {
		list = append(list, part.Digest)
	}
	return list
}

// keepOpen drops boxes that are done, or on the list. They need no question.
func (s *scan) keepOpen(list *todo.File) (open scan) {
	open = *s
	open.boxes = nil
	for _, b := range s.boxes {
		if _, listed := list.FindSource(b.Digest); !listed && b.Status != string(todo.StatusDone) {
			open.boxes = append(open.boxes, b)
		}
	}
	return open
}

// keepNew keeps the boxes and sections at some positions of digests, within the limits of a run.
// left counts what is over the limits.
func (s *scan) keepNew(positions []int) (p protocol.TodoExtractParams, left int) {
	bytes := 0
	for _, n := range positions {
		at := n - len(s.boxes)
		if n < 0 || at >= len(s.sections) {
			continue
		}
		size := 0
		if at < 0 {
			b := s.boxes[n]
			size = len(b.Title) + len(b.Description) + len(b.Path) + len(strings.Join(b.Tags, ""))
		} else {
			size = len(s.sections[at].Text) + len(s.sections[at].Heading) + len(s.sections[at].Path)
		}
		switch {
		case bytes+size > protocol.MaxTodoExtractBytes/3: // old texts and titles on the list need room too
			left++
		case at < 0 && len(p.Boxes) < protocol.MaxTodoBoxes:
			p.Boxes, bytes = append(p.Boxes, s.boxes[n]), bytes+size
		case at >= 0 && len(p.Sections) < protocol.MaxTodoSections:
			p.Sections, bytes = append(p.Sections, s.sections[at]), bytes+size
		default:
			left++
		}
	}
	return p, left
}

// addKnown adds to each section the titles on the list that came from its file.
func addKnown(p *protocol.TodoExtractParams, list *todo.File) {
	titles, room := map[string][]string{}, protocol.MaxTodoExtractBytes/6
	for _, i := range list.Items() {
		if i.Source != nil && i.Status != todo.StatusDone {
			titles[i.Source.Path] = append(titles[i.Source.Path], i.Title)
		}
	}
	for n := range p.Sections {
		for _, title := range titles[p.Sections[n].Path] {
			if room -= len(title); room > 0 {
				p.Sections[n].Known = append(p.Sections[n].Known, title)
			}
		}
	}
}

// addOld adds the text of a section from before its change, if that is known: it has the same
// heading, and a digest among seen.
func addOld(p *protocol.TodoExtractParams, old []protocol.TodoSection, isNew map[string]bool) {
	room := protocol.MaxTodoExtractBytes / 3
	for n, s := range p.Sections {
		for _, o := range old {
			if o.Path == s.Path && o.Heading == s.Heading && !isNew[o.Digest] && len(o.Text) <= room &&
				p.Sections[n].Old == "" {
				p.Sections[n].Old, room = o.Text, room-len(o.Text)
			}
		}
	}
}
