package filehistory

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/feature"
)

const sha = protocol.FileState("1111111111111111111111111111111111111111111111111111111111111111")

var at = time.Date(2026, 11, 29, 9, 0, 0, 0, time.UTC)

func version(point int64, state protocol.FileState, kind protocol.HistoryAuthorKind,
	words string) protocol.FileVersion {
	return protocol.FileVersion{Point: point, Nonce: "7e57", At: at, State: state, Size: 3,
		By: protocol.HistoryAuthor{Kind: kind, Words: words}}
}

// The list has a line for each version, and the buttons that fit its state.
func TestHistoryFiles_File_ListsVersions(t *testing.T) {
	r := newRig(t)
	large := version(3, protocol.LargeFileState(5, at), protocol.HistoryAuthorOther, "")
	large.NotKept = "it has more than 64 MiB"
	sent := version(2, sha, protocol.HistoryAuthorUser, "received files")
	either := version(1, sha, protocol.HistoryAuthorProgram, "make")
	either.Shared = true
	r.worker.results[protocol.FileHistoryVersions] = protocol.FileHistoryResult{More: true,
		Versions: []protocol.FileVersion{
			version(9, protocol.FileStateAbsent, protocol.HistoryAuthorProgram, "rm `notes.md`"),
			version(7, sha, protocol.HistoryAuthorTool, "edit_file"), version(5, protocol.FileStateFolder,
				protocol.HistoryAuthorUndo, "undo 3"),
			version(4, sha, protocol.HistoryAuthorProgram, ""), large, sent, either}}
	d := r.ask("`my notes.md`")
	when := at.Format(timeLayout)
	want := fmt.Sprintf(textVersions, "`my notes.md`") +
		fmt.Sprintf(textVersionLine, 1, when, "program `rm notes.md`", textDeleted) +
		fmt.Sprintf(textVersionLine, 2, when, "assistant (`edit_file`)", "3 bytes") +
		fmt.Sprintf(textVersionLine, 3, when, "an undo", textFolder) +
		fmt.Sprintf(textVersionLine, 4, when, "program", "3 bytes") +
		fmt.Sprintf(textVersionLine, 5, when, "changed before "+at.Format("15:04"),
			fmt.Sprintf(textNotKept, "3 bytes", "it has more than 64 MiB")) +
		fmt.Sprintf(textVersionLine, 6, when, "you (`received files`)", "3 bytes") +
		fmt.Sprintf(textVersionLine, 7, when, "program `make` or another program", "3 bytes")
	if d.Text != want {
		t.Errorf("said %q, want %q", d.Text, want)
	}
	buttons := []string{"Look at 2", "Compare 2", "Put back 2", "Put back 3", "Look at 4", "Compare 4", "Put back 4",
		"Look at 6", "Compare 6", "Put back 6", "Look at 7", "Compare 7", "Put back 7", textOlder}
	if got := texts(d); !slices.Equal(got, buttons) {
		t.Errorf("buttons %q, want %q", got, buttons)
	}
	r.press(d, textOlder)
	if got := r.worker.last(); got.Path != "my notes.md" || got.Before != 1 {
		t.Errorf("older: asked for %+v", got)
	}
}

func TestHistoryFiles_NoPath_ListsLastChanges(t *testing.T) {
	r := newRig(t)
	if d := r.ask(""); d.Text != textNoChanges || r.worker.last().Path != "." {
		t.Errorf("empty: %q", d.Text)
	}
	named := func(point int64, path string) protocol.FileVersion {
		v := version(point, sha, protocol.HistoryAuthorProgram, "make")
		v.Path = path
		return v
	}
	list := []protocol.FileVersion{named(99, "a_b.o"), named(98, "1"), named(98, "2"), named(97, "1"), named(97, "2"),
		named(97, "3"), named(97, "4")}
	for i := range int64(20) {
		list = append(list, named(96-i, "x"))
	}
	r.worker.results[protocol.FileHistoryVersions] = protocol.FileHistoryResult{Versions: list}
	d := r.ask("")
	line := func(names string) string {
		return fmt.Sprintf(textChangeLine, at.Format(timeLayout), "program `make`", names)
	}
	want := textHomeVersions + line(fmt.Sprintf(textOneChange, "`a_b.o`", "3 bytes")) + line("`1`, `2`") +
		line("`1`, `2`, `3`"+textAndMoreChanges)
	if !strings.HasPrefix(d.Text, want) || !strings.HasSuffix(d.Text, textHomeHint) ||
		strings.Count(d.Text, "\n- ") != maxChanges || !slices.Equal(texts(d), []string{textOlder}) {
		t.Errorf("said %q with %q", d.Text, texts(d))
	}
	r.press(d, textOlder)
	if got := r.worker.last(); got.Before != 99-maxChanges+1 {
		t.Errorf("older: asked for %+v", got)
	}
	if d := r.ask("gone.md"); d.Text == textNoChanges {
		t.Errorf("a file: %q", d.Text)
	}
}

func TestLook_Versions_AreShown(t *testing.T) {
	r := newRig(t)
	v := version(7, sha, protocol.HistoryAuthorTool, "")
	r.worker.results[protocol.FileHistoryVersions] = protocol.FileHistoryResult{Versions: []protocol.FileVersion{v}}
	list, when := r.ask("sub/notes.md"), at.Format(timeLayout)
	for content, want := range map[string]string{
		"tea ```\n":                      fmt.Sprintf(textVersion, "`sub/notes.md`", when),
		"":                               fmt.Sprintf(textEmptyVersion, "`sub/notes.md`", when),
		"\xff\xfe":                       fmt.Sprintf(textLongVersion, "`sub/notes.md`", when),
		strings.Repeat("x", maxShown+1):  fmt.Sprintf(textLongVersion, "`sub/notes.md`", when),
		strings.Repeat("é", 3*maxShown):  fmt.Sprintf(textLongVersion, "`sub/notes.md`", when),
		strings.Repeat("x", 20*maxShown): fmt.Sprintf(textLongVersion, "`sub/notes.md`", when),
	} {
		blob := r.store(content)
		r.worker.results[protocol.FileHistoryShow] = protocol.FileHistoryResult{Version: &v, Blob: blob}
		d := r.press(list, "Look at 1")
		isFile := strings.HasPrefix(want, fmt.Sprintf(textLongVersion, "`sub/notes.md`", when))
		if !strings.HasPrefix(d.Text, want) || isFile != (len(d.Files) == 1) || isFile &&
			(d.Files[0].Name != "notes.md" ||
				d.Files[0].SHA256 != blob.SHA256 || d.Files[0].Size != int64(len(content))) {
			t.Errorf("%.20q: %.80q with %+v", content, d.Text, d.Files)
		}
		if got := r.worker.last(); got.Path != "sub/notes.md" || got.Point != 7 || got.Nonce != "7e57" ||
			got.Action != protocol.FileHistoryShow {
			t.Errorf("asked for %+v", got)
		}
	}
	if d := r.press(list, "Compare 1"); d.Text != fmt.Sprintf(textSame, "`sub/notes.md`") {
		t.Errorf("no difference: %q", d.Text)
	}
	r.worker.results[protocol.FileHistoryDiff] = protocol.FileHistoryResult{Version: &v, Blob: r.store("-a\n+b\n")}
	if d := r.press(list, "Compare 1"); !strings.HasPrefix(d.Text, "diff of ") {
		t.Errorf("a difference: %q", d.Text)
	}
}

// A button about a version names the history that has it, also below the preview. So the worker can
// refuse a version of another history with the same number.
func TestPutBack_VersionOfList_NamesNonce(t *testing.T) {
	r := newRig(t)
	r.worker.results[protocol.FileHistoryVersions] = protocol.FileHistoryResult{
		Versions: []protocol.FileVersion{version(7, sha, protocol.HistoryAuthorTool, "")}}
	r.worker.results[protocol.FileHistoryPreview] = protocol.FileHistoryResult{
		Restored: protocol.PathCount{Count: 1, Named: []string{"notes.md"}}}
	preview := r.press(r.ask("notes.md"), fmt.Sprintf(textPutBackNumber, 1))
	for _, button := range []string{textPutBack, textAsCopy} {
		r.press(preview, button)
		if got := r.worker.last(); got.Action != protocol.FileHistoryRestore || got.Point != 7 || got.Nonce != "7e57" {
			t.Errorf("%s: asked for %+v", button, got)
		}
	}
}

// A restore shows first what it would change. It is an effect, and it can be taken back.
func TestHistoryFiles_Moment_PreviewsThenRestores(t *testing.T) {
	r := newRig(t)
	r.worker.results[protocol.FileHistoryPreview] = protocol.FileHistoryResult{
		Restored: protocol.PathCount{Count: 4814, Named: []string{"a.md", "b.md"}},
		Deleted:  protocol.PathCount{Count: 1, Named: []string{"new.md"}}, NotKept: protocol.PathCount{Count: 1,
			Named: []string{"big.iso"}}}
	d, when := r.ask(`--at "yesterday 9:00"`), at.Format(timeLayout)
	want := fmt.Sprintf(textPreview, textWholeHome, when) + strings.Join([]string{
		fmt.Sprintf(textWouldRestore, "`a.md`, `b.md` and 4,812 more files"), fmt.Sprintf(textWouldDelete, "`new.md`"),
		fmt.Sprintf(textWouldNotKeep, "`big.iso`"), fmt.Sprintf(textCopyHint, "`home-2026-11-29-0900`")}, "\n")
	if buttons := []string{textPutBack, textAsCopy, textLeave}; d.Text != want || !slices.Equal(texts(d), buttons) {
		t.Fatalf("said %q with %q, want %q with %q", d.Text, texts(d), want, buttons)
	}
	if got := r.worker.last(); got.Path != "." || !got.At.Equal(at.Add(time.Minute-1)) || got.Point != 0 ||
		len(r.ledger()) != 0 {
		t.Errorf("asked for %+v", got)
	}

	r.worker.results[protocol.FileHistoryRestore] = protocol.FileHistoryResult{Restored: protocol.PathCount{Count: 2,
		Named: []string{"a.md", "b.md"}},
		Deleted: protocol.PathCount{Count: 1, Named: []string{"new.md"}},
		Span:    &protocol.HistorySpan{From: 20, To: 21, Nonce: "9f3a"}}
	done := r.press(d, textPutBack)
	want = fmt.Sprintf(textRestored, when, "`a.md`, `b.md`") + "\n" + fmt.Sprintf(textDeletedNow, "`new.md`")
	if done.Text != want || !slices.Equal(texts(done), []string{textTakeBack}) || r.worker.inbound != 7+r.pressed {
		t.Errorf("said %q with %q, want %q", done.Text, texts(done), want)
	}
	if got := r.worker.last(); got.Action != protocol.FileHistoryRestore || !got.At.Equal(at.Add(time.Minute-1)) ||
		got.Copy != "" {
		t.Errorf("asked for %+v", got)
	}
	r.worker.undone = protocol.UndoneSpan{Restored: protocol.PathCount{Count: 2, Named: []string{"a.md"}},
		Changed: protocol.PathCount{Count: 1, Named: []string{"b.md"}}, Span: &protocol.HistorySpan{From: 21, To: 22}}
	back := r.press(done, textTakeBack)
	want = fmt.Sprintf(textTakenBack, "`a.md` and 1 more file") + "\n" + fmt.Sprintf(textChangedSince, "`b.md`")
	if back.Text != want || !slices.Equal(texts(back), []string{textTakeBack, textPutBackAnyway, textLeave}) ||
		r.worker.spans[0] != (protocol.HistorySpan{From: 20, To: 21, Nonce: "9f3a"}) {
		t.Errorf("taken back: %q with %q, want %q", back.Text, texts(back), want)
	}
	if got, want := r.ledger(), []string{"restore.undone 2 files ", "files.restored your home 3 files, as of " +
		when}; !slices.Equal(got, want) {
		t.Errorf("the ledger has %q, want %q", got, want)
	}
	r.worker.undone = protocol.UndoneSpan{Restored: protocol.PathCount{Count: 1, Named: []string{"b.md"}}}
	forced := r.press(back, textPutBackAnyway)
	if forced.Text != fmt.Sprintf(textTakenBack, "`b.md`") || !r.worker.forced ||
		r.worker.spans[1] != r.worker.spans[0] {
		t.Errorf("put back anyway: %q of %+v", forced.Text, r.worker.spans)
	}
	if d := r.press(d, textLeave); d.Text != textLeftAlone {
		t.Errorf("left: %q", d.Text)
	}
}

func TestRestore_Copies_AreNamed(t *testing.T) {
	r := newRig(t)
	r.worker.results[protocol.FileHistoryRestore] = protocol.FileHistoryResult{Restored: protocol.PathCount{Count: 1,
		Named: []string{"x"}},
		Span: &protocol.HistorySpan{From: 20, To: 21, Nonce: "9f3a"}}
	for asked, want := range map[string]string{
		"notes/plan.md": "notes/plan-2026-11-29-0900.md", "notes": "notes-2026-11-29-0900",
		".bashrc":  ".bashrc-2026-11-29-0900",
		"a.tar.gz": "a.tar-2026-11-29-0900.gz", "": "home-2026-11-29-0900",
	} {
		d := r.press(r.ask("--at \"2026-11-29 9:00\" "+asked), textAsCopy)
		if got := r.worker.last(); got.Copy != want || !strings.HasPrefix(d.Text, fmt.Sprintf(textCopied,
			"`"+want+"`")) {
			t.Errorf("%q: %q, %q, want %q", asked, got.Copy, d.Text, want)
		}
	}
	if got := (request{path: "a.md"}).copyPath(7); got != "a-version-7.md" {
		t.Error(got)
	}
}

// A failed restore may have made folders, and a repeated one may find the copy complete.
func TestRestore_FailedCopy_ClaimsNone(t *testing.T) {
	file, span := protocol.PathCount{Count: 1, Named: []string{"x"}}, &protocol.HistorySpan{From: 20, To: 21,
		Nonce: "9f3a"}
	for name, c := range map[string]struct {
		result protocol.FileHistoryResult
		copied bool
	}{
		"nothing":      {protocol.FileHistoryResult{Failed: file}, false},
		"folders only": {protocol.FileHistoryResult{Failed: file, Span: span}, false},
		"some":         {protocol.FileHistoryResult{Failed: file, Restored: file, Span: span}, true},
		"repeated":     {protocol.FileHistoryResult{Span: span}, true},
	} {
		r := newRig(t)
		r.worker.results[protocol.FileHistoryRestore] = c.result
		d := r.press(r.ask("--at 2h notes"), textAsCopy)
		claim := strings.HasPrefix(d.Text, fmt.Sprintf(textCopied, "`notes-2026-11-30-1000`"))
		ledger := strings.Join(r.ledger(), "\n")
		if claim != c.copied || strings.Contains(ledger, "a copy of") != c.copied ||
			(len(d.Buttons) > 0) != (c.result.Span != nil) {
			t.Errorf("%s: said %q with %q, the ledger has %q", name, d.Text, texts(d), ledger)
		}
	}
}

// A restore, and its taking back, that run again after a crash have one line each in the ledger.
func TestRestore_RunsAgain_IsRecordedOnce(t *testing.T) {
	r := newRig(t)
	span := protocol.HistorySpan{From: 8, To: 9, Nonce: "7e57"}
	v := version(7, sha, protocol.HistoryAuthorTool, "")
	r.worker.results[protocol.FileHistoryVersions] = protocol.FileHistoryResult{Versions: []protocol.FileVersion{v}}
	r.worker.results[protocol.FileHistoryPreview] = protocol.FileHistoryResult{Version: &v,
		Restored: protocol.PathCount{Count: 1}}
	r.worker.results[protocol.FileHistoryRestore] = protocol.FileHistoryResult{Version: &v, Span: &span,
		Restored: protocol.PathCount{Count: 1}}
	r.worker.undone = protocol.UndoneSpan{Restored: protocol.PathCount{Count: 1}, Span: &span}
	d := r.press(r.ask("a.md"), fmt.Sprintf(textPutBackNumber, 1))
	for i, press := range []string{textPutBack, textTakeBack} {
		d = r.press(d, press)
		if again := r.pressAgain(); again.Text != d.Text {
			t.Errorf("%s: again %q, want %q", press, again.Text, d.Text)
		}
		if got := r.ledger(); len(got) != i+1 {
			t.Errorf("%s: the ledger has %q", press, got)
		}
	}
}

func TestTakeBack_EndedEarly_SaysWhy(t *testing.T) {
	r := newRig(t)
	r.worker.undone = protocol.UndoneSpan{Restored: protocol.PathCount{Count: 1, Named: []string{"a"}},
		Span: &protocol.HistorySpan{From: 21, To: 22, Nonce: "9f3a"}}
	r.worker.why = "no *room*"
	d := r.pressRaw(takeBackButton(&protocol.HistorySpan{From: 20, To: 21, Nonce: "9f3a"})[0][0].Press)
	want := fmt.Sprintf(textTakenBack, "`a`") + "\n" + fmt.Sprintf(textEndedEarly, "`no *room*`")
	if d.Text != want {
		t.Errorf("said %q, want %q", d.Text, want)
	}
}

// Without a difference there is nothing to put back.
func TestHistoryFiles_NothingDiffers_OffersCopy(t *testing.T) {
	r := newRig(t)
	d := r.ask("--at 2h notes")
	if !strings.Contains(d.Text, textNothingDiffers) || !slices.Equal(texts(d), []string{textAsCopy, textLeave}) {
		t.Errorf("said %q with %q", d.Text, texts(d))
	}
	r.worker.results[protocol.FileHistoryVersions] = protocol.FileHistoryResult{
		Versions: []protocol.FileVersion{version(7, sha, protocol.HistoryAuthorOther, "")}}
	preview := r.press(r.ask("notes.md"), "Put back 1")
	if got := r.worker.last(); got.Action != protocol.FileHistoryPreview || got.Point != 7 || !got.At.IsZero() {
		t.Errorf("asked for %+v", got)
	}
	if d := r.press(preview, textAsCopy); d.Text != textNothingPutBack || len(d.Buttons) != 0 || len(r.ledger()) != 0 {
		t.Errorf("nothing restored: %q", d.Text)
	}
}

// No press reaches a home through another command, another user's command or a group.
func TestPress_Forged_DoesNothing(t *testing.T) {
	r := newRig(t)
	r.sent[7], r.sent[8], r.sent[9] = "/history files notes.md", "/history 7d notes", "/forget files"
	for _, press := range []string{"fh:look 8 1", "fh:look 9 1", "fh:look 99 1", "fh:look 7", "fh:look 7 -1",
		"fh:look -7 1", "fh:x 7 1",
		"fh:", "fh:look x 1", "fh:put 8 0"} {
		if d := r.pressRaw(press); d.Text != feature.DeadButtonText || len(r.worker.asked) != 0 {
			t.Errorf("%s: %q, asked for %+v", press, d.Text, r.worker.asked)
		}
	}
	for _, press := range []string{"fh:undo 0 0", "fh:undo 5 4", "fh:undo 5 5"} {
		if d := r.pressRaw(press); d.Text != feature.DeadButtonText || len(r.worker.spans) != 0 {
			t.Errorf("%s: %q", press, d.Text)
		}
	}
	group := *r
	group.chat.Chat = "-42"
	for _, press := range []string{"fh:look 7 1", "fh:put 7 1", "fh:undo 1 2", "fh:older 7 3"} {
		if d := group.pressRaw(press); d.Text != textInGroup || len(r.worker.asked)+len(r.worker.spans) != 0 {
			t.Errorf("%s in a group: %q", press, d.Text)
		}
	}
	other := *r
	other.chat.User = "bob"
	if d := other.pressRaw("fh:look 7 1"); d.Text != feature.DeadButtonText || len(r.worker.asked) != 0 {
		t.Errorf("of another user: %q", d.Text)
	}
	if command := r.Subcommand(); !command.Private("") || !command.Private("--at 2h") {
		t.Error("the answer is not private")
	}
}

func TestHistoryFiles_Faults_AreExplained(t *testing.T) {
	r := newRig(t)
	for arguments, want := range map[string]string{"../x": textBadPath, "/etc/passwd": textBadPath,
		"--at 2h a --at": "", "a --at 2h b": textUsage} {
		if d := r.ask(arguments); want != "" && d.Text != want {
			t.Errorf("%q: %q, want %q", arguments, d.Text, want)
		}
	}
	r.worker.fails = "nothing that old is kept"
	if d := r.ask("--at 2h"); d.Text != fmt.Sprintf(textFailed, r.worker.fails) {
		t.Errorf("failed: %q", d.Text)
	}
	r.worker.asked, r.off = nil, "worker.history is 0B"
	if d := r.ask(""); d.Text != fmt.Sprintf(textOff, r.off) || len(r.worker.asked) != 0 {
		t.Errorf("off: %q", d.Text)
	}
	if _, err := r.run(t.Context(), "ann", 0,
		protocol.FileHistoryParameters{}); supervisor.ErrorCodeOf(err) != supervisor.CodeUnavailable {
		t.Errorf("off: %v", err)
	}
	r.off = ""
	if _, err := r.run(t.Context(), "ann", 0, protocol.FileHistoryParameters{Action: "x"}); !errors.As(err,
		new(*supervisor.Error)) {
		t.Errorf("a wrong action: %v", err)
	}
}
