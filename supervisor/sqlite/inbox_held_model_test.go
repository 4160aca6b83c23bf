package sqlite_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mews/supervisor"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// The gate is compared with a model. Batches of texts and codes come in several chats, and some are
// repeated. Meanwhile time passes and gates are closed by hand. Exactly the model's texts wait for
// their turns. Nothing is stored twice, and each code is tried once.
func TestGate_RandomSteps_MatchesModel(t *testing.T) {
	clock := noon
	dir, run := t.TempDir(), 0
	path := filepath.Join(dir, "mews.db")
	db := sqlitetest.OpenPath(t, path, sqlite.Options{Now: func() time.Time { return clock }})
	rapid.Check(t, func(rt *rapid.T) {
		run++
		m := &gateModel{T: rt, db: db, clock: &clock, user: fmt.Sprint("user", run), opened: map[string][2]time.Time{},
			held: map[string]string{}, asked: map[string]string{}, texts: map[string]string{}}
		rt.Repeat(map[string]func(*rapid.T){
			"":        func(*rapid.T) { m.check() },
			"receive": func(*rapid.T) { m.receive() },
			"wait": func(rt *rapid.T) {
				clock = clock.Add(time.Duration(rapid.IntRange(1, 60).Draw(rt, "minutes")) * time.Minute)
			},
			"close": func(rt *rapid.T) {
				chat := m.chat()
				if err := db.UserAccessStores().Logins.EndLogin(t.Context(), m.user, supervisor.ChannelTelegram,
					chat); err != nil {
					rt.Fatal(err)
				}
				delete(m.opened, chat)
			},
		})
	})
}

// gateModel is the expected state of one user's gates and texts.
type gateModel struct {
	*rapid.T
	db     *sqlite.DB
	clock  *time.Time
	user   string
	sent   []supervisor.BatchItem
	step   int64                   // step of the last right code; a step is 30 seconds
	opened map[string][2]time.Time // times when the gate was opened and last used, by chat
	held   map[string]string       // chat of each held text, by key
	asked  map[string]string       // chat that got the challenge for a text, by key
	texts  map[string]string       // chat of each text that waits for its turn, by key
	tried  int
}

func (m *gateModel) chat() string {
	return rapid.SampledFrom([]string{"1", "2", "-3"}).Draw(m.T, "chat")
}

// receive sends a batch of new and repeated items, in any order.
func (m *gateModel) receive() {
	var batch []supervisor.BatchItem
	for range rapid.IntRange(1, 4).Draw(m.T, "items") {
		if len(m.sent) > 0 && rapid.Bool().Draw(m.T, "again") {
			batch = append(batch, rapid.SampledFrom(m.sent).Draw(m.T, "which"))
			continue
		}
		n := int64(len(m.sent) + 1)
		item := guardedItem(m.user, n, "hello")
		if rapid.IntRange(0, 3).Draw(m.T, "code") == 0 {
			item = codeItem(m.user, n, m.step+int64(rapid.IntRange(0, 2).Draw(m.T, "step")))
		}
		item = inChat(m.chat(), item)
		if item.Decision.Check != nil && item.Inbound.Conversation.Chat == "-3" {
			item = challengedIn(rapid.SampledFrom([]string{"1", "2"}).Draw(m.T, "asked"), item)
		}
		m.sent, batch = append(m.sent, item), append(batch, item)
		m.expect(item)
	}
	slices.SortFunc(batch, func(a, b supervisor.BatchItem) int { return int(a.Update - b.Update) })
	if _, err := m.db.Inbox().StoreBatch(m.Context(), supervisor.InboundBatch{Source: bot, Items: batch}); err != nil {
		m.Fatal(err)
	}
}

// expect updates the model for a new item.
func (m *gateModel) expect(item supervisor.BatchItem) {
	chat, key, now := item.Inbound.Conversation.Chat, item.Inbound.Key, *m.clock
	if item.Decision.CheckCode != nil {
		m.tried++
		f, verdict := item.Decision.CheckCode(supervisor.SecondFactor{LastPeriod: m.step}, now)
		if !verdict.Right {
			return
		}
		m.step, m.opened[chat] = f.LastPeriod, [2]time.Time{now, now}
		for key, held := range m.held {
			if held == chat || m.asked[key] == chat {
				m.opened[held], m.texts[key] = [2]time.Time{now, now}, held
				delete(m.held, key)
			}
		}
		return
	}
	at, ok := m.opened[chat]
	if ok && now.Sub(at[1]) < idle && now.Sub(at[0]) < life {
		m.opened[chat], m.texts[key] = [2]time.Time{at[0], now}, chat
		return
	}
	if len(m.held) < 100 { // with a hundred held texts the gate refuses more
		m.held[key] = chat
		if m.asked[key] = chat; item.Decision.Check.ChallengeIn.Chat != "" {
			m.asked[key] = item.Decision.Check.ChallengeIn.Chat
		}
	}
}

// check compares the database with the model.
func (m *gateModel) check() {
	held, err := m.db.Inbox().CountHeldInbounds(m.Context(), m.user)
	if err != nil || held != int64(len(m.held)) {
		m.Fatalf("%d are held, %v; want %v", held, err, m.held)
	}
	unfinished, err := m.db.Inbox().ListUnfinishedConversations(m.Context())
	if err != nil {
		m.Fatal(err)
	}
	chats, want := map[string]bool{}, map[string]bool{}
	for _, c := range unfinished {
		if c.User == m.user {
			chats[c.Chat] = true
		}
	}
	for _, chat := range m.texts {
		want[chat] = true
	}
	if fmt.Sprint(chats) != fmt.Sprint(want) {
		m.Fatalf("texts wait in %v, want %v", chats, want)
	}
	rows, err := m.db.Audit().List(m.Context(), sqlite.AuditFilter{User: m.user})
	if err != nil || len(rows) != m.tried {
		m.Fatalf("%d codes were tried, %v; want %d", len(rows), err, m.tried)
	}
	for chat, at := range m.opened {
		l, ok, err := m.db.UserAccessStores().Logins.FindLogin(m.Context(), m.user, supervisor.ChannelTelegram, chat)
		if err != nil || !ok || !l.OpenedAt.Equal(at[0]) || !l.UsedAt.Equal(at[1]) {
			m.Fatalf("the login of chat %s is %+v, %v, %v; want %v", chat, l, ok, err, at)
		}
	}
}
