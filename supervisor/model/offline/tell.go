package offline

import (
	"cmp"
	"fmt"
	"strings"

	"mews/supervisor"
)

// tellAnswer returns the answer to a question unchanged. It drops advice, which is for models.
func tellAnswer(_ values, result string) string {
	if strings.Contains(result, supervisor.SkippedQuestionText+adviceWithoutAnswer) {
		return textSkipped
	}
	told, _, _ := strings.Cut(result, adviceWithoutAnswer)
	return strings.TrimSpace(told)
}

func tellOutput(_ values, result string) string { return fmt.Sprintf(textOutput, fence(result)) }

// tellFound returns the facts and notes that were found. If there are none, it returns the result
// unchanged.
func tellFound(_ values, result string) string {
	if strings.HasPrefix(result, "Nothing found") {
		return strings.TrimSpace(result)
	}
	return fmt.Sprintf(textFound, fence(result))
}

func tellFolder(_ values, result string) string {
	if bare := strings.TrimSpace(result); bare == "" || strings.HasSuffix(bare, " is empty.") {
		return textEmptyFolder
	}
	return fmt.Sprintf(textFolder, fence(result))
}

func tellFile(v values, result string) string {
	file := cmp.Or(v["path"], notesFile)
	if bare := strings.TrimSpace(result); bare == "" || bare == file+": empty" {
		return fmt.Sprintf(textEmptyFile, code(file))
	}
	return code(file) + ":\n" + fence(result)
}

// tellTodos returns the text about a list of to-dos.
func tellTodos(_ values, result string) string { return fence(result) }

// tellDone returns the text about a change, in the tool's own words.
func tellDone(_ values, result string) string {
	text := strings.TrimSpace(result)
	if strings.Contains(text, "\n") {
		return fmt.Sprintf(textDoneLines, fence(text))
	}
	return fmt.Sprintf(textDone, text)
}
