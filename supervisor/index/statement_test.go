package index

import (
	"regexp"
	"strings"

	"mews/supervisor/internal/engine/enginetest"
)

var (
	// ofPerson is a statement about the rows of one person: it compares the column, or writes it,
	// or is about the table that has their words alone.
	ofPerson = regexp.MustCompile(`\buser = \?|INTO \w+ \((\w+\.)?user\b|\bwords_(%(\[1\])?d|\d+)\b`)
	// ofNobody are the statements that name no person.
	ofNobody = map[string]string{listPeople: "who there is", findEpoch: "which database it is"}
	// scans are the steps that may read a whole table or index, and why.
	scans = map[string]string{
		awaitAll:    "a person's sections are to get vectors, of which none has one",
		findEpoch:   "it has one row",
		listPeople:  "there are few people, and it is asked as the index opens",
		eraseAll[2]: "a person is erased",
	}
	// harmless is a step that reads no table of ours: an element of a JSON text, or what words of a
	// person's match.
	harmless = regexp.MustCompile(`^SCAN (j |CONSTANT ROW$|words_\d+ VIRTUAL TABLE INDEX 0:M)`)
)

// fault is what is wrong with a statement: it reads or changes the rows of more than one person, or
// what each search, message or file runs reads all rows, and not those that it is about.
func fault(s enginetest.Statement) string {
	if !ofPerson.MatchString(s.Text) && ofNobody[s.Text] == "" {
		return "it names no person"
	}
	for _, step := range s.Plan {
		if strings.HasPrefix(step, "SCAN") && !harmless.MatchString(step) && scans[s.Text] == "" {
			return step
		}
	}
	return ""
}
