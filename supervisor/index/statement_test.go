package index

import (
	"regexp"
	"strings"

	"mews/supervisor/internal/engine/enginetest"
)

var (
	// ofPerson matches a statement about the rows of one user: it compares or writes the column
	// user, or uses the table of that user's words.
	ofPerson = regexp.MustCompile(`\buser = \?|INTO \w+ \((\w+\.)?user\b|\bwords_(%(\[1\])?d|\d+)\b`)
	// ofNobody lists the statements that name no user, with reasons.
	ofNobody = map[string]string{listPeople: "who there is", findEpoch: "which database it is"}
	// scans lists the steps of query plans that may read a whole table or index, with reasons.
	scans = map[string]string{
		awaitVectors: "a person's sections are to get vectors, of which none has one",
		findEpoch:    "it has one row",
		listPeople:   "there are few people, and it is asked as the index opens",
		eraseAll[2]:  "a person is erased",
	}
	// harmless matches a step of a query plan that reads no table of ours. It reads an element of a
	// JSON text, or the matches of a user's words.
	harmless = regexp.MustCompile(`^SCAN (j |CONSTANT ROW$|words_\d+ VIRTUAL TABLE INDEX 0:M)`)
)

// fault returns the fault of a statement; "" means no fault. A statement must not touch rows of
// more than one user. It must not read all rows in each search, or for each message or file.
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
