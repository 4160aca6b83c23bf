package manual_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mews/cmd/mews/manual"
)

const (
	maxWords = 1200 // maximum number of words of a page
	maxLines = 30   // maximum number of lines on a page's first screen
)

var (
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	pageLink = regexp.MustCompile(`\]\([a-z.]*/?(?:guide/|admin/)?[a-z-]+\.md[^)]*\)`)
	heading  = regexp.MustCompile(`(?m)^#+ (.+)$`)
	sign     = regexp.MustCompile("[^a-z0-9 -]")
)

func TestPages_HaveTitleSummaryAndLinks(t *testing.T) {
	pages := manual.Pages()
	if len(pages) == 0 || pages[0].Name != "start" {
		t.Fatalf("got %d pages, want some that begin with start", len(pages))
	}
	for _, p := range pages {
		file := filepath.Join(map[bool]string{false: "guide", true: "admin"}[p.ForAdmins], p.Name+".md")
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if p.Title == "" || !strings.HasPrefix(string(source), "# "+p.Title+"\n\n") ||
			!strings.HasSuffix(p.Summary, ".") || strings.Contains(p.Summary, ". ") {
			t.Errorf("%s: want a title, an empty line and one sentence; got %q and %q", file, p.Title, p.Summary)
		}
		if n := len(strings.Fields(string(source))); n > maxWords {
			t.Errorf("%s: %d words, want at most %d", file, n, maxWords)
		}
		if strings.Count("\n"+string(source), "\n```")%2 != 0 {
			t.Errorf("%s: a fenced block has no end", file)
		}
		first := p.FirstScreenText()
		if first == "" || strings.Count(first, "\n") > maxLines || !strings.HasPrefix(p.Text, first) {
			t.Errorf("%s: the first screen is %q", file, first)
		}
		if found, ok := manual.FindPage(p.Name); !ok || found.Title != p.Title {
			t.Errorf("%s: got %q by its name", file, found.Title)
		}
		if left := pageLink.FindString(p.ReplaceLinks("/help").Text); left != "" {
			t.Errorf("%s: the link %s is left", file, left)
		}
		checkLinks(t, file, string(source))
	}
}

// adminsOnly matches what no page for people has: configuration, and commands of root.
var adminsOnly = regexp.MustCompile("```(yaml|toml|ini)|\\bsudo\\b|\\broot\\b")

func TestGuide_Pages_NeedNoAdmin(t *testing.T) {
	for _, p := range manual.Pages() {
		if p.ForAdmins {
			continue
		}
		source, err := os.ReadFile(filepath.Join("guide", p.Name+".md"))
		if err != nil {
			t.Fatal(err)
		}
		if found := adminsOnly.FindString(string(source)); found != "" {
			t.Errorf("guide/%s.md has %q: that belongs into a page for admins", p.Name, found)
		}
	}
}

// indentedCode matches a block of code without a fence. No test would read such an example.
var indentedCode = regexp.MustCompile("(?m)^\n(?: {4}|   +\t|\t)( *[^ \n*1-9-].*)$")

func TestPages_ExamplesOfCode_HaveFences(t *testing.T) {
	for _, p := range manual.Pages() {
		file := filepath.Join(map[bool]string{false: "guide", true: "admin"}[p.ForAdmins], p.Name+".md")
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if found := indentedCode.FindString(fencedBlock.ReplaceAllString(string(source), "")); found != "" {
			t.Errorf("%s has an example without a fence: %q", file, found)
		}
	}
}

var fencedBlock = regexp.MustCompile("(?ms)^ *```.*?^ *```$")

// checkLinks reports links to files and sections that do not exist.
func checkLinks(t *testing.T, file, source string) {
	t.Helper()
	for _, m := range link.FindAllStringSubmatch(source, -1) {
		to, section, _ := strings.Cut(m[1], "#")
		if strings.Contains(to, "://") {
			continue
		}
		target := file
		if to != "" {
			target = filepath.Join(filepath.Dir(file), to)
		}
		text, err := os.ReadFile(target)
		if err != nil {
			t.Errorf("%s: the link %s: %v", file, m[1], err)
		}
		if section != "" && !hasSection(string(text), section) {
			t.Errorf("%s: the link %s: no such section", file, m[1])
		}
	}
}

// hasSection reports whether a heading of a text has this anchor.
func hasSection(text, anchor string) bool {
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		if strings.ReplaceAll(sign.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-") == anchor {
			return true
		}
	}
	return false
}

func TestFindPage_Prefix_MatchesOnlyOnePage(t *testing.T) {
	for name, want := range map[string]string{"start": "start", "star": "start", "": "", "no-such": ""} {
		if got, ok := manual.FindPage(name); got.Name != want || ok != (want != "") {
			t.Errorf("%q: got %q, %v", name, got.Name, ok)
		}
	}
}
