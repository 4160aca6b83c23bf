package chat

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mews/supervisor"
)

// complete completes a command, or the path after /attach, as far as it is unique, like Tab in a
// shell. If a command can't be completed, Tab lists the possible commands.
func (e *lineEditor) complete() {
	if name, ok := strings.CutPrefix(e.before, "/"); ok && !strings.ContainsAny(name, " \n") {
		e.completeCommand(name)
		return
	}
	typed, ok := strings.CutPrefix(e.before, attachCommand+" ")
	if !ok {
		return
	}
	word, rest, closed := cutWord(typed)
	if rest != "" {
		return
	}
	folder, begun := filepath.Split(expandHome(word))
	if folder == "" {
		folder = "."
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return
	}
	var ways []string // the possible continuations of the typed text
	for _, entry := range entries {
		way, ok := strings.CutPrefix(entry.Name(), begun)
		if !ok || begun == "" && strings.HasPrefix(way, ".") || stripControls(way) != way {
			continue
		}
		if info, err := os.Stat(filepath.Join(folder, entry.Name())); err == nil && info.IsDir() {
			way += "/"
		}
		ways = append(ways, way)
	}
	way := commonBeginning(ways)
	if closed {
		way = escapeWord.Replace(way)
	}
	e.before += way
}

// completeCommand completes the name of a command.
func (e *lineEditor) completeCommand(begun string) {
	var ways, names []string
	for _, name := range slices.Compact(slices.Sorted(slices.Values(e.commands))) {
		if way, ok := strings.CutPrefix(name, begun); ok {
			ways, names = append(ways, way), append(names, "/"+name)
		}
	}
	way := commonBeginning(ways)
	switch {
	case len(ways) == 1:
		way += " "
	case way == "" && len(ways) > 1:
		e.draw(e.style.rows(supervisor.RichText{Text: strings.Join(names, " ")}, e.style.dim, e.width), e.above)
	}
	e.before += way
}

// escapeWord escapes a shell's special characters.
var escapeWord = strings.NewReplacer(" ", `\ `, `\`, `\\`, "'", `\'`, `"`, `\"`)

// commonBeginning returns the common prefix of texts, in whole characters.
func commonBeginning(texts []string) (common string) {
	for i, text := range texts {
		if i == 0 {
			common = text
		}
		for !strings.HasPrefix(text, common) {
			common = common[:lastCluster(common)]
		}
	}
	return common
}
