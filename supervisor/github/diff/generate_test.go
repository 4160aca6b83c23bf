package diff_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// generator writes random commits for git fast-import. They have every kind of change that a diff
// can show.
type generator struct {
	*rand.Rand
	out      bytes.Buffer
	branches []branch
	commits  int
}

// branch is the state of a branch.
type branch struct {
	commit int // mark of the branch's last commit
	tree   map[string]entry
}

type entry struct {
	mode, content string // for a submodule, content is a commit
}

const (
	plainFile  = "100644"
	executable = "100755"
	symlink    = "120000"
	submodule  = "160000"
)

// history returns random commits on three branches, which are sometimes merged.
func history(seed uint64, commits int) []byte {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 5))}
	g.commit(branch{tree: map[string]entry{}}, nil, nil)
	for range 3 {
		g.branches = append(g.branches, branch{commit: 1, tree: map[string]entry{}})
	}
	for g.commits < commits {
		i := g.IntN(len(g.branches))
		before := g.branches[i].tree
		b := branch{commit: g.branches[i].commit, tree: maps.Clone(before)}
		var parents []branch
		if g.commits%12 == 0 {
			parents = g.merge(&b, i)
		}
		for range 1 + g.IntN(3) {
			changes[g.IntN(len(changes))](g, b.tree)
		}
		if g.commits == commits/2 {
			b.tree["huge.txt"] = entry{plainFile, strings.Repeat(g.line()+"\n", 10_000) + g.text()}
		}
		g.branches[i] = g.commit(b, before, parents)
	}
	for i, b := range g.branches {
		fmt.Fprintf(&g.out, "reset refs/heads/b%d\nfrom :%d\n\n", i, b.commit)
	}
	return g.out.Bytes()
}

// merge merges one or two other branches into a branch, and returns the merged branches.
func (g *generator) merge(b *branch, own int) []branch {
	var parents []branch
	for i, other := range g.branches {
		if i == own || len(parents) > 0 && g.IntN(4) > 0 {
			continue
		}
		parents = append(parents, other)
		for _, path := range slices.Sorted(maps.Keys(other.tree)) {
			theirs := other.tree[path]
			ours, both := b.tree[path]
			switch {
			case !both && g.IntN(2) == 0 && g.free(b.tree, path):
				b.tree[path] = theirs
			case both && theirs != ours && theirs.mode != submodule && ours.mode == theirs.mode && ours.mode != symlink:
				a, c := strings.SplitAfter(ours.content, "\n"), strings.SplitAfter(theirs.content, "\n")
				mixed := strings.Join(a[:len(a)/2], "") + strings.Join(c[len(c)/2:], "")
				if path != "huge.txt" && g.IntN(2) == 0 {
					mixed = g.edited(mixed)
				}
				b.tree[path] = entry{theirs.mode, mixed}
			}
		}
	}
	return parents
}

// commit writes a commit with the changes of its tree from the first parent's tree.
func (g *generator) commit(b branch, before map[string]entry, parents []branch) branch {
	g.commits++
	fmt.Fprintf(&g.out, "commit refs/heads/all\nmark :%d\ncommitter A <a@example.com> %d +0000\ndata 0\n", g.commits, 1_700_000_000+g.commits)
	if b.commit > 0 {
		fmt.Fprintf(&g.out, "from :%d\n", b.commit)
	}
	for _, p := range parents {
		fmt.Fprintf(&g.out, "merge :%d\n", p.commit)
	}
	for _, path := range slices.Sorted(maps.Keys(before)) {
		if _, ok := b.tree[path]; !ok {
			fmt.Fprintf(&g.out, "D %s\n", quotedForImport(path))
		}
	}
	for _, path := range slices.Sorted(maps.Keys(b.tree)) {
		switch e := b.tree[path]; {
		case e == before[path]:
		case e.mode == submodule:
			fmt.Fprintf(&g.out, "M %s %s %s\n", e.mode, e.content, quotedForImport(path))
		default:
			fmt.Fprintf(&g.out, "M %s inline %s\ndata %d\n%s\n", e.mode, quotedForImport(path), len(e.content), e.content)
		}
	}
	b.commit = g.commits
	return b
}

func quotedForImport(path string) string {
	var b strings.Builder
	for _, c := range []byte(path) {
		fmt.Fprintf(&b, `\%03o`, c)
	}
	return `"` + b.String() + `"`
}

// changes are functions that each make one kind of random change to a tree of files.
var changes = []func(g *generator, tree map[string]entry){
	add, edit, edit, edit, edit, edit, edit, move, moveAndEdit, copyAndEdit,
	move, moveAndEdit, copyAndEdit, remove, changeMode, changeType, changeEnds, dropLastEnd,
	addBinary, editBinary, addSubmodule, editSubmodule,
}

func add(g *generator, tree map[string]entry) { g.put(tree, entry{plainFile, g.text()}) }

func edit(g *generator, tree map[string]entry) {
	if path, ok := g.pick(tree, plainFile, executable); ok {
		tree[path] = entry{tree[path].mode, g.edited(tree[path].content)}
	}
}

func move(g *generator, tree map[string]entry) {
	if path, ok := g.pick(tree, plainFile, executable, symlink); ok {
		e := tree[path]
		delete(tree, path)
		g.put(tree, e)
	}
}

func moveAndEdit(g *generator, tree map[string]entry) {
	if path, ok := g.pick(tree, plainFile, executable); ok {
		e := tree[path]
		delete(tree, path)
		g.put(tree, entry{[]string{plainFile, executable}[g.IntN(2)], g.edited(e.content)})
	}
}

// copyAndEdit also changes the original file, because git finds copies only of changed files.
func copyAndEdit(g *generator, tree map[string]entry) {
	if path, ok := g.pick(tree, plainFile, executable); ok {
		e := tree[path]
		g.put(tree, entry{e.mode, g.edited(e.content)})
		tree[path] = entry{e.mode, g.edited(e.content)}
	}
}

func remove(g *generator, tree map[string]entry) {
	if path, ok := g.pick(tree, plainFile, executable, symlink, submodule); ok {
		delete(tree, path)
	}
}

func changeMode(g *generator, tree map[string]entry) {
	if path, ok := g.pick(tree, plainFile); ok {
		tree[path] = entry{executable, tree[path].content}
	}
}

func changeType(g *generator, tree map[string]entry) {
	if path, ok := g.pick(tree, plainFile, executable); ok {
		tree[path] = entry{symlink, "to/" + fmt.Sprint(g.IntN(1000))}
	} else if path, ok := g.pick(tree, symlink); ok {
		tree[path] = entry{plainFile, g.text()}
	}
}

func changeEnds(g *generator, tree map[string]entry) {
	path, ok := g.pick(tree, plainFile)
	if !ok {
		return
	}
	content := strings.ReplaceAll(tree[path].content, "\r\n", "\n")
	if content == tree[path].content {
		content = strings.ReplaceAll(content, "\n", "\r\n")
	}
	tree[path] = entry{plainFile, content}
}

func dropLastEnd(g *generator, tree map[string]entry) {
	if path, ok := g.pick(tree, plainFile); ok {
		content, cut := strings.CutSuffix(tree[path].content, "\n")
		if !cut {
			content += "\n"
		}
		tree[path] = entry{plainFile, content}
	}
}

func addBinary(g *generator, tree map[string]entry) {
	g.put(tree, entry{plainFile, "\x00binary\n" + g.text()})
}

func editBinary(g *generator, tree map[string]entry) {
	if path, ok := g.pick(tree, plainFile); ok && strings.HasPrefix(tree[path].content, "\x00") {
		tree[path] = entry{plainFile, tree[path].content + g.line()}
	}
}

func addSubmodule(g *generator, tree map[string]entry) { g.put(tree, entry{submodule, g.hash()}) }

func editSubmodule(g *generator, tree map[string]entry) {
	if path, ok := g.pick(tree, submodule); ok {
		tree[path] = entry{submodule, g.hash()}
	}
}

func (g *generator) hash() string {
	return fmt.Sprintf("%016x%016x%08x", g.Uint64(), g.Uint64(), g.Uint32())
}

// put adds an entry under a new name, unless there are too many entries.
func (g *generator) put(tree map[string]entry, e entry) {
	for len(tree) < 60 {
		path := g.name()
		for range g.IntN(3) {
			path += "/" + g.name()
		}
		if g.free(tree, path) {
			tree[path] = e
			return
		}
	}
}

// free reports whether a path can be used for a file. No file may have that path, be below it, or
// be one of its folders.
func (g *generator) free(tree map[string]entry, path string) bool {
	for other := range tree {
		if other == path || strings.HasPrefix(other, path+"/") || strings.HasPrefix(path, other+"/") {
			return false
		}
	}
	return true
}

func (g *generator) pick(tree map[string]entry, modes ...string) (path string, ok bool) {
	var paths []string
	for _, path := range slices.Sorted(maps.Keys(tree)) {
		if slices.Contains(modes, tree[path].mode) && path != "huge.txt" || path == "huge.txt" && g.IntN(100) == 0 {
			paths = append(paths, path)
		}
	}
	if len(paths) == 0 {
		return "", false
	}
	return paths[g.IntN(len(paths))], true
}

var names = []string{
	"a", "b.go", "with space", "tab\there", `quo"te`, `back\slash`, "ünï", "日本", "new\nline", "\x01control", "bad\xff\xfebytes", "a b", "b",
	"-dash", "--- a", "b\r", " leading", "trailing ", "dev", "null", "(x)", "*", "[x]", "e\x7f",
}

func (g *generator) name() string { return names[g.IntN(len(names))] + fmt.Sprint(g.IntN(9)) }

var lineTexts = []string{
	"", "}", "\treturn nil", "x := 1", "--- a/x", "+++ b/x", "-- a", "++ b", "@@ -1,3 +1,3 @@", "diff --git a/x b/x", `\ No newline at end of file`,
	"-", "+", " ", "\t", "rename from a", "Binary files a/x and b/x differ", "text\rwith\rreturns", "return\r", "\xff\xfe", "\x0cform", "日本語", "index 1..2",
	"commit 0123456789012345678901234567890123456789", "func a() {",
}

func (g *generator) line() string {
	if g.IntN(3) == 0 {
		return lineTexts[g.IntN(len(lineTexts))]
	}
	return fmt.Sprintf("line %d of some text", g.IntN(500))
}

// text returns a random text with either kind of line end. It may be empty, and may lack the last
// line end.
func (g *generator) text() string {
	var lines []string
	for range g.IntN(60) {
		lines = append(lines, g.line())
	}
	end := []string{"\n", "\n", "\n", "\r\n"}[g.IntN(4)]
	text := strings.Join(lines, end)
	if text != "" && g.IntN(5) > 0 {
		text += end
	}
	return text
}

// edited removes, adds or replaces lines at up to four positions of a text.
func (g *generator) edited(text string) string {
	lines := strings.SplitAfter(text, "\n")
	for range 1 + g.IntN(4) {
		at := g.IntN(len(lines))
		out := min(g.IntN(4), len(lines)-at)
		var in []string
		for range g.IntN(4) {
			in = append(in, g.line()+"\n")
		}
		lines = slices.Concat(lines[:at], in, lines[at+out:], []string{""})
	}
	return strings.Join(lines, "")
}
