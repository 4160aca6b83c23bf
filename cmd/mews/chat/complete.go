package chat

import (
	"os"
	"path/filepath"
	"strings"
)

// complete completes the path after /attach as far as it is unique, like Tab in a shell.
func (e *lineEditor) complete() {
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
	var ways []string // the possible continuations
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
