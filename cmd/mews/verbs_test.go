package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// proseWords are words that may follow the program's name in a sentence. No verb has such a name.
var proseWords = strings.Fields("approval as is itself needs second stops")

// Patterns of commands in texts. In a document only code counts, because sentences contain the
// program's name too: code is after a backtick, a path or a pipe, or at the beginning of a line.
// The second group is the word after the verb.
var (
	literalMention  = regexp.MustCompile(`(?:^|[^\w@-])mews ([a-z]+)(?: ([a-z]+))?\b`)
	documentMention = regexp.MustCompile("(?m)(?:^[ \t]*|[`/|] ?|\\w=\\S+ )" +
		"mews ([a-z]+)(?: ([a-z]+))?(?:$|[^\\w/])")
)

func TestTexts_MentionedVerbs_Exist(t *testing.T) {
	found := 0
	check := func(at, text string, mention *regexp.Regexp, prose []string) {
		for _, m := range mention.FindAllStringSubmatch(text, -1) {
			found++
			if why := faultOfMention(m[1], m[2]); why != "" && !slices.Contains(prose, m[1]) {
				t.Errorf("%s: %q: %s", at, strings.TrimSpace(m[0]), why)
			}
		}
	}
	for _, path := range textFiles(t) {
		name := strings.TrimPrefix(path, "../../")
		if strings.HasSuffix(path, ".go") {
			eachLiteral(t, path, func(line int, text string) {
				check(fmt.Sprint(name, ":", line), text, literalMention, proseWords)
			})
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		check(name, string(text), documentMention, nil)
	}
	if found < 100 {
		t.Errorf("found %d mentions of a command; there are more", found)
	}
}

func TestTexts_UnknownVerbs_AreFaults(t *testing.T) {
	for text, want := range map[string]string{
		"run `mews doctor` first":          "",
		"see `mews upload`":                "no verb upload",
		"`mews user invite %s`":            "",
		"`mews user banish %s`":            "no user banish",
		"mews job list shows all":          "",
		"A=b mews run":                     "",
		"/usr/local/bin/mews reload --now": "",
		"echo hi | mews chat":              "",
		"mews-worker gone":                 "no mention",
		"@mews stop":                       "no mention",
		"/etc/mews/mews.yaml":              "no mention",
	} {
		for _, mention := range []*regexp.Regexp{literalMention, documentMention} {
			got := "no mention"
			if m := mention.FindStringSubmatch(text); m != nil {
				got = faultOfMention(m[1], m[2])
			}
			if got != want {
				t.Errorf("%q: got %q, want %q", text, got, want)
			}
		}
	}
}

// faultOfMention describes the fault of a mention `mews NAME WHAT`, or returns "". Only some verbs
// have subcommands.
func faultOfMention(name, what string) string {
	if !slices.ContainsFunc(verbs(), func(v verb) bool { return v.name == name }) {
		return "no verb " + name
	}
	if !strings.HasPrefix(strings.TrimPrefix(helps[name].usage, "["), "WHAT") {
		return ""
	}
	_, listed, _ := strings.Cut(helps[name].summary, ": ")
	if what != "" && !slices.Contains(regexp.MustCompile(`\w+`).FindAllString(listed, -1), what) {
		return "no " + name + " " + what
	}
	return ""
}

// textFiles lists the files that mention commands to people: the programs, the manual, the README,
// and deployed files.
func textFiles(t *testing.T) (paths []string) {
	t.Helper()
	for _, name := range strings.Fields("README.md .github cmd config deploy protocol supervisor worker") {
		err := filepath.WalkDir("../../"+name, func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && entry.Name() == "testdata":
				return fs.SkipDir
			case entry.IsDir(), strings.HasSuffix(path, "_test.go"):
				return nil
			case slices.Contains([]string{".go", ".md"}, filepath.Ext(path)), strings.HasPrefix(path, "../../deploy"):
				paths = append(paths, path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return paths
}

// eachLiteral calls the function visit with the line and text of every string literal of a Go file.
func eachLiteral(t *testing.T, path string, visit func(line int, text string)) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			text, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			visit(fset.Position(literal.Pos()).Line, text)
		}
		return true
	})
}
