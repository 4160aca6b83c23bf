package main_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// sentencePattern matches a sentence: a text that begins with a capital letter and has three words
// or more.
var sentencePattern = regexp.MustCompile("^[“\"'`(]*[A-Z][a-z’']*[ ,].*[^ ] +[^ ]")

// nonSentences are the beginnings of literals that look like a sentence, but are not shown to
// people.
var nonSentences = map[string]string{
	"SELECT ": "SQL", "INSERT ": "SQL", "UPDATE ": "SQL", "DELETE ": "SQL", "PRAGMA ": "SQL", "CREATE ": "SQL", "BEGIN ": "SQL",
	"ROLLBACK ": "SQL", "RELEASE ": "SQL", "WITH ": "SQL", "VACUUM ": "SQL", "ORDER ": "SQL",
	"Max open ": "proc_pid_limits(5)",
}

// modelOnlyFolders are folders whose sentences are for a model or for a test.
var modelOnlyFolders = map[string]string{
	"supervisor/history": "what it writes is for the model",
}

// TestUserTexts_AreInTextTables finds sentences for people outside texts*.go. In those files
// all texts can be read together, and translated later.
func TestUserTexts_AreInTextTables(t *testing.T) {
	root := moduleRoot(t)
	for _, side := range []string{"supervisor", "cmd"} {
		err := filepath.WalkDir(filepath.Join(root, side), func(path string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			name, _ := filepath.Rel(root, path)
			if entry.IsDir() && (entry.Name() == "testdata" || strings.HasSuffix(entry.Name(), "test") || modelOnlyFolders[name] != "") {
				return fs.SkipDir
			}
			if entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(entry.Name(), "texts") {
				return nil
			}
			for _, found := range sentencesIn(t, path, nil) {
				t.Errorf("%s:%s; say it in a texts.go beside it", name, found)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// sentencesIn lists the sentences of a file, with their lines. src has the same meaning as in
// parser.ParseFile.
func sentencesIn(t *testing.T, path string, src any) (found []string) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, src, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if tag, ok := n.(*ast.Field); ok && tag.Tag != nil {
			tag.Tag = nil
		}
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(literal.Value)
		if err == nil && isSentence(text) {
			found = append(found, fmt.Sprintf("%d: %.60q", fset.Position(literal.Pos()).Line, text))
		}
		return true
	})
	return found
}

func isSentence(text string) bool {
	for begins := range nonSentences {
		if strings.HasPrefix(strings.TrimSpace(text), begins) {
			return false
		}
	}
	return sentencePattern.MatchString(strings.TrimSpace(text))
}

// TestSentencesIn_UserTextInCode_IsFound shows that TestUserTexts_AreInTextTables can fail.
func TestSentencesIn_UserTextInCode_IsFound(t *testing.T) {
	const src = `package p
var a = "There is no user %q."
var b = "start worker for %s: %w"
var c = "SELECT id FROM turn WHERE id = ?"
var d = "Bearer token"
type t struct { F int ` + "`json:\"Not a sentence at all\"`" + ` }
`
	if found := sentencesIn(t, "p.go", src); len(found) != 1 || !strings.HasPrefix(found[0], "2: ") {
		t.Errorf("found %q", found)
	}
}
