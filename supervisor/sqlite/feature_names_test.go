package sqlite

import (
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"
)

// features lists the prefixes of the features' files. All other files belong to the core.
var features = []string{"forget", "github", "instructions", "memory", "schedule", "undo", "voice", "webhook"}

// usedByCore lists the names of features' files that the core uses, with reasons. The list must
// only get shorter.
var usedByCore = map[string]string{
	"JobPolicy":       "Policies has one of each feature",
	"NoticePolicy":    "Policies has one of each feature",
	"PromptFileTexts": "Policies has one of each feature",
	"UndoTexts":       "Policies has one of each feature",

	"endFire":           "a job's turn ends with its fire, in one transaction",
	"setFireDelivery":   "a fire names the answer of its turn",
	"askInJob":          "a question of a job's turn ends before the job is due again",
	"endAskInJob":       "a job's turn goes on once its question has ended",
	"sayOrHold":         "a question of a job's turn is not asked in quiet hours",
	"recheckHeld":       "other quiet hours hold other notices",
	"handleRefused":     "a chat that takes nothing any more pauses the jobs that speak there",
	"untoldFires":       "a turn reads what jobs have said before it",
	"untoldUndos":       "a turn reads what its person has put back before it",
	"putUndo":           "a change and what takes it back are one row each of one transaction",
	"hasUndo":           "an answer has buttons where its turn has changed files",
	"unbuttonUndoLater": "an answer loses these buttons once the bytes from before are gone",
	"putPromptCard":     "a turn that ends tells what waits for its person's yes",
	"putSpeech":         "an answer is spoken, or not, as it is kept",
	"closeRecording":    "a recording that failed becomes its text as it is closed",
	"buttonsOf":         "the answer of a review has the buttons that the review was given",
}

// The core may use only these names of features. Otherwise no feature could be removed, or read
// alone.
func TestCore_NamesOfFeatures_HaveReasons(t *testing.T) {
	used := namesUsed(parseSources(t))
	for _, name := range slices.Sorted(maps.Keys(used)) {
		if usedByCore[name] == "" {
			t.Errorf(
				"%s of %s is used by %s: give it a reason, or leave it to its feature",
				name,
				used[name].of,
				strings.Join(used[name].by, ", "),
			)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(usedByCore)) {
		if used[name].of == "" {
			t.Errorf("%s has a reason, and the core does not use it: take it off the list", name)
		}
	}
}

// nameUse is a use of a feature's name.
type nameUse struct {
	of string   // the file that declares it
	by []string // the core's files that use it
}

// namesUsed returns the names of features that the core uses. It counts package-level names, and
// methods with a name that no method of the core has.
func namesUsed(files map[string]*ast.File) map[string]nameUse {
	names, methods := map[string]string{}, map[string]string{}
	for file, source := range files {
		if !isFeatureFile(file) {
			continue
		}
		for _, d := range source.Decls {
			declare(d, file, names, methods)
		}
	}
	own, used := map[string]string{}, map[string]nameUse{}
	for file, source := range files {
		if isFeatureFile(file) {
			continue
		}
		for _, d := range source.Decls {
			declare(d, file, own, own)
		}
	}
	for file, source := range files {
		if isFeatureFile(file) {
			continue
		}
		seen := map[string]string{}
		for _, name := range source.Unresolved {
			if of := names[name.Name]; of != "" {
				seen[name.Name] = of
			}
		}
		ast.Inspect(source, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok && !s.Sel.IsExported() && own[s.Sel.Name] == "" &&
				methods[s.Sel.Name] != "" {
				seen[s.Sel.Name] = methods[s.Sel.Name]
			}
			return true
		})
		for name, of := range seen {
			used[name] = nameUse{of, append(used[name].by, file)}
		}
	}
	return used
}

// declare adds the names of a declaration: methods apart from all others.
func declare(d ast.Decl, file string, names, methods map[string]string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil {
			methods[d.Name.Name] = file
		} else {
			names[d.Name.Name] = file
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				names[s.Name.Name] = file
			case *ast.ValueSpec:
				for _, name := range s.Names {
					names[name.Name] = file
				}
			}
		}
	}
}

func isFeatureFile(file string) bool {
	return slices.ContainsFunc(
		features,
		func(name string) bool { return file == name+".go" || strings.HasPrefix(file, name+"_") },
	)
}
