package main_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxCommentColumns limits a line that is a comment. A tab counts as tabColumns.
const maxCommentColumns = 100

// unwrapped lists folders with longer comments. It only shrinks.
var unwrapped = []string{
	"cmd/mews-update/", "cmd/mews/chat/", "cmd/mews/install/", "deploy/", "supervisor/alarm/",
	"supervisor/app/", "supervisor/backup/", "supervisor/control/", "supervisor/filehistory/",
	"supervisor/history/", "supervisor/release/", "supervisor/restore/", "supervisor/taint/",
	"supervisor/update/", "worker/filehistory/", "worker/tool/",
}

func TestLongComments_Files_HaveNone(t *testing.T) {
	eachGoFile(t, func(name string, text []byte) error {
		if slices.ContainsFunc(unwrapped, func(folder string) bool { return strings.HasPrefix(name, folder) }) {
			return nil
		}
		for _, fault := range longComments(name, text) {
			t.Error(fault)
		}
		return nil
	})
}

func TestLongComments_CodeAndTables_AreExempt(t *testing.T) {
	wide := strings.Repeat("word ", 20)
	for comment, want := range map[string]int{
		"// " + wide[:97]:                                   0,
		"// " + wide + "and":                                1,
		"\t// " + wide[:94]:                                 1,
		"//\t" + wide + wide:                                0,
		"//go:generate " + wide + wide:                      0,
		"// https://" + wide[:4] + strings.Repeat("x", 100): 0,
		"var a = `\n// " + wide + wide + "\n`":              0,
	} {
		if got := longComments("p.go", []byte("package p\n\n"+comment+"\n")); len(got) != want {
			t.Errorf("%q: got %q, want %d faults", comment, got, want)
		}
	}
}

// longComments returns the comments of a file that are too long, one for each line. Code in a
// comment, directives, and lines that can't be split do not count.
func longComments(name string, text []byte) (faults []string) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()}
	}
	lines := strings.Split(string(text), "\n")
	for _, group := range file.Comments {
		for _, c := range group.List {
			at := fset.Position(c.Pos()).Line
			line := lines[at-1]
			prose, found := strings.CutPrefix(c.Text, "// ")
			alone := strings.TrimLeft(line, "\t") == c.Text
			columns := utf8.RuneCountInString(line) + (tabColumns-1)*strings.Count(line, "\t")
			if found && alone && columns > maxCommentColumns && strings.Contains(strings.TrimSpace(prose), " ") &&
				!strings.HasPrefix(prose, " ") {
				faults = append(faults, fmt.Sprintf("%s:%d: a comment has %d columns, at most %d", name, at, columns,
					maxCommentColumns))
			}
		}
	}
	return faults
}
