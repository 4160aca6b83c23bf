package users

import (
	"path/filepath"
	"testing"

	"mews/supervisor"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

func TestGroupTitles_NewTitle_ReplacesOld(t *testing.T) {
	db := sqlitetest.OpenPath(t, filepath.Join(t.TempDir(), "mews.db"), sqlite.Options{})
	g := GroupTitles{Store: db.Settings()}
	group := supervisor.Conversation{Channel: supervisor.ChannelTelegram, Chat: "-100"}
	for _, c := range []struct{ title, want string }{{"", ""}, {"Family", "Family"}, {"Family", "Family"},
		{"", "Family"}, {"All", "All"}} {
		if err := g.Keep(t.Context(), group.Channel, group.Chat, c.title); err != nil || g.Find(group) != c.want {
			t.Errorf("after %q: %v, got %q, want %q", c.title, err, g.Find(group), c.want)
		}
	}
	group.Chat = "-200"
	if got := g.Find(group); got != "" {
		t.Errorf("another group has the title %q", got)
	}
}
