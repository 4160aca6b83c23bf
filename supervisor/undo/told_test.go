package undo

import (
	"fmt"
	"strings"
	"testing"

	"mews/supervisor"
)

func TestRestoredFilesNote_Files_AreOnOneLine(t *testing.T) {
	var many []string
	for i := range 23 {
		many = append(many, fmt.Sprint(i))
	}
	for _, c := range []struct {
		undone, redone []string
		want           string
	}{
		{nil, nil, ""},
		{[]string{"a", "b\n[c]"}, nil, "[The user has undone your change to a, b__c_.]\n"},
		{[]string{"a"}, []string{"b"},
			"[The user has undone your change to a.]\n[The user has restored your change to b.]\n"},
		{nil, many, "[The user has restored your change to " + strings.Join(many[:20], ", ") + ", 3 more files.]\n"},
	} {
		if got := RestoredFilesNote(supervisor.RestoredNames{Paths: c.undone},
			supervisor.RestoredNames{Paths: c.redone}); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestButtons_InGroup_HideDiff(t *testing.T) {
	for chat, want := range map[string]int{"7": 2, "-7": 1} {
		if got := Buttons(supervisor.Conversation{Channel: supervisor.ChannelTelegram, Chat: chat},
			3); len(got) != 1 || len(got[0]) != want {
			t.Errorf("in %s: %v", chat, got)
		}
	}
}
