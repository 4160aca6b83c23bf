package markdown_test

import (
	"strings"
	"testing"

	"mews/supervisor/markdown"
)

// TestRenderGrowing_HidesPartialMarks renders every beginning of an answer.
func TestRenderGrowing_HidesPartialMarks(t *testing.T) {
	const answer = "## A title\n\nSome **bold words**, *it*, ***both***, ~~gone~~, ||secret||, `code` and ``a ` b``.\n" +
		"See [the **docs**](https://go.dev/a_b) and ![a cat](https://x.org/c.png).\n\n" +
		"- one **two**\n- [ ] open\n- [x] `done`\n\n1. first\n2. second\n\n> quoted *words*\n\n" +
		"| Name | Age |\n|:-----|----:|\n| **Ann** | 3 |\n\nSetext\n------\n\nIt is so[^1].\n\n[^1]: https://x.org\n"
	for i := range answer {
		got := markdown.RenderGrowing(answer[:i]).Text
		got = strings.ReplaceAll(strings.ReplaceAll(got, "a ` b", ""), "-+-", "")
		for _, mark := range []string{"*", "_", "#", "`", "~", "](", "||", "[ ", "[x", "|:", "| -", ":-", ">", "\n- ", "\n1\n"} {
			if strings.Contains(got, mark) {
				t.Errorf("%q shows %s: %q", answer[:i], mark, got)
			}
		}
	}
}

// TestRenderGrowing_ParagraphOnlyGrows checks that the shown part of a paragraph never changes.
func TestRenderGrowing_ParagraphOnlyGrows(t *testing.T) {
	const text = "Some **bold words**, *it and `code`* and [the docs](https://go.dev/) are here. ~~Gone~~ is gone."
	last := ""
	for i := range text {
		got := markdown.RenderGrowing(text[:i]).Text
		if !strings.HasPrefix(got, last) {
			t.Errorf("%q shows %q after %q", text[:i], got, last)
		}
		last = got
	}
}

func TestRenderGrowing_PartialTable_IsShownAsTable(t *testing.T) {
	const table = "| Name | Age |\n|------|----:|\n| Ann | 30 |\n| Bob | 4 |\n"
	for i := 3; i < len(table); i++ {
		got := markdown.RenderGrowing(table[:i])
		if len(got.Entities) != 1 || got.Entities[0].Type != "pre" || strings.Contains(got.Text, ":") {
			t.Errorf("%q shows %+v", table[:i], got)
		}
	}
}

func TestRenderGrowing_PartialFence_IsShownAsCode(t *testing.T) {
	const fence = "```go\nx := `a`\n```\n"
	for i := range fence {
		got := markdown.RenderGrowing(fence[:i])
		if strings.Contains(got.Text, "``") || got.Text != "" && (len(got.Entities) != 1 || got.Entities[0].Language != "go") {
			t.Errorf("%q shows %+v", fence[:i], got)
		}
	}
}
