package main_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Limits of prose.
const (
	maxSentence     = 30 // most words of a sentence in comments and documents
	maxTextSentence = 20 // most words of a sentence in texts for people
	maxTestName     = 45 // most letters of a test's name
	maxFirst        = 90 // most letters of the first sentence of a doc comment
)

// unplain are turns of phrase that readers had to read twice, each with a plain replacement. A
// sentence with none of the words in needs, separated by |, can't match the pattern. Searching for
// words takes much less time.
var unplain = []struct {
	needs   string
	pattern *regexp.Regexp
	instead string
}{
	{"Wh", regexp.MustCompile(`^(What|Who|Whoever|Whatever|Whose)( [^ ?]+){3,}$`),
		"begin with the noun, not with a clause"},
	{"Nothing|That", regexp.MustCompile(`^(Nothing|That) (that|of|which|is there|what)\b`),
		"begin with the noun, not with a clause"},
	{"Where", regexp.MustCompile(`^Where\b[^?]*,`), "write if, or name the place"},
	{"here it ", regexp.MustCompile(`\b[Ww]here it (is|was|does|did|can|has)\b`), "write if"},
	{" be", regexp.MustCompile(`\b(has|have|had|having) (\w+ ){1,4}be\b`), "use a verb: mute, stop, keep, send"},
	{"has |have ", regexp.MustCompile(`\b(has|have) (it|them|him|her|us|somebody|a \w+|the \w+) ` +
		`(come|go|wait|run|end|begin|answer|say|do|stop|read|send)\b`),
		"use a verb: make, let, ask, start"},
	{" had", regexp.MustCompile(`\b(is|are|was|were) had\b`), "use a verb"},
	{"to be", regexp.MustCompile(`\bcomes? to be\b`), "use a verb"},
	{"but for", regexp.MustCompile(`\bbut for\b`), "write except"},
	{"f which", regexp.MustCompile(`\b(,|and) of which\b|^Of which\b|\bof which there\b`), "write two sentences"},
	{"no more", regexp.MustCompile(`\b(is|are|was|were) (\w+ )?no more\b|\bcomes? no more\b`),
		"write no longer, or has ended"},
	{"body's to", regexp.MustCompile(`\b(is|are) (nobody's|somebody's) to\b`), "write who may"},
	{"is so|it is", regexp.MustCompile(`\bis so (with|of|for|where|if)\b|^So it is\b|^It is so\b`),
		"write the same holds for"},
	{"what is no|who ", regexp.MustCompile(`\bwhat is no\b|\bwho (has|have|is|are) no(ne|t)? there\b`), "name it"},
	{"likewise|there|where|whither|hence",
		regexp.MustCompile(`\b(likewise|thereof|therein|whereof|wherein|whither|hence)\b`), "write a plain word"},
	{"may not be", regexp.MustCompile(`\bmay not be (\w+) but\b`), "write only"},
}

var (
	// endOfSentence matches the end of a sentence, if a capital letter or the end of the text
	// follows.
	endOfSentence = regexp.MustCompile(`[.!?:;]["”')\x60]*( +|$)`)
	unplainTest   = regexp.MustCompile(`^Test(What|Who|Whose|Nothing|That|Whatever)([A-Z]|$)`)
	codeInText    = regexp.MustCompile("`[^`]*`|https?://\\S+|\\]\\([^)]*\\)")
)

func TestProse_GoFiles_ArePlain(t *testing.T) {
	eachGoFile(t, func(name string, text []byte) error {
		for _, fault := range faultsOfGo(name, text) {
			t.Error(fault)
		}
		return nil
	})
}

func TestProse_Documents_ArePlain(t *testing.T) {
	root := moduleRoot(t)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		if err != nil || d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git" || d.Name() == "bin") {
			if err == nil {
				err = fs.SkipDir
			}
			return err
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, fault := range faultsOfMarkdown(name, string(text)) {
			t.Error(fault)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestProse_EachRule_FindsItsFault tries the rules on sentences that no file has.
func TestProse_EachRule_FindsItsFault(t *testing.T) {
	long := strings.Repeat("word ", maxSentence) + "word."
	for sentence, want := range map[string]bool{
		"What begins by itself rests.":                true,
		"Who may speak is listed.":                    true,
		"What does it cost?":                          false,
		"Where there is none, nil is returned.":       true,
		"It has the worker be ended.":                 true,
		"All but for one are kept.":                   true,
		"It comes no more.":                           true,
		long:                                          true,
		"Send sends a message. It returns its id.":    false,
		"nil means no limit.":                         false,
		"The list has names, sizes and dates of all.": false,
	} {
		if got := faultsOfSentences(sentence, maxSentence); (len(got) > 0) != want {
			t.Errorf("%q: got %q", sentence, got)
		}
	}
	const source = "package p\n\n// What is wrong with it.\nfunc F() {}\n\n// Run starts it and " +
		"returns after a very long time that no index has room for, as this sentence shows well.\nfunc Run() {}\n"
	if got := faultsOfGo("p/p.go", []byte(source)); len(got) != 2 {
		t.Errorf("got %q, want two faults", got)
	}
	const tests = "package p\n\nfunc TestWhatIs(t *T) {}\n\nfunc TestIt_IsGood(t *T) {}\n"
	if got := faultsOfGo("p/p_test.go", []byte(tests)); len(got) != 1 {
		t.Errorf("got %q, want one fault", got)
	}
	texts := "package p\n\nconst textLong = \"" + strings.Repeat("word ", maxTextSentence) + "word.\"\n"
	if got := faultsOfGo("p/texts.go", []byte(texts)); len(got) != 1 {
		t.Errorf("got %q, want one fault", got)
	}
}

// faultsOfGo returns the comments, test names and texts of a Go file that break a rule.
func faultsOfGo(name string, text []byte) (faults []string) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return []string{err.Error()}
	}
	add := func(at token.Pos, found ...string) {
		for _, fault := range found {
			faults = append(faults, fmt.Sprintf("%s:%d: %s", name, fset.Position(at).Line, fault))
		}
	}
	for _, group := range file.Comments {
		add(group.Pos(), faultsOfSentences(plainComment(group), maxSentence)...)
	}
	isTest := strings.HasSuffix(name, "_test.go")
	for _, d := range file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if isTest && (unplainTest.MatchString(fn.Name.Name) || strings.HasPrefix(fn.Name.Name, "Test") &&
			len(fn.Name.Name) > maxTestName) {
			add(fn.Pos(), fn.Name.Name+": name a test Test<Subject>_<Condition or Action>_<Outcome>, in 45 letters")
		}
		if fn.Doc != nil && !isTest && fn.Name.IsExported() {
			if first := firstSentence(plainComment(fn.Doc)); utf8.RuneCountInString(first) > maxFirst {
				add(fn.Pos(), fmt.Sprintf("the first sentence has more than %d letters: %q", maxFirst, first))
			}
		}
	}
	if strings.HasPrefix(filepath.Base(name), "texts") && !isTest {
		ast.Inspect(file, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			text := textOf(e)
			add(n.Pos(), faultsOfSentences(text, maxTextSentence)...)
			return text == ""
		})
	}
	return faults
}

// textOf returns the text of a literal, or of several added literals; "" if there is no text.
func textOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value) // fails only for a number, which has no quotes
		return text
	case *ast.BinaryExpr:
		if text := textOf(e.X) + textOf(e.Y); e.Op == token.ADD {
			return text
		}
	}
	return ""
}

// plainComment returns a comment's prose: no marks, no indented lines, no directives.
func plainComment(group *ast.CommentGroup) string {
	var prose []string
	for line := range strings.Lines(group.Text()) {
		if strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "# ") {
			line = "\n"
		}
		prose = append(prose, line)
	}
	return strings.Join(prose, "")
}

// faultsOfMarkdown returns the sentences of a document that break a rule. It skips blocks of code,
// and checks each cell of a table.
func faultsOfMarkdown(name, text string) (faults []string) {
	var paragraph []string
	first, fenced := 0, false
	end := func() {
		for _, fault := range faultsOfSentences(strings.Join(paragraph, "\n"), maxSentence) {
			faults = append(faults, fmt.Sprintf("%s:%d: %s", name, first, fault))
		}
		paragraph = nil
	}
	for i, line := range strings.Split(text+"\n", "\n") {
		trimmed := strings.TrimSpace(line)
		fence := strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~")
		switch {
		case fence, fenced, trimmed == "", strings.HasPrefix(line, "#"), strings.HasPrefix(line, "    "):
			end()
			fenced = fenced != fence
			continue
		case strings.HasPrefix(trimmed, "|"):
			end()
			trimmed = strings.ReplaceAll(strings.Trim(trimmed, "|"), "|", "\n\n")
		case strings.HasPrefix(trimmed, "- "), strings.HasPrefix(trimmed, "* "), strings.HasPrefix(trimmed, "1. "):
			end()
			trimmed = strings.TrimLeft(trimmed, "-*1. ")
		}
		if len(paragraph) == 0 {
			first = i + 1
		}
		paragraph = append(paragraph, trimmed)
	}
	end()
	return faults
}

// faultsOfSentences returns the sentences that have a turn of phrase that is not plain, or too many
// words. The parameter most is the limit of words.
func faultsOfSentences(prose string, most int) (faults []string) {
	for _, paragraph := range strings.Split(strings.ReplaceAll(prose, "\n- ", "\n\n"), "\n\n") {
		paragraph = codeInText.ReplaceAllString(strings.Join(strings.Fields(paragraph), " "), "X")
		for _, sentence := range sentences(strings.ReplaceAll(paragraph, " to be ", " to-be ")) {
			if n := len(strings.Fields(sentence)); n > most {
				faults = append(faults, fmt.Sprintf("%d words, at most %d: %q", n, most, sentence))
			}
			for _, rule := range unplain {
				if containsAny(sentence, rule.needs) && rule.pattern.MatchString(sentence) {
					faults = append(faults, fmt.Sprintf("%s: %q", rule.instead, sentence))
				}
			}
		}
	}
	return faults
}

// containsAny reports whether a text contains one of some words, separated by |.
func containsAny(text, words string) bool {
	for word := range strings.SplitSeq(words, "|") {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}

// sentences splits a paragraph at full stops, colons and semicolons.
func sentences(paragraph string) (list []string) {
	begin := 0
	for _, at := range endOfSentence.FindAllStringIndex(paragraph, -1) {
		next, _ := utf8.DecodeRuneInString(paragraph[at[1]:])
		stop := paragraph[at[0]]
		if at[1] < len(paragraph) && stop != ';' && stop != ':' && !unicode.IsUpper(next) && !unicode.IsDigit(next) {
			continue // the full stop ends an abbreviation
		}
		list = append(list, strings.TrimSpace(paragraph[begin:at[1]]))
		begin = at[1]
	}
	if rest := strings.TrimSpace(paragraph[begin:]); rest != "" {
		list = append(list, rest)
	}
	return list
}

// firstSentence returns a doc comment's first sentence, as an index shows it.
func firstSentence(doc string) string {
	paragraph, _, _ := strings.Cut(doc, "\n\n")
	paragraph = strings.Join(strings.Fields(paragraph), " ")
	for _, at := range endOfSentence.FindAllStringIndex(paragraph, -1) {
		if stop := paragraph[at[0]]; stop != ':' && stop != ';' {
			return paragraph[:at[1]]
		}
	}
	return paragraph
}
