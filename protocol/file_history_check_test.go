package protocol

import (
	"math"
	"strings"
	"testing"
)

func TestPlainReason_HostileTexts_MeanNothing(t *testing.T) {
	for text, want := range map[string]string{
		"it has more than 64 MiB":                            "it has more than 64 MiB",
		"its folder can be made again, such as node_modules": "its folder can be made again, such as node_modules",
		"can't be opened: open a/b: permission denied":       "can't be opened: open a b: permission denied",
		"[click](https://evil.example/x)":                    "click (https evil example x)",
		"\x1b[2J\x1b]52;c;eA==\x07":                          "2J 52;c;eA",
		"one\nbob: 2 GiB":                                    "one bob: 2 GiB",
		"write /forget @all #x <b>&lt;":                      "write forget all x b lt;",
		"**bold** `code` ~~x~~ $y$ \\(z\\)":                  "bold code x y (z )",
		"bad \xff\u202eutf":                                  "bad utf",
		"ends. Here: so.":                                    "ends. Here: so.",
		strings.Repeat("é", MaxUndoReasonBytes):              strings.Repeat("é", MaxUndoReasonBytes/2),
		"":                                                   "",
	} {
		got := PlainReason(text)
		if got != want || PlainReason(got) != got {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestHistorySpace_ImpossibleValues_AreRefused(t *testing.T) {
	space := FileHistoryParameters{Action: FileHistorySpace}
	for name, c := range map[string]struct {
		space HistorySpace
		ok    bool
	}{
		"right": {HistorySpace{Bytes: 1, Room: 2, Files: 3, Left: PathCount{Count: 1, Named: []string{"a"}},
			Why: []NotKept{{"it could not be read", 1}}}, true},
		"off":              {HistorySpace{Off: "no file history is kept here"}, true},
		"negative bytes":   {HistorySpace{Bytes: -1}, false},
		"negative room":    {HistorySpace{Room: -1}, false},
		"negative files":   {HistorySpace{Files: -1}, false},
		"too many files":   {HistorySpace{Files: math.MaxInt64}, false},
		"too many left":    {HistorySpace{Left: PathCount{Count: math.MaxInt64}}, false},
		"a bad path":       {HistorySpace{Left: PathCount{Count: 1, Named: []string{"../a"}}}, false},
		"many reasons":     {HistorySpace{Why: make([]NotKept, 100)}, false},
		"no reason":        {HistorySpace{Why: []NotKept{{"", 1}}}, false},
		"negative reason":  {HistorySpace{Why: []NotKept{{"x", -1}}}, false},
		"a reason's count": {HistorySpace{Why: []NotKept{{"x", math.MaxInt64}}}, false},
		"a link":           {HistorySpace{Why: []NotKept{{"[x](https://example.org)", 1}}}, false},
		"an escape":        {HistorySpace{Off: "\x1b[2J"}, false},
		"a new line":       {HistorySpace{Off: "one\nbob: fine"}, false},
		"a long text":      {HistorySpace{Off: strings.Repeat("x", 1<<20)}, false},
	} {
		if err := (FileHistoryResult{Space: &c.space}).Validate(space); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A result has only the fields of its action, and only paths that were asked for.
func TestFileHistoryResult_OtherAction_IsRefused(t *testing.T) {
	version := func(point int64, path string) FileVersion {
		return FileVersion{Point: point, Path: path, By: HistoryAuthor{Kind: HistoryAuthorOther}}
	}
	one, blob, count := version(3, ""), &BlobRef{}, PathCount{Count: 1}
	span, many := &HistorySpan{From: 1, To: 2}, PathCount{Count: math.MaxInt64}
	type result = FileHistoryResult
	asked := func(action FileHistoryAction, paths ...string) FileHistoryParameters {
		return FileHistoryParameters{Action: action, Paths: paths}
	}
	ofFile, ofHome := FileHistoryParameters{Action: FileHistoryVersions, Path: "a"}, FileHistoryParameters{
		Action: FileHistoryVersions, Path: "."}
	earlier := ofFile
	earlier.Before = 3
	for name, c := range map[string]struct {
		p  FileHistoryParameters
		r  result
		ok bool
	}{
		"versions":         {ofFile, result{Versions: []FileVersion{one}, More: true}, true},
		"changes":          {ofHome, result{Versions: []FileVersion{version(3, "b")}}, true},
		"show":             {asked(FileHistoryShow), result{Version: &one, Blob: blob}, true},
		"diff":             {asked(FileHistoryDiff), result{Version: &one}, true},
		"preview":          {asked(FileHistoryPreview), result{Version: &one, Restored: count}, true},
		"restore":          {asked(FileHistoryRestore), result{NotKept: count, Span: span}, true},
		"forget":           {asked(FileHistoryForget), result{VersionCount: 3}, true},
		"count":            {asked(FileHistoryCount), result{VersionCount: 3}, true},
		"later versions":   {earlier, result{Versions: []FileVersion{one}}, false},
		"another file":     {ofFile, result{Versions: []FileVersion{version(3, "b")}}, false},
		"version, space":   {asked(FileHistorySpace), result{Space: &HistorySpace{}, Version: &one}, false},
		"no space":         {asked(FileHistorySpace), result{}, false},
		"blob, preview":    {asked(FileHistoryPreview), result{Blob: blob}, false},
		"span, preview":    {asked(FileHistoryPreview), result{Span: span}, false},
		"gone too often":   {asked(FileHistoryForget), result{VersionCount: math.MaxInt64}, false},
		"counts that sum":  {asked(FileHistoryRestore), result{Restored: many}, false},
		"space, no action": {asked(""), result{Space: &HistorySpace{}}, false},
	} {
		if err := c.r.Validate(c.p); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestParseVersion_Names_ComeBack(t *testing.T) {
	for nonce, name := range map[PointNonce]string{"": "12", "ab3f9e01": "12-ab3f", "7": "12-7"} {
		v := FileVersion{Point: 12, Nonce: nonce}
		point, begins, err := ParseVersion(" " + v.Name() + "\n")
		if v.Name() != name || err != nil || point != 12 || !strings.HasPrefix(string(nonce), string(begins)) {
			t.Errorf("%q: %q gives %d-%s, %v", nonce, v.Name(), point, begins, err)
		}
	}
	for _, name := range []string{"", "0", "-1", "12-xyz", "a", "12-ab3f-1", "12 ab", strings.Repeat("1", 30)} {
		if point, _, err := ParseVersion(name); err == nil {
			t.Errorf("%q is version %d", name, point)
		}
	}
}
