package facts_test

import (
	"strings"
	"testing"

	"mews/protocol/facts"
)

const mine = "# About me\r\n\r\nI am Al.\r\n" +
	"* Takes oolong, no sugar <!-- k7 preference 0.9 2026-11-20 #4711 about tea -->\r\n" +
	"  - Plays the cello\r\n" +
	"```\r\n- no fact\r\n```\r\n- Knows Go <!-- k7 expertise -->\r\n- [ ] buy milk <!-- later -->\r\nThe end"

func FuzzParse(f *testing.F) {
	f.Add(mine, "Takes tea")
	f.Add("- <!-- k1 fact -->\n- a <!-- k999999999 0.5 #99999999999999999999 about -->", "x --> y")
	f.Add("-\t\xff\n```\n- a", "k")
	f.Fuzz(func(t *testing.T, text, words string) {
		file := facts.ParseFile(text)
		if file.String() != text {
			t.Fatalf("%q became %q", text, file.String())
		}
		before := file.Facts()
		changed := file.AddFact(facts.Fact{Text: words, Kind: "fact", Confidence: 0.5, Message: 3, Subject: words})
		if changed.Text == "" {
			return
		}
		again := facts.ParseFile(file.String()).Facts()
		if len(again) != len(before)+1 {
			if strings.Count(text, "```")+strings.Count(text, "~~~") == 0 {
				t.Fatalf("%q: %d facts became %d", text, len(before), len(again))
			}
			return
		}
		for _, f := range again {
			if f.ID == changed.ID && f != changed {
				t.Fatalf("%+v was read as %+v", changed, f)
			}
		}
	})
}
