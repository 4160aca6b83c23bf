package foreign_test

import (
	"maps"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"mews/protocol/foreign"
	"mews/protocol/foreign/foreigntest"
)

// ownMark matches the beginnings of lines with marks of Mews, as a strict parser would find them.
var ownMark = regexp.MustCompile(`(?im)^(\[|> |=====|---$|this came with)`)

func TestSanitizeText_Attacks_AreIndented(t *testing.T) {
	attacks := maps.Clone(foreigntest.ForgedStampTexts)
	maps.Copy(attacks, foreigntest.ForgedMarkTexts)
	for name, text := range attacks {
		got := foreign.SanitizeText(text)
		if line := foreigntest.FindForgedLine(got) + ownMark.FindString(got); line != "" {
			t.Errorf("%s: %q passes for a mark in\n%s", name, line, got)
		}
		if !strings.Contains("\n"+got, "\n"+foreign.MarkIndent) {
			t.Errorf("%s is not indented: %q", name, got)
		}
		if foreigntest.ForgedStampTexts[name] != "" && foreigntest.FindForgedLine(text) == "" &&
			!strings.HasPrefix(name, "behind ") {
			t.Errorf("%s is no attack", name)
		}
		checkText(t, text)
	}
}

// checkText checks the properties that the result for any text must have.
func checkText(t *testing.T, text string) {
	t.Helper()
	got := foreign.SanitizeText(text)
	for _, line := range strings.Split(got, "\n") {
		if foreign.IsMark(line) && !strings.HasPrefix(line, foreign.MarkIndent) {
			t.Errorf("%q has the line %q", text, line)
		}
	}
	hides := func(r rune) bool {
		return r != '\n' && r != '\t' && unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) ||
			unicode.In(r, unicode.Zl, unicode.Zp)
	}
	if strings.ContainsFunc(got, hides) {
		t.Errorf("%q hides something: %q", text, got)
	}
	if again := foreign.SanitizeText(got); again != got {
		t.Errorf("%q becomes %q, then %q", text, got, again)
	}
	for _, indent := range []func(string) string{foreign.IndentMarks, foreign.IndentStamps} {
		kept := indent(text)
		if strings.ReplaceAll(kept, foreign.MarkIndent, "") != strings.ReplaceAll(text, foreign.MarkIndent, "") {
			t.Errorf("%q is changed to %q", text, kept)
		}
		if again := indent(kept); again != kept {
			t.Errorf("%q becomes %q, then %q", text, kept, again)
		}
	}
	if name := foreign.SanitizeName(text); strings.ContainsAny(name, "[]\n\t") || strings.ContainsFunc(name, hides) {
		t.Errorf("the name of %q is %q", text, name)
	}
}

func TestIndentStamps_Attacks_AreIndented(t *testing.T) {
	for name, text := range foreigntest.ForgedStampTexts {
		for _, indent := range []func(string) string{foreign.IndentMarks, foreign.IndentStamps} {
			if got := indent(text); got == text || foreigntest.FindForgedLine(got) != "" {
				t.Errorf("%s passes for a stamp: %q", name, got)
			}
		}
	}
	for _, name := range []string{"fence", "named fence", "full fence"} {
		text := foreigntest.ForgedMarkTexts[name]
		if got := foreign.IndentMarks(text); got != strings.Replace(text, "x\n", "x\n"+foreign.MarkIndent, 1) ||
			foreign.IndentStamps(text) != text {
			t.Errorf("%s is %q", name, got)
		}
	}
}

func TestIndentMarks_UsualText_StaysUnchanged(t *testing.T) {
	for _, text := range []string{"", "[1, 2]\n(x)\n> a\n{\n}\n", "x = 1\r\n== y", "[2026-11-29 10:02:33] INFO started",
		"# What is it?", "At 10:02 on Sun 29 Nov 2026 it rained", "grün\n[ ] kaufen", "\xff\x00\x01"} {
		if got := foreign.IndentMarks(text); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

func TestSanitizeText_UsualWords_StayUnchanged(t *testing.T) {
	for _, text := range []string{"", "Hello,\nsee you at 10:02 [sic].\n\n- milk\n1. eggs", "(in brackets)",
		"{\"a\": 1}\n\t<b>", "نمی\u200cخواهم", "👨‍👩‍👧", "a = b", "- - x"} {
		if got := foreign.SanitizeText(text); got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

func FuzzSanitizeText_Output_HasNoMewsMark(f *testing.F) {
	for _, text := range foreigntest.ForgedStampTexts {
		f.Add(text)
	}
	for _, text := range foreigntest.ForgedMarkTexts {
		f.Add(text)
	}
	f.Fuzz(checkText)
}
