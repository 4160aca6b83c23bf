package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/inbox"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
	"mews/supervisor/telegram"
)

// porch is a gate over a real database, with alice (101) and bob (102) behind it.
type porch struct {
	*gate
	t        *testing.T
	db       *sqlite.DB
	accepted []supervisor.Inbound
	audited  []string
	update   int64
}

func newPorch(t *testing.T) *porch {
	p := &porch{t: t, db: sqlitetest.Open(t), update: 500}
	users := []supervisor.User{{Name: "alice", Telegram: 101}, {Name: "bob", Telegram: 102, Role: supervisor.RoleAdmin}}
	people, err := access.New(users, 1, nil)
	if err == nil {
		err = people.Set(users, access.Stored{Groups: []access.Group{
			{Channel: supervisor.ChannelTelegram, Chat: "-7"}, {Channel: supervisor.ChannelTelegram, Chat: "-1007"}}})
	}
	if err != nil {
		t.Fatal(err)
	}
	box := inbox.New(inbox.Options{
		Store: p.db.Inbox(), Gate: everybody{}, Conversations: p.db.Conversations(), Queued: func(int64) {},
		Accepted: func(in supervisor.Inbound) { p.accepted = append(p.accepted, in) },
	})
	p.gate = &gate{
		source: "telegram/test/42", people: people, updates: p.db.Inbox(), conversations: p.db.Conversations(),
		inbox: box, pairing: &pairing{people: people, store: p.db.Access(), audit: p.note,
			refresh: func(ctx context.Context) error {
				bound, err := p.db.Access().Bindings.List(ctx)
				var more access.Stored
				for _, b := range bound {
					more.Bindings = append(more.Bindings, access.Binding(b))
				}
				return errors.Join(err, people.Set(users, more))
			}}, acknowledge: func(string) {},
		refresh: func(context.Context) error { return nil },
		wake:    func(context.Context, string) error { return nil }, renamed: func(string, string) {},
		moved: func(string, string) {}, log: hclog.NewNullLogger(),
		audit: p.note,
	}
	return p
}

func (p *porch) note(_, action, detail string) { p.audited = append(p.audited, action+": "+detail) }

const manyWrong = " had a code that is not good; there are many wrong codes in this hour, and no more of theirs are noted"

func TestWhoTriesTooManyCodesIsNotedOnceADay(t *testing.T) {
	p := newPorch(t)
	for range 20 {
		p.take(1, p.letter(7, 7, `,"text":"/start x"`), p.letter(8, 8, `,"text":"/start x"`))
	}
	var many []string
	for _, line := range p.audited {
		if strings.HasSuffix(line, manyWrong) {
			many = append(many, line)
		}
	}
	want := []string{"invite.refused: 7" + manyWrong, "invite.refused: 8" + manyWrong}
	if !slices.Equal(many, want) || len(p.audited) != 12 {
		t.Errorf("noted is %q", p.audited)
	}
}

// letter is a message as Telegram sends it; more are further fields of the message.
func (p *porch) letter(chat, from int64, more string) supervisor.Incoming {
	p.t.Helper()
	p.update++
	kind := "private"
	if chat < 0 {
		kind = "group"
	}
	raw := fmt.Sprintf(`{"update_id":%d,"message":{"message_id":%d,"date":1770000000,"chat":{"id":%d,"type":%q},`+
		`"from":{"id":%d,"is_bot":false,"first_name":"X"}%s}}`, p.update, p.update, chat, kind, from, more)
	l, err := telegram.Read(json.RawMessage(raw), telegram.Self{ID: 42, Name: func() (string, error) {
		return "mews_bot", nil
	}})
	if err != nil {
		p.t.Fatal(err)
	}
	return l
}

func (p *porch) take(next int64, letters ...supervisor.Incoming) {
	p.t.Helper()
	if err := p.Take(p.t.Context(), letters, next); err != nil {
		p.t.Fatal(err)
	}
}

// texts are what was accepted, as user: text.
func (p *porch) texts() (texts []string) {
	for _, in := range p.accepted {
		texts = append(texts, in.Conversation.User+"@"+in.Conversation.Chat+": "+in.Text)
	}
	return texts
}

// answers are what the gate has answered by itself.
func (p *porch) answers(user, chat string) (answers []string) {
	p.t.Helper()
	c, err := p.db.Conversations().Find(p.t.Context(), user, supervisor.ChannelTelegram, chat, "")
	if err != nil {
		p.t.Fatal(err)
	}
	list, err := p.db.Outbox().Pending(p.t.Context(), c.ID, 0, 10)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, d := range list {
		answers = append(answers, d.Text)
	}
	return answers
}

func TestTheGateLetsInWhoIsKnownAndWhatIsMeantForTheBot(t *testing.T) {
	p := newPorch(t)
	p.take(900,
		p.letter(101, 101, `,"text":"hello"`),
		p.letter(666, 666, `,"text":"let me in"`),
		p.letter(666, 666, `,"text":"please"`),
		p.letter(-7, 102, `,"text":"just talking"`),
		p.letter(-7, 102, `,"text":"/status"`),
	)
	if want := []string{"alice@101: hello", "bob@-7: /status"}; !slices.Equal(p.texts(), want) {
		t.Errorf("accepted %q, want %q", p.texts(), want)
	}
	if want := []string{"telegram.stranger: 666 wrote; nothing was answered"}; !slices.Equal(p.audited, want) {
		t.Errorf("audited %q, want %q", p.audited, want)
	}
	if next, err := p.Next(t.Context()); err != nil || next != 900 {
		t.Errorf("the next batch begins at %d, %v", next, err)
	}
}

func TestAStrangerInAGroupWhoSpeaksToOthersIsNotNoted(t *testing.T) {
	p := newPorch(t)
	p.take(900, p.letter(-7, 666, `,"text":"just talking"`), p.letter(-7, 666, `,"text":"/start@other_bot"`))
	if len(p.audited) != 0 {
		t.Errorf("audited %q", p.audited)
	}
	p.take(901, p.letter(-7, 666, `,"text":"/start"`))
	if want := []string{"telegram.stranger: 666 wrote; nothing was answered"}; !slices.Equal(p.audited, want) {
		t.Errorf("audited %q, want %q", p.audited, want)
	}
	if len(p.accepted) != 0 {
		t.Errorf("accepted %q", p.texts())
	}
}

func TestWhatCannotBeLookedAtIsSaidOnceForAnAlbum(t *testing.T) {
	p := newPorch(t)
	photo := `,"photo":[{"file_id":"x","file_unique_id":"y","width":1,"height":1}],"media_group_id":"g1"`
	p.take(1, p.letter(101, 101, photo), p.letter(101, 101, photo))
	p.take(0, p.letter(101, 101, photo))
	if got := p.answers("alice", "101"); len(got) != 1 {
		t.Errorf("answered %q", got)
	}
	p.take(2, p.letter(101, 101, `,"voice":{"file_id":"x","file_unique_id":"y","duration":1}`))
	want := "I can't take a voice message in this version. Write to me what it says, and I work with that."
	if got := p.answers("alice", "101"); len(got) != 2 || got[1] != want {
		t.Errorf("answered %q", got)
	}
	if len(p.accepted) != 0 {
		t.Errorf("a turn would begin for %q", p.texts())
	}
}

func TestTheGateFollowsAGroup(t *testing.T) {
	p := newPorch(t)
	p.take(1, p.letter(-7, 101, `,"text":"/help"`))
	p.take(2, p.letter(-7, 101, `,"migrate_to_chat_id":-1007`))
	p.take(3, p.letter(-1007, 101, `,"text":"/help"`))
	if a, b := p.accepted[0].Conversation.ID, p.accepted[1].Conversation.ID; a != b {
		t.Errorf("the group's conversation was %d and is %d", a, b)
	}
}

func TestAGroupIsSilentUntilAnAdminAllowsIt(t *testing.T) {
	p := newPorch(t)
	p.take(1, p.letter(-9, 101, `,"text":"/help"`), p.letter(-9, 101, `,"text":"/allow"`), p.letter(-9, 102, `,"text":"/help"`),
		p.letter(-9, 666, `,"text":"/allow"`), p.letter(-9, 102, `,"text":"/allow"`))
	if want := []string{"bob@-9: /allow"}; !slices.Equal(p.texts(), want) {
		t.Errorf("accepted %q, want %q", p.texts(), want)
	}
	want := []string{`telegram.group: spoke in group -9 (""), which no admin has allowed; nothing was answered`,
		"telegram.stranger: 666 wrote; nothing was answered"}
	if !slices.Equal(p.audited, want) {
		t.Errorf("audited %q, want %q", p.audited, want)
	}
}

func TestAnInvitesCodeBindsAnAccountOnce(t *testing.T) {
	p := newPorch(t)
	code, digest := access.NewInvite()
	err := p.db.Access().Invites.Put(t.Context(), sqlite.Invite{Digest: digest, User: "alice", ExpiresAt: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	start := func(from int64, code string) supervisor.Incoming {
		return p.letter(from, from, `,"text":"/start `+code+`"`)
	}
	p.take(1, start(303, "WRONG"), start(303, code.Reveal()), start(404, code.Reveal()), p.letter(303, 303, `,"text":"hello"`))
	if want := []string{"alice@303: /start", "alice@303: hello"}; !slices.Equal(p.texts(), want) {
		t.Errorf("accepted %q, want %q", p.texts(), want)
	}
	want := []string{"invite.refused: 303 had a code that is not good", "invite.refused: 404 had a code that is not good"}
	if !slices.Equal(p.audited, want) {
		t.Errorf("audited %q, want %q", p.audited, want)
	}
	for range 9 {
		p.take(2, start(404, "WRONG"))
	}
	if last := p.audited[len(p.audited)-1]; last != "invite.refused: 404"+manyWrong {
		t.Errorf("the last of many is audited as %q", last)
	}
	if answers := p.answers("alice", "404"); len(answers) != 0 {
		t.Errorf("a stranger is answered %q", answers)
	}
}

// invited puts an invite for alice, and is the letter with which somebody takes it.
func (p *porch) invited() (start func(from int64) supervisor.Incoming) {
	p.t.Helper()
	code, digest := access.NewInvite()
	err := p.db.Access().Invites.Put(p.t.Context(), sqlite.Invite{Digest: digest, User: "alice", ExpiresAt: time.Now().Add(time.Hour)})
	if err != nil {
		p.t.Fatal(err)
	}
	return func(from int64) supervisor.Incoming {
		return p.letter(from, from, `,"text":"/start `+code.Reveal()+`"`)
	}
}

// Whose account it is by the configuration, suspended or not, does not use up another person's invite.
func TestAnInviteIsNotUsedUpByAnotherPerson(t *testing.T) {
	p := newPorch(t)
	start := p.invited()
	p.take(1, start(102))
	bob, _ := p.people.Find("bob")
	alice, _ := p.people.Find("alice")
	if err := p.people.Set([]supervisor.User{alice, bob}, access.Stored{Suspended: []string{"bob"}}); err != nil {
		t.Fatal(err)
	}
	p.take(2, start(102))
	if err := p.people.Set([]supervisor.User{alice, bob}, access.Stored{}); err != nil {
		t.Fatal(err)
	}
	p.take(3, start(303), p.letter(102, 102, `,"text":"hello"`))
	if want := []string{"bob@102: /start", "alice@303: /start", "bob@102: hello"}; !slices.Equal(p.texts(), want) {
		t.Errorf("accepted %q, want %q", p.texts(), want)
	}
	const refused = "invite.refused: 102 had a code for another person than whose account it is"
	if want := []string{refused, refused}; !slices.Equal(p.audited, want) {
		t.Errorf("audited %q, want %q", p.audited, want)
	}
	bound, err := p.db.Access().Bindings.List(t.Context())
	if err != nil || len(bound) != 1 || bound[0].Account != "303" {
		t.Errorf("bound are %v, %v", bound, err)
	}
}

// Whose invite was taken is let in when the batch comes again, where people could not be read anew the first time.
func TestWhoTookAnInviteIsLetInAfterAll(t *testing.T) {
	p := newPorch(t)
	refresh := p.pairing.refresh
	broken := errors.New("the folder is gone")
	p.pairing.refresh = func(context.Context) error { return broken }
	letter := p.invited()(303)
	for range 7 { // more often than a stranger's codes are noted
		if err := p.Take(t.Context(), []supervisor.Incoming{letter}, 1); !errors.Is(err, broken) {
			t.Fatalf("got %v", err)
		}
	}
	p.pairing.refresh = refresh
	p.take(1, letter)
	if want := []string{"alice@303: /start"}; !slices.Equal(p.texts(), want) || len(p.audited) != 0 {
		t.Errorf("accepted %q, audited %q", p.texts(), p.audited)
	}
}

// Where nothing was said in a group before it became another one, people are read anew all the same, once.
func TestTheGateFollowsAGroupInWhichNothingWasSaid(t *testing.T) {
	p := newPorch(t)
	refreshed := 0
	p.gate.refresh = func(ctx context.Context) error {
		refreshed++
		groups, err := p.db.Access().Groups.List(ctx)
		more := access.Stored{Groups: []access.Group{{Channel: supervisor.ChannelTelegram, Chat: "-7"}}}
		for _, g := range groups {
			more.Groups = append(more.Groups, access.Group(g))
		}
		alice, _ := p.people.Find("alice")
		return errors.Join(err, p.people.Set([]supervisor.User{alice}, more))
	}
	for range 2 {
		p.take(1, p.letter(-7, 101, `,"migrate_to_chat_id":-1008`), p.letter(-1008, 101, `,"migrate_from_chat_id":-7`),
			p.letter(-9, 101, `,"migrate_to_chat_id":-1009`))
	}
	p.take(2, p.letter(-1008, 101, `,"text":"/help"`), p.letter(-1009, 101, `,"text":"/help"`))
	if want := []string{"alice@-1008: /help"}; !slices.Equal(p.texts(), want) || refreshed != 1 {
		t.Errorf("accepted %q, want %q; people were read %d times", p.texts(), want, refreshed)
	}
}

// everybody is a gate of the inbox's that is open to whoever has got to it.
type everybody struct{}

func (everybody) Check(context.Context, supervisor.Inbound) (m supervisor.GateDecision, err error) {
	return m, nil
}
