package sqlite_test

import (
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// Old addresses are deleted even if their user never uses the web again.
func TestWebAddresses_Prune_DropsOldOfAllUsers(t *testing.T) {
	s := newStory(t)
	rows := s.db.WebAddresses()
	put := func(domain string) {
		turn := s.startInbound(supervisor.Inbound{Text: domain})
		_, err := rows.CountWebFetch(t.Context(), turn.ID, "c1", domain)
		s.must(err)
		s.must(rows.PutWebAddresses(t.Context(), turn.ID, sqlite.WebAddressFromPage,
			[]string{strings.Repeat(domain[:1], 64)}))
		_, err = s.db.Turns().Finish(t.Context(), sqlite.TurnEnding{Turn: turn.ID, Why: "done",
			State: supervisor.InboundAnswered, Text: "Done."})
		s.must(err)
	}
	put("a.example")
	s.home = s.conversation("bob")
	s.now = noon.Add(49 * time.Hour)
	put("b.example")
	s.must(rows.Prune(t.Context()))
	s.same("fetches", sqlitetest.QueryColumn(t, s.db, `SELECT user || ' ' || domain FROM web_fetch`),
		[]string{"bob b.example"})
	s.same("addresses", sqlitetest.QueryColumn(t, s.db, `SELECT user FROM web_address`), []string{"bob"})
}
