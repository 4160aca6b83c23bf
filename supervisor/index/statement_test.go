package index

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var (
	// ofPerson is a statement about the rows of one person: it compares the column, or writes it,
	// or is about the table that has their words alone.
	ofPerson = regexp.MustCompile(`\buser = \?|INTO \w+ \((\w+\.)?user\b|\bwords_%(\[1\])?d\b`)
	sql      = regexp.MustCompile(`^\s*(SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|WITH)\b`)
	// ofNobody are the statements that name no person.
	ofNobody = map[string]string{listPeople: "who there is", findEpoch: "which database it is"}
)

// No statement reads or changes the rows of more than one person.
func TestEveryStatementNamesItsPerson(t *testing.T) {
	n := 0
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.DeleteFunc(names, func(name string) bool { return strings.HasSuffix(name, "_test.go") }) {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			literal, ok := node.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			if err != nil || !sql.MatchString(text) {
				return true
			}
			n++
			if !ofPerson.MatchString(text) && ofNobody[text] == "" {
				t.Errorf("%s: it names no person: %s", name, text)
			}
			return true
		})
	}
	if n < 25 {
		t.Errorf("only %d statements were found", n)
	}
}

// What each search, message or file runs reads the rows that it is about, and not all.
func TestStatementsScanNoTable(t *testing.T) {
	r := newRig(t, "alice").run()
	r.say("alice", "user", "hello")
	r.read()
	for name, query := range map[string]string{"listSections": listSections, "findByMessage": findByMessage, "findHash": findHash, "listPlaced": listPlaced,
		"findPath": findPath, "listStale": listStale, "deletePlace": deletePlace, "findSection": findSection, "setPath": setPath, "deleteSection": deleteSection, "findCursor": findCursor,
		"listIndexed": listIndexed, "deletePlaces": deletePlaces, "deleteFile": deleteFile, "listFiles": listFiles,
		"findFileHash": findFileHash, "pruneChanges": pruneChanges, "lastChange": lastChange, "listChanges": listChanges} {
		for _, detail := range r.look("EXPLAIN QUERY PLAN " + query) {
			if strings.HasPrefix(detail, "SCAN") && !strings.Contains(detail, "SCAN j ") {
				t.Errorf("%s: %s", name, detail)
			}
		}
	}
}
