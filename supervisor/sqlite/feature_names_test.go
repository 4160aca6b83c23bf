package sqlite

import (
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"
)

// features lists the prefixes of the features' files. All other files belong to the core.
var features = []string{"calendar", "filereminder", "forget", "github", "instructions", "memory", "restore", "schedule",
	"todo", "undo", "voice", "webhook", "webtools"}

// usedByCore lists the names in features' files that the core uses, with reasons. The list must
// only get shorter.
var usedByCore = map[string]string{
	"JobPolicy":       "Policies has a field for each feature",
	"NoticePolicy":    "Policies has a field for each feature",
	"PromptFileTexts": "Policies has a field for each feature",
	"UndoTexts":       "Policies has a field for each feature",

	"endFire":           "one transaction ends a job's turn and its fire",
	"setFireDelivery":   "a fire names the answer of its turn",
	"askInJob":          "a question of a job's turn ends before the job is due again",
	"endAskInJob":       "a job's turn continues after its question has ended",
	"quietUntil":        "a picture of a job's turn makes no sound in quiet hours",
	"sayOrHold":         "a question of a job's turn waits for the end of quiet hours",
	"recheckHeld":       "changed quiet hours release held notices",
	"handleRefused":     "a chat that refuses everything holds its jobs back",
	"untoldFires":       "a turn's first message has the recent texts of jobs",
	"untoldUndos":       "a turn's first message has the files that the user restored",
	"putUndo":           "one transaction stores a change and the data to undo it",
	"hasUndo":           "an answer has undo buttons if its turn changed files",
	"unbuttonUndoLater": "an answer loses its undo buttons when the old bytes expire",
	"putPromptCard":     "the end of a turn shows the prompt files that wait",
	"putSpeech":         "one transaction stores an answer and schedules its recordings",
	"closeRecording":    "a failed recording is replaced by its text",
	"buttonsOf":         "the answer of a review has the review's buttons",
}

// The core may use only the names in usedByCore. If it used more names, no feature could be removed
// or read alone.
func TestSources_CoreUsesFeatureName_NeedsReason(t *testing.T) {
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

// nameUse tells where a feature's name is declared, and which files of the core use the name.
type nameUse struct {
	of string   // the file that declares the name
	by []string // the files of the core that use the name
}

// namesUsed returns the names of features that the core uses: package-level names, and names of
// methods that no type of the core has.
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

// declare adds the declared methods to methods, and other declared names to names.
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
