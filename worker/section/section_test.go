package section

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"mews/protocol"
)

func TestSections_Markdown_SplitsAtHeadings(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"headings": {"before\n# Garden\nall\n## Tomatoes\nred\n\n## Beans ##\ngreen\n# House\nroof\n",
			"1 |before; 2 Garden|all; 4 Garden > Tomatoes|red; 7 Garden > Beans|green; 9 House|roof"},
		"front matter": {"---\ntitle: \"My garden\"\ntags: [green, food]\nother: x\n---\nhello\n# Beds\ntwo\n## North\ncold\n",
			"6 My garden > (green, food)|hello; 7 My garden > Beds > (green, food)|two; 9 My garden > Beds > North|cold"},
		"tags in lines":          {"---\ntitle: T\ntags:\n  - a\n  - b\n---\n# T\nx\n", "7 T > (a, b)|x"},
		"a heading in code":      {"# A\n```sh\n# no heading\n```\nend\n", "1 A|```sh\n# no heading\n```\nend"},
		"heading without text":   {"# A\n\n# B\n## C\nx\n", "1 A|; 4 B > C|x"},
		"underlined":             {"Title\n=====\none\n\nPart\n---\ntwo\n\n- a\n---\n", "1 Title|one; 5 Title > Part|two\n\n- a\n---"},
		"a level left out":       {"### Deep\nx\n# Top\ny\n", "1 Deep|x; 3 Top|y"},
		"Windows' ends of lines": {"# A\r\nx  \r\ny\r\n", "1 A|x\ny"},
		"no heading":             {"#hashtag\n", "1 |#hashtag"},
		"nothing":                {"\n \n", ""},
		"an open front matter":   {"---\ntitle: x\n", "1 |---\ntitle: x"},
	} {
		var got []string
		for _, s := range Split("a.md", c.text) {
			got = append(got, fmt.Sprintf("%d %s|%s", s.Line, s.Heading, s.Text))
			if name == "headings" {
				want := strings.Split(normalized(c.text), "\n")[s.Line-1]
				if s.Line > 1 && !strings.HasPrefix(want, "#") {
					t.Errorf("line %d is %q", s.Line, want)
				}
			}
		}
		if all := strings.Join(got, "; "); all != c.want {
			t.Errorf("%s: got  %q\nwant %q", name, all, c.want)
		}
	}
}

func TestSections_LongText_SplitsIntoBlocks(t *testing.T) {
	var text strings.Builder
	for i := range 400 {
		fmt.Fprintf(&text, "line %d of a long text\n", i+1)
	}
	list := Split("a.txt", text.String())
	if len(list) < 4 {
		t.Errorf("%d blocks", len(list))
	}
	for _, s := range list {
		if want := fmt.Sprintf("line %d of", s.Line); !strings.HasPrefix(s.Text, want) || len(s.Text) > 2000 {
			t.Errorf("line %d begins a block of %d bytes with %.20q", s.Line, len(s.Text), s.Text)
		}
	}
}

// TestSections_AnyFile_FitIndex: the sections of any file of 1 MiB stay within the index's bounds.
func TestSections_AnyFile_FitIndex(t *testing.T) {
	for name, text := range map[string]string{
		"headings":        strings.Repeat("#\n", 1<<19),
		"full headings":   strings.Repeat("# a\nb\n", 1<<17),
		"one line":        strings.Repeat("x", 1<<20),
		"wide":            strings.Repeat("\U0001F600", 1<<18),
		"lines":           strings.Repeat("\n", 1<<20),
		"short lines":     strings.Repeat("y\n", 1<<19),
		"spaces":          strings.Repeat(" ", 1<<20),
		"a long heading":  "# " + strings.Repeat("é", 1<<18) + "\nx",
		"an open fence":   "```\n" + strings.Repeat("# a\n", 1<<18),
		"latin, decoded":  strings.Repeat("é", 1<<20),
		"a long title":    "---\ntitle: " + strings.Repeat("t", 10<<10) + "\n---\n" + strings.Repeat("# a\nb\n", 100),
		"nested headings": strings.Repeat("# a\n## b\n### c\n#### d\n##### e\n###### f\n", 1<<14),
	} {
		for _, file := range []string{"a.md", "a.txt"} {
			list := Split(file, text)
			if len(list) > protocol.MaxIndexSections {
				t.Errorf("%s: %s has %d sections", name, file, len(list))
			}
			for _, s := range list {
				if err := (protocol.IndexBlob{Sections: []protocol.SectionText{s.SectionText}}).Validate(); err != nil || !utf8.ValidString(s.Heading+s.Text) || s.Line < 1 {
					t.Fatalf("%s: %s: line %d: %v", name, file, s.Line, err)
				}
			}
		}
	}
}

// FuzzSplit: the sections of any text are in order, and within the index's bounds.
func FuzzSplit(f *testing.F) {
	f.Add("a.md", "---\ntitle: T\ntags: [a]\n---\n# A\r\n```\n# b\n~~~\nTitle\n===\n\n## C ##\n")
	f.Add("a.txt", "one\n\n\ntwo \x00 \xff\u2028three")
	f.Fuzz(func(t *testing.T, name, text string) {
		last, lines := 1, strings.Count(text, "\n")+1
		list := Split(name, text)
		if len(list) > protocol.MaxIndexSections && len(text) <= 1<<20 {
			t.Errorf("%d sections", len(list))
		}
		for _, s := range list {
			if s.Line < last || s.Line > lines {
				t.Errorf("line %d of %d comes after line %d", s.Line, lines, last)
			}
			last = s.Line
			err := (protocol.IndexBlob{Sections: []protocol.SectionText{s.SectionText}}).Validate()
			if utf8.ValidString(text) && err != nil {
				t.Errorf("line %d: %v", s.Line, err)
			}
		}
	})
}
