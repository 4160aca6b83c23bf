// Package manual has the pages of the manual, which are part of the program.
package manual

import (
	"cmp"
	"embed"
	"path"
	"regexp"
	"slices"
	"strings"
)

// files are the pages: guide has those for everybody, admin those for admins.
//
//go:embed */*.md
var files embed.FS

const (
	guideFolder = "guide"
	adminFolder = "admin"

	maxFirstScreen = 30 // lines
)

// firstPages are the pages that a list begins with. The others follow by name.
var firstPages = []string{"start", "install"}

// Page is a page of the manual.
type Page struct {
	Name      string // its file's, without .md: the topic to ask for
	Title     string
	Summary   string // a sentence on what it is about
	Text      string // all of it, in Markdown
	ForAdmins bool
}

// Pages lists the pages: the guide, then those for admins.
func Pages() (all []Page) {
	for _, folder := range []string{guideFolder, adminFolder} {
		entries, err := files.ReadDir(folder)
		if err != nil {
			continue // there is no page of that kind
		}
		for _, e := range entries {
			text, _ := files.ReadFile(path.Join(folder, e.Name())) // it is part of the program
			all = append(all, read(strings.TrimSuffix(e.Name(), ".md"), folder, string(text)))
		}
	}
	slices.SortStableFunc(all, func(a, b Page) int {
		return cmp.Or(-cmp.Compare(folderOf(a), folderOf(b)), rank(a.Name)-rank(b.Name), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// Find returns the page with a name, or the only page whose name begins so.
func Find(name string) (Page, bool) {
	var found []Page
	for _, p := range Pages() {
		if p.Name == name {
			return p, true
		}
		if name != "" && strings.HasPrefix(p.Name, name) {
			found = append(found, p)
		}
	}
	if len(found) != 1 {
		return Page{}, false
	}
	return found[0], true
}

// pageLink is a link to another page, perhaps to a section of it.
var pageLink = regexp.MustCompile(`\[([^]]+)\]\((?:\.\./(?:guide|admin)/)?([a-z-]+)\.md(?:#[a-z0-9-]*)?\)`)

// read makes a page of its file.
func read(name, folder, text string) Page {
	blocks := paragraphs(text)
	p := Page{Name: name, Text: text, ForAdmins: folder == adminFolder}
	if len(blocks) > 1 {
		p.Title = strings.TrimPrefix(blocks[0], "# ")
		p.Summary = strings.Join(strings.Fields(blocks[1]), " ")
	}
	return p
}

// LinkedBy returns the page with links to other pages replaced by the command that shows them, such
// as /help.
func (p Page) LinkedBy(command string) Page {
	p.Text = pageLink.ReplaceAllString(p.Text, "$1 (`"+command+" $2`)")
	return p
}

// FirstScreen is the beginning of the page: whole paragraphs of at most 30 lines, and at least one.
func (p Page) FirstScreen() string {
	blocks := paragraphs(p.Text)
	n, lines := 0, 0
	for n < len(blocks) {
		lines += strings.Count(blocks[n], "\n") + 2 // with the empty line below
		if lines-1 > maxFirstScreen && n > 0 {
			break
		}
		n++
	}
	for n > 1 && n < len(blocks) && isHeading(blocks[n-1]) {
		n--
	}
	return strings.Join(blocks[:n], "\n\n")
}

func isHeading(block string) bool { return strings.HasPrefix(block, "#") }

// paragraphs are the parts of a text between empty lines. A fenced block is one part, whatever it
// has.
func paragraphs(text string) (all []string) {
	fenced := false
	for part := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if fenced {
			all[len(all)-1] += "\n\n" + part
		} else {
			all = append(all, strings.Trim(part, "\n"))
		}
		for line := range strings.SplitSeq(part, "\n") {
			if strings.HasPrefix(line, "```") {
				fenced = !fenced
			}
		}
	}
	return all
}

func folderOf(p Page) string {
	if p.ForAdmins {
		return adminFolder
	}
	return guideFolder
}

// rank is the place of a page among the first ones.
func rank(name string) int {
	if i := slices.Index(firstPages, name); i >= 0 {
		return i
	}
	return len(firstPages)
}
