package ingress

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/inbox"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
	"mews/supervisor/telegram"
)

// fixture is a handler on a real database that knows alice (101) and bob (102), an admin.
type fixture struct {
	*UpdateHandler
	t        *testing.T
	db       *sqlite.DB
	accepted []supervisor.Inbound
	audited  []string
	joined   []string // users who joined by an invite
	update   int64

	languages []string // the stored languages, each as "user language"
	returned  []string // the chats that take messages again
}

func newFixture(t *testing.T) *fixture {
	p := &fixture{t: t, db: sqlitetest.Open(t), update: 500}
	users := []supervisor.User{{Name: "alice", Accounts: map[supervisor.Channel]string{supervisor.ChannelTelegram: "101"}}, {Name: "bob", Accounts: map[supervisor.Channel]string{supervisor.ChannelTelegram: "102"}, Role: supervisor.RoleAdmin}}
	groups := []access.Group{{Channel: supervisor.ChannelTelegram, Chat: "-7"}, {Channel: supervisor.ChannelTelegram, Chat: "-1007"}}
	people, err := access.NewPeople(users, 1, nil)
	if err == nil {
		err = people.SetUsers(users, access.StoredUsers{Groups: groups})
	}
	if err != nil {
		t.Fatal(err)
	}
	box := inbox.New(inbox.Options{
		Store: p.db.Inbox(), Gate: openGate{}, Conversations: p.db.Conversations(), Queued: func(int64) {},
		Accepted: func(in supervisor.Inbound) { p.accepted = append(p.accepted, in) },
	})
	p.UpdateHandler = New(Options{
		Source: "telegram/test/42", People: people, Access: p.db.UserAccessStores(), Updates: p.db.Inbox(),
		Undos: p.db.Undos(), Conversations: p.db.Conversations(),
		Outbox: p.db.Outbox(), Posts: p.db.Posts(), Inbox: box, Renames: new(ChatRenames), LargestFile: 20 << 20, Moved: func(string, string) {}, Acknowledge: func(string, string) {},
		Refresh: func(ctx context.Context) error {
			bound, err := p.db.UserAccessStores().Bindings.List(ctx)
			more := access.StoredUsers{Groups: groups}
			for _, b := range bound {
				more.Bindings = append(more.Bindings, access.AccountBinding(b))
			}
			return errors.Join(err, people.SetUsers(users, more))
		},
		Joined: func(u supervisor.User, channel supervisor.Channel, account string) {
			p.joined = append(p.joined, u.Name+" "+string(channel)+" "+account)
		},
		KeepLanguage: func(_ context.Context, user, language string) error {
			p.languages = append(p.languages, user+" "+language)
			return nil
		},
		ChatReturned: func(_ context.Context, _ supervisor.Channel, chat string) error {
			p.returned = append(p.returned, chat)
			return nil
		},
		KeepGroupTitle: func(context.Context, supervisor.Channel, string, string) error { return nil },
		Wake:           func(context.Context, string) error { return nil }, Queued: func(int64) {}, Audit: p.note,
		Log: hclog.NewNullLogger(),
	})
	return p
}

// restart makes a new handler.
func (p *fixture) restart() { p.UpdateHandler = New(p.o) }

func (p *fixture) note(_, action, detail string) { p.audited = append(p.audited, action+": "+detail) }

// incoming returns a message as Telegram sends it. The argument more has further fields of the
// message.
func (p *fixture) incoming(chat, from int64, more string) supervisor.Incoming {
	p.t.Helper()
	p.update++
	kind := "private"
	if chat < 0 {
		kind = "group"
	}
	raw := fmt.Sprintf(`{"update_id":%d,"message":{"message_id":%d,"date":1770000000,"chat":{"id":%d,"type":%q},`+
		`"from":{"id":%d,"is_bot":false,"first_name":"X"}%s}}`, p.update, p.update, chat, kind, from, more)
	l, err := telegram.ParseUpdate(json.RawMessage(raw), telegram.BotIdentity{ID: 42, Name: func() (string, error) {
		return "mews_bot", nil
	}})
	if err != nil {
		p.t.Fatal(err)
	}
	return l
}

func (p *fixture) take(next int64, batch ...supervisor.Incoming) {
	p.t.Helper()
	if err := p.StoreBatch(p.t.Context(), batch, next); err != nil {
		p.t.Fatal(err)
	}
}

// texts lists the accepted texts, each as "user: text".
func (p *fixture) texts() (texts []string) {
	for _, in := range p.accepted {
		texts = append(texts, in.Conversation.User+"@"+in.Conversation.Chat+": "+in.Text)
	}
	return texts
}

// files lists the files of the accepted messages.
func (p *fixture) files() (files [][]supervisor.Attachment) {
	p.t.Helper()
	for _, in := range p.accepted {
		list, err := p.db.Attachments().ListFiles(p.t.Context(), in.ID)
		must(p.t, err)
		files = append(files, list)
	}
	return files
}

// answers lists the gate's own answers in a user's chat.
func (p *fixture) answers(user, chat string) (answers []string) {
	p.t.Helper()
	c, err := p.db.Conversations().FindOrCreate(p.t.Context(), user, supervisor.ChannelTelegram, chat, "")
	if err != nil {
		p.t.Fatal(err)
	}
	list, err := p.db.Outbox().ListPending(p.t.Context(), c.ID, 0, 10)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, d := range list {
		answers = append(answers, d.Text)
	}
	return answers
}

func TestHandler_KnownUsersMessage_IsStored(t *testing.T) {
	p := newFixture(t)
	p.take(900,
		p.incoming(101, 101, `,"text":"hello"`),
		p.incoming(666, 666, `,"text":"let me in"`),
		p.incoming(666, 666, `,"text":"please"`),
		p.incoming(-7, 102, `,"text":"just talking"`),
		p.incoming(-7, 102, `,"text":"/status"`),
	)
	if want := []string{"alice@101: hello", "bob@-7: /status"}; !slices.Equal(p.texts(), want) {
		t.Errorf("accepted %q, want %q", p.texts(), want)
	}
	if want := []string{"telegram.stranger: 666 wrote; nothing was answered"}; !slices.Equal(p.audited, want) {
		t.Errorf("audited %q, want %q", p.audited, want)
	}
	if next, err := p.NextOffset(t.Context()); err != nil || next != 900 {
		t.Errorf("the next batch begins at %d, %v", next, err)
	}
}

// The handler stores the languages of users, but not those of strangers.
func TestHandler_LanguageOfUser_IsKept(t *testing.T) {
	p := newFixture(t)
	for _, sender := range []int64{101, 999} {
		in := p.incoming(sender, sender, `,"text":"hello"`)
		in.Language = "de"
		p.take(p.update+1, in)
	}
	if !slices.Equal(p.languages, []string{"alice de"}) {
		t.Errorf("kept are %q", p.languages)
	}
}

func TestStranger_TalkingToOthers_IsNotAudited(t *testing.T) {
	p := newFixture(t)
	p.take(900, p.incoming(-7, 666, `,"text":"just talking"`), p.incoming(-7, 666, `,"text":"/start@other_bot"`))
	if len(p.audited) != 0 {
		t.Errorf("audited %q", p.audited)
	}
	p.take(901, p.incoming(-7, 666, `,"text":"/start"`))
	if want := []string{"telegram.stranger: 666 wrote; nothing was answered"}; !slices.Equal(p.audited, want) {
		t.Errorf("audited %q, want %q", p.audited, want)
	}
	if len(p.accepted) != 0 {
		t.Errorf("accepted %q", p.texts())
	}
}

func TestGroupMove_IsFollowed(t *testing.T) {
	p := newFixture(t)
	p.take(1, p.incoming(-7, 101, `,"text":"/help"`))
	p.take(2, p.incoming(-7, 101, `,"migrate_to_chat_id":-1007`))
	p.take(3, p.incoming(-1007, 101, `,"text":"/help"`))
	if a, b := p.accepted[0].Conversation.ID, p.accepted[1].Conversation.ID; a != b {
		t.Errorf("the group's conversation was %d and is %d", a, b)
	}
}

func TestUnknownGroup_StaysSilentUntilAllowed(t *testing.T) {
	p := newFixture(t)
	p.take(1, p.incoming(-9, 101, `,"text":"/help"`), p.incoming(-9, 101, `,"text":"/allow"`), p.incoming(-9, 102, `,"text":"/help"`),
		p.incoming(-9, 666, `,"text":"/allow"`), p.incoming(-9, 102, `,"text":"/allow"`))
	if want := []string{"bob@-9: /allow"}; !slices.Equal(p.texts(), want) {
		t.Errorf("accepted %q, want %q", p.texts(), want)
	}
	want := []string{`telegram.group: spoke in group -9 (""), which no admin has allowed; nothing was answered`,
		"telegram.stranger: 666 wrote; nothing was answered"}
	if !slices.Equal(p.audited, want) {
		t.Errorf("audited %q, want %q", p.audited, want)
	}
}

// TestUnknownGroup_TellsAdminHowToAllow checks that an admin who writes in an unknown group learns
// in private, once a day, how to allow the group. Nobody else gets a message.
func TestUnknownGroup_TellsAdminHowToAllow(t *testing.T) {
	p := newFixture(t)
	p.take(1, p.incoming(-9, 101, `,"text":"/help"`), p.incoming(-9, 102, `,"text":"/help"`), p.incoming(-9, 102, `,"text":"/help"`))
	if told := p.answers("bob", "102"); len(told) != 1 || !strings.Contains(told[0], "Write /allow there") {
		t.Errorf("bob was told %q", told)
	}
	if told := append(p.answers("alice", "101"), p.answers("bob", "-9")...); len(told) != 0 {
		t.Errorf("others were told %q", told)
	}
}

// TestGroupMove_SilentGroup_IsFollowed checks that users are read again, once, even if a group is
// renamed before its first message.
func TestGroupMove_SilentGroup_IsFollowed(t *testing.T) {
	p := newFixture(t)
	refreshed := 0
	p.o.Refresh = func(ctx context.Context) error {
		refreshed++
		groups, err := p.db.UserAccessStores().Groups.List(ctx)
		more := access.StoredUsers{Groups: []access.Group{{Channel: supervisor.ChannelTelegram, Chat: "-7"}}}
		for _, g := range groups {
			more.Groups = append(more.Groups, access.Group(g))
		}
		alice, _ := p.o.People.Find("alice")
		return errors.Join(err, p.o.People.SetUsers([]supervisor.User{alice}, more))
	}
	for range 2 {
		p.take(1, p.incoming(-7, 101, `,"migrate_to_chat_id":-1008`), p.incoming(-1008, 101, `,"migrate_from_chat_id":-7`),
			p.incoming(-9, 101, `,"migrate_to_chat_id":-1009`))
	}
	p.take(2, p.incoming(-1008, 101, `,"text":"/help"`), p.incoming(-1009, 101, `,"text":"/help"`))
	if want := []string{"alice@-1008: /help"}; !slices.Equal(p.texts(), want) || refreshed != 1 {
		t.Errorf("accepted %q, want %q; people were read %d times", p.texts(), want, refreshed)
	}
}

// A batch has messages from before and after a group became a supergroup, which has a new id. All
// messages go to the new chat. A repeated batch is stored once.
func TestGroupMove_EarlierMessagesOfBatch_Follow(t *testing.T) {
	p := newFixture(t)
	alice, _ := p.o.People.Find("alice")
	// the group was allowed in the chat; its old id is no longer valid
	p.o.Refresh = func(ctx context.Context) error {
		groups, err := p.db.UserAccessStores().Groups.List(ctx)
		must(t, err)
		var more access.StoredUsers
		for _, g := range groups {
			more.Groups = append(more.Groups, access.Group(g))
		}
		return p.o.People.SetUsers([]supervisor.User{alice}, more)
	}
	var woken []string
	p.o.Wake = func(_ context.Context, chat string) error {
		if !p.o.People.IsGroupAllowed(supervisor.ChannelTelegram, chat) {
			t.Errorf("%s is woken before people may speak there", chat)
		}
		woken = append(woken, chat)
		return nil
	}
	before, move := p.incoming(-7, 101, `,"text":"@mews_bot the question","entities":[{"type":"mention","offset":0,"length":9}]`),
		p.incoming(-7, 101, `,"migrate_to_chat_id":-1008`)
	after := p.incoming(-1008, 101, `,"text":"/help"`)
	for range 2 {
		p.take(1, before, move, after)
	}
	waiting, err := p.db.Inbox().ListUnfinishedConversations(t.Context())
	must(t, err)
	if len(waiting) != 1 || waiting[0].Chat != "-1008" {
		t.Errorf("something waits in %+v", waiting)
	}
	if slices.Contains(woken, "-7") || !slices.Contains(woken, "-1008") {
		t.Errorf("woken were %q", woken)
	}
	kept, err := p.db.Inbox().ListCommands(t.Context())
	must(t, err)
	if len(kept) != 1 || kept[0].Conversation.ID != waiting[0].ID {
		t.Errorf("after it there are %+v", kept)
	}
}

// openGate is an inbox gate that passes everything.
type openGate struct{}

func (openGate) Check(context.Context, supervisor.Inbound) (m supervisor.GateDecision, err error) {
	return m, nil
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
