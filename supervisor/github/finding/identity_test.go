package finding

import (
	"testing"

	"mews/protocol"
)

// A finding is the same if it is about the same lines and its title has the same words.
func TestIdentity_SameCodeAndWords_IsSame(t *testing.T) {
	change := Checker{Files: parsed(t, sample)}
	placed := func(line int, quote, title, category string) Finding {
		checked := change.Check([]protocol.ReviewFinding{warning(line, quote,
			func(f *protocol.ReviewFinding) { f.Title, f.Category = title, category })})
		if len(checked.Inline) != 1 {
			t.Fatalf("%q: %+v", title, checked)
		}
		return checked.Inline[0]
	}
	known := placed(4, "m[k] = 1", "Write to a nil map panics", "bug").Identity()
	for name, c := range map[string]struct {
		line         int
		quote, title string
		category     string
		same         bool
	}{
		"the same":                      {4, "m[k] = 1", "Write to a nil map panics", "bug", true},
		"another category":              {4, "m[k] = 1", "Write to a nil map panics", "error", true},
		"a third category":              {4, "m[k] = 1", "Write to a nil map panics", "Security: data loss!", true},
		"upper case and marks":          {4, "m[k] = 1", "`WRITE` to a *nil* map: panics!", "bug", true},
		"another order":                 {4, "m[k] = 1", "Panics on writing to the nil map", "bug", true},
		"one more word":                 {4, "m[k] = 1", "Write to a nil map panics immediately", "bug", true},
		"another word for one":          {4, "m[k] = 1", "Write to a nil map crashes", "bug", true},
		"another fault of the line":     {4, "m[k] = 1", "Key is not validated", "bug", false},
		"a fault that shares two words": {4, "m[k] = 1", "Map write races with the reader", "bug", false},
		"other lines":                   {5, "println(k)", "Write to a nil map panics", "bug", false},
		"a title in another script":     {4, "m[k] = 1", "Запись в nil map", "bug", false},
		"a title without words":         {4, "m[k] = 1", "!", "bug", false},
	} {
		f := placed(c.line, c.quote, c.title, c.category)
		if known.Matches(f) != c.same {
			t.Errorf("%s: %q is the known finding: %v", name, c.title, !c.same)
		}
	}
}

// Two faults in one line are both posted, and neither is posted twice.
func TestCheck_TwoFaultsInOneLine_AreBothPosted(t *testing.T) {
	titled := func(title, category string) protocol.ReviewFinding {
		return warning(4, "m[k] = 1", func(f *protocol.ReviewFinding) { f.Title, f.Category = title, category })
	}
	checked := Checker{Files: parsed(t, sample)}.Check([]protocol.ReviewFinding{titled("Nil map", "bug"),
		titled("Key is not validated", "bug"), titled("The nil map", "error"), titled("Keys are not validated",
			"security")})
	if len(checked.Inline) != 2 || checked.Left[OmittedRepeated] != 2 {
		t.Errorf("%d comments, left out %v", len(checked.Inline), checked.Left)
	}
}

// A mute that an older version of Mews stored names the category, and still holds.
func TestKnownFinding_OlderMute_StillHolds(t *testing.T) {
	change := Checker{Files: parsed(t, sample)}
	f := change.Check([]protocol.ReviewFinding{warning(4, "m[k] = 1")}).Inline[0]
	change.Known = []KnownFinding{{Fingerprint: olderFingerprint(f)}}
	if checked := change.Check([]protocol.ReviewFinding{f.ReviewFinding}); len(checked.Inline) != 0 ||
		len(checked.Known) != 1 {
		t.Errorf("muted before, and found as %+v", checked)
	}
}
