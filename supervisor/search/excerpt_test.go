package search

import (
	"strings"
	"testing"
)

// TestAnExcerptLooksForSomeWordsAlone: a question of thousands of words is a question of its first
// ones, here and in the index.
func TestAnExcerptLooksForSomeWordsAlone(t *testing.T) {
	text := strings.Repeat("nothing ", 40) + "far " + strings.Repeat("nothing ", 40)
	for words, there := range map[string]bool{"far": true, strings.Repeat("zq ", maxMarked-1) + "far": true, strings.Repeat("zq ", maxMarked) + "far": false} {
		if got := excerpt(text, words, 40); strings.Contains(got, "far") != there {
			t.Errorf("%d words: %q", len(strings.Fields(words)), got)
		}
	}
}

// TestAnExcerptShowsCodeWithoutItsFences, which mean nothing on one line.
func TestAnExcerptShowsCodeWithoutItsFences(t *testing.T) {
	for text, want := range map[string]string{
		"So:\n```go\nx := 1\n```\n> ~~~\nand `y`": "So: x := 1 and `y`",
		"```x := 1``` is code":                    "x := 1 is code",
	} {
		if got := excerpt(text, "", 100); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
