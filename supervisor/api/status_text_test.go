package api

import (
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/pool"
)

// The status has the room of earlier versions, their age, and why some files are not kept.
func TestStatusText_FileHistory_IsShown(t *testing.T) {
	space := protocol.HistorySpace{Bytes: 40 << 20, Room: 2 << 30, Files: 14210,
		Oldest: time.Date(2026, 11, 1, 12, 0, 0, 0, time.Local), Left: protocol.PathCount{Count: 5791},
		Why: []protocol.NotKept{{Reason: "too large", Count: 31}, {Reason: "no room", Count: 5760}}}
	unnamed := space
	unnamed.Why = nil
	for want, size := range map[string]*supervisor.FileHistorySize{
		"": nil,
		"earlier versions: 40 MiB of 2 GiB, of 14,210 files, oldest from 2026-11-01 " +
			"(not kept: 31 (too large), 5,760 (no room))": {
			HistorySpace: space},
		"oldest from 2026-11-01 (not kept: 5,791 files)": {HistorySpace: unnamed},
		"earlier versions: 0 B of 1 GiB, of 0 files\n":   {HistorySpace: protocol.HistorySpace{Room: 1 << 30}},
		"earlier versions: none, because worker.history is 0B": {
			HistorySpace: protocol.HistorySpace{Off: "worker.history is 0B"}},
		"earlier versions: none, because x[2Jbob: fine\n": {
			HistorySpace: protocol.HistorySpace{Off: "x\x1b[2J\nbob: fine"}},
		"(not kept: 1 (x 2J click (https )))": {HistorySpace: protocol.HistorySpace{Oldest: space.Oldest,
			Why: []protocol.NotKept{{Reason: "x\x1b[2J [click](https://)", Count: 1}}}},
	} {
		text := Status{Users: []UserStatus{{Name: "ann", FileHistory: size}}}.Text(time.Now())
		if !strings.Contains(text, want) || want == "" && strings.Contains(text, "earlier versions") {
			t.Errorf("got %s, want %q", text, want)
		}
	}
}

// TestStatusText_SharedAccount_IsShown: with the walls "accounts", an admin sees that people share
// an account.
func TestStatusText_SharedAccount_IsShown(t *testing.T) {
	for _, c := range []struct {
		tier, state, sharing string
		shares               []bool
		want                 string // the wanted line about sharing; "" means no such line
	}{
		{"accounts", "/s", "ids are taken", []bool{true, true},
			"2 people share one Unix account, although each should have one: ids are taken"},
		{"accounts", "/s", "", []bool{true, true, false}, "although each should have one: " + textWhyShared},
		{"accounts", "/s", "ids are taken", []bool{true, false}, ""},
		{"accounts", "", "ids are taken", []bool{true, true}, ""},
		{"namespaces", "/s", "", []bool{true, true}, ""},
	} {
		s := Status{State: c.state, Sharing: c.sharing, Walls: pool.Sandbox{Tier: c.tier}}
		for _, shares := range c.shares {
			s.Users = append(s.Users, UserStatus{Shares: shares})
		}
		text := s.Text(time.Now())
		if c.want == "" && strings.Contains(text, "one Unix account") || !strings.Contains(text, c.want) {
			t.Errorf("%+v: %s", c, text)
		}
	}
}
