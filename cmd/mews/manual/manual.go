// Package manual contains the pages of the manual, which are compiled into the program.
package manual

import (
	"cmp"
	"embed"
	"path"
	"regexp"
	"slices"
	"strings"

	"mews/config/spelling"
)

// files are the pages: the folder guide is for all users, and the folder admin for admins.
//
//go:embed */*.md
var files embed.FS

const (
	guideFolder = "guide"
	adminFolder = "admin"

	maxFirstScreen = 30 // maximum number of lines on the first screen of a page
	columns        = 80
)

// firstPages are the pages that a list begins with. All other pages follow by name.
var firstPages = []string{"start", "install"}

// Page is a page of the manual.
type Page struct {
	Name      string // the file's name without .md: the topic to ask for
	Title     string
	Summary   string // a sentence about the content
	Text      string // the whole page in Markdown
	ForAdmins bool
}

// Pages lists the pages: first the guide, then the pages for admins.
func Pages() (all []Page) {
	for _, folder := range []string{guideFolder, adminFolder} {
		entries, err := files.ReadDir(folder)
		if err != nil {
			continue // the program has no pages of this kind
		}
		for _, e := range entries {
			text, _ := files.ReadFile(path.Join(folder, e.Name())) // can't fail: the page is in the program
			all = append(all, read(strings.TrimSuffix(e.Name(), ".md"), folder, string(text)))
		}
	}
	slices.SortStableFunc(all, func(a, b Page) int {
		return cmp.Or(-cmp.Compare(folderOf(a), folderOf(b)), rank(a.Name)-rank(b.Name), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// FindPage returns the page with a name, or the only page whose name begins with it.
func FindPage(name string) (Page, bool) {
	name = spelling.CompleteName(name, PageNames())
	i := slices.IndexFunc(Pages(), func(p Page) bool { return p.Name == name })
	if i < 0 {
		return Page{}, false
	}
	return Pages()[i], true
}

// PageNames lists the names of the pages.
func PageNames() (all []string) {
	for _, p := range Pages() {
		all = append(all, p.Name)
	}
	return all
}

// pageLink is a link to another page, perhaps to a section of it.
var pageLink = regexp.MustCompile(`\[([^]]+)\]\((?:\.\./(?:guide|admin)/)?([a-z-]+)\.md(?:#[a-z0-9-]*)?\)`)

// read makes a page from the text of its file.
func read(name, folder, text string) Page {
	// pictures are for readers on the web
	blocks := slices.DeleteFunc(paragraphs(text), func(b string) bool { return strings.HasPrefix(b, "![") })
	for i, b := range blocks {
		blocks[i] = unwrap(b)
	}
	p := Page{Name: name, Text: strings.Join(blocks, "\n\n"), ForAdmins: folder == adminFolder}
	if len(blocks) > 1 {
		p.Title, p.Summary = strings.TrimPrefix(blocks[0], "# "), blocks[1]
	}
	return p
}

// ReplaceLinks replaces links to other pages by the command that shows them, such as /help.
func (p Page) ReplaceLinks(command string) Page {
	p.Text = pageLink.ReplaceAllStringFunc(p.Text, func(link string) string {
		m := pageLink.FindStringSubmatch(link)
		shows := "`" + command + " " + m[2] + "`"
		if strings.EqualFold(m[1], m[2]) {
			return shows
		}
		return m[1] + " (" + shows + ")"
	})
	return p
}

// FirstScreenText returns the paragraphs that fit on a screen of 30 lines with 80 columns. It
// returns at least one paragraph.
func (p Page) FirstScreenText() string {
	blocks := paragraphs(p.Text)
	n, lines := 0, 0
	for n < len(blocks) {
		for line := range strings.Lines(blocks[n]) {
			lines += 1 + len(line)/columns
		}
		if lines++; lines-1 > maxFirstScreen && n > 0 { // lines also counts the empty line below the paragraph
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

// paragraphs splits a text at empty lines. A fenced block is one paragraph.
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

// ownLine matches the beginning of a line that must not be joined with the line before it.
var ownLine = regexp.MustCompile("^(#|\\||>|```| *[-*] | *\\d+\\. )")

// unwrap joins the lines of a paragraph, and those of each list item. Readers wrap the lines to the
// width of their screen.
func unwrap(block string) string {
	if strings.Contains(block, "```") {
		return block
	}
	var lines []string
	for line := range strings.SplitSeq(block, "\n") {
		if last := len(lines) - 1; last >= 0 && !ownLine.MatchString(line) {
			lines[last] += " " + strings.TrimSpace(line)
		} else {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func folderOf(p Page) string {
	if p.ForAdmins {
		return adminFolder
	}
	return guideFolder
}

// rank returns the position of a page among firstPages.
func rank(name string) int {
	if i := slices.Index(firstPages, name); i >= 0 {
		return i
	}
	return len(firstPages)
}
