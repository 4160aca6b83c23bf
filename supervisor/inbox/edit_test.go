package inbox_test

import (
	"strings"
	"testing"

	"mews/supervisor/inbox"
)

func TestSplitNotes_AddedNotes_AreSeparated(t *testing.T) {
	unread, instead := inbox.UnreadableFilesNote([]string{"b.mp4", "a.mp4", "b.mp4"}), inbox.ReplacementNote("what was")
	if unread != "\n[Before this came a.mp4, b.mp4, which could not be looked at.]" {
		t.Errorf("got %q", unread)
	}
	for _, note := range []string{"", unread, instead, unread + instead} {
		if own, notes := inbox.SplitNotes("my words" + note); own != "my words" || notes != note {
			t.Errorf("got %q and %q, want the note %q", own, notes, note)
		}
	}
}

func TestCorrectionText_LongOrEmptyText_IsReadable(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, c := range [][3]string{
		{"tea", "coffee", "Correction of my message “tea”: now it reads: “coffee”"},
		{"", " ", "Correction of my message “(no words)”: now it reads: “(no words)”"},
		{long, long, "Correction of my message “" + long[:199] + "…”: now it reads: “" + long + "”"},
		{"tea" + inbox.ReplacementNote("x"), "coffee" + inbox.ReplacementNote("x"),
			"Correction of my message “tea”: now it reads: “coffee”"},
	} {
		if got := inbox.CorrectionText(c[0], c[1]); got != c[2] {
			t.Errorf("got %q, want %q", got, c[2])
		}
	}
}

func TestNewAnswerOffer_Press_NamesItsInbound(t *testing.T) {
	_, buttons := inbox.OfferNewAnswer(7)
	for press, want := range map[string]int64{buttons[0][0].Press: 7, "e:-1": 0, "e:x": 0, "u:7": 0} {
		if got, ok := inbox.ParseNewAnswerPress(press); ok != (want > 0) || ok && got != want {
			t.Errorf("%q: %d, %t", press, got, ok)
		}
	}
}
