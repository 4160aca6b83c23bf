package search

import (
	"strings"
	"testing"
)

// Only the first maxExcerptWords words of a long question count, as in the index.
func TestExcerpt_ManyWords_OnlyFirstAreUsed(t *testing.T) {
	text := strings.Repeat("nothing ", 40) + "far " + strings.Repeat("nothing ", 40)
	for words, found := range map[string]bool{"far": true, strings.Repeat("zq ", maxExcerptWords-1) + "far": true, strings.Repeat("zq ", maxExcerptWords) + "far": false} {
		if got := excerpt(text, words, 40); strings.Contains(got, "far") != found {
			t.Errorf("%d words: %q", len(strings.Fields(words)), got)
		}
	}
}

func TestExcerpt_Code_LosesFences(t *testing.T) {
	for text, want := range map[string]string{
		"So:\n```go\nx := 1\n```\n> ~~~\nand `y`": "So: x := 1 and `y`",
		"```x := 1``` is code":                    "x := 1 is code",
	} {
		if got := excerpt(text, "", 100); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
