package chat

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/hashicorp/go-hclog"

	"mews/cmd/mews/chat/chattest"
	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/control"
	"mews/supervisor/inbox"
	"mews/supervisor/reply"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// testTimeout is how long a test waits before it fails.
const testTimeout = 30 * time.Second

// annDirectory knows ann alone, who may do everything.
type annDirectory struct{}

func (annDirectory) FindSpeaker(uint32, string) (supervisor.User, error) {
	return supervisor.User{Name: "ann", Home: "/homes/ann"}, nil
}
func (annDirectory) IsKnown(uint32) bool { return true }
func (annDirectory) IsAdmin(uint32) bool { return true }

// rig is a control socket with a real database. The test plays the sessions.
type rig struct {
	*testing.T
	db       *sqlite.DB
	feeds    reply.Feeds
	spool    *spool.Spool
	socket   string
	options  control.Options
	accepted chan supervisor.Inbound
}

func newRig(t *testing.T) *rig {
	t.Helper()
	dir, err := os.MkdirTemp("", "mews") // a short path, because the length of a socket's path is limited
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	p := &rig{T: t, db: sqlitetest.Open(t), socket: filepath.Join(dir, "s"), accepted: make(chan supervisor.Inbound, 100)}
	p.spool, err = spool.Open(filepath.Join(dir, "spool"))
	p.must(err)
	t.Cleanup(func() { p.spool.Close() })
	p.options = control.Options{
		People: annDirectory{}, Conversations: p.db.Conversations(), Outbox: p.db.Outbox(), Feeds: &p.feeds,
		Blobs: p.db.Blobs(), Spool: p.spool,
		Lines: p.db.Inbox(),
		Inbox: inbox.New(inbox.Options{Store: p.db.Inbox(), Gate: openGate{}, Queued: p.feeds.NotifyDelivery,
			Accepted: func(in supervisor.Inbound) { p.accepted <- in }}),
		Greet: func(context.Context, supervisor.User) control.JoinChatResult {
			return control.JoinChatResult{Version: "1.2", Model: "offline", HasTelegram: true, Bot: "mews_bot",
				Commands: []string{"reload", "remind", "status"}}
		},
		Log: hclog.NewNullLogger(),
	}
	return p
}

// live serves the socket until the test ends or end is called.
func (p *rig) live() (end func()) {
	p.Helper()
	s, err := control.Listen(p.socket, p.options)
	p.must(err)
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- s.Run(ctx) }()
	end = sync.OnceFunc(func() {
		cancel()
		if err := <-ran; err != nil {
			p.Error(err)
		}
	})
	p.Cleanup(end)
	return end
}

func (p *rig) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// nextInbound returns the next accepted inbound.
func (p *rig) nextInbound() supervisor.Inbound {
	p.Helper()
	select {
	case in := <-p.accepted:
		return in
	case <-time.After(testTimeout):
		p.Fatal("nothing was accepted")
		return supervisor.Inbound{}
	}
}

// begin starts the turn of a message.
func (p *rig) begin(in supervisor.Inbound) (supervisor.Turn, *reply.Stream) {
	p.Helper()
	turn, _, err := p.db.Turns().Start(p.Context(), in.ID, nil)
	p.must(err)
	return turn, p.feeds.OpenStream(turn, "")
}

func (p *rig) finish(turn supervisor.Turn, s *reply.Stream, text string) {
	p.Helper()
	_, err := p.db.Turns().Finish(context.Background(), sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndDone,
		State: supervisor.InboundAnswered, Text: text})
	p.must(err)
	s.Close()
}

// answer answers the next accepted inbound: a message with a turn, a command at once.
func (p *rig) answer(text string) supervisor.Inbound {
	p.Helper()
	in := p.nextInbound()
	if in.Kind == supervisor.KindCommand {
		_, err := p.db.Outbox().AnswerCommand(p.Context(), in.ID, supervisor.Delivery{Text: text})
		p.must(err)
		p.feeds.NotifyDelivery(in.Conversation.ID)
		return in
	}
	turn, s := p.begin(in)
	p.finish(turn, s, text)
	return in
}

// notice sends ann a notice.
func (p *rig) notice(text string) {
	p.Helper()
	c, err := p.db.Conversations().FindOrCreate(p.Context(), "ann", supervisor.ChannelTerminal, "", "")
	p.must(err)
	_, err = p.db.Outbox().PutTextNotice(p.Context(), c.ID, text)
	p.must(err)
	p.feeds.NotifyDelivery(c.ID)
}

func (p *rig) waiting() int {
	p.Helper()
	counts, err := p.db.StatusCounts(p.Context())
	p.must(err)
	return int(counts.Waiting)
}

// terminalUser is a user at a terminal.
type terminalUser struct {
	*rig
	keys *os.File // the end of the pseudo-terminal at which the user types and reads
	tty  *os.File
	left chan error

	mu       sync.Mutex
	seen     []byte
	emulator *chattest.Screen
	more     chan struct{} // holds a token when there is more output
	read     int           // number of bytes of output that expect has passed
}

// startTerminal starts a chat in a terminal of 80 columns. The cleanup of the test ends it.
func (p *rig) startTerminal(o Options) *terminalUser {
	p.Helper()
	keys, tty, err := pty.Open()
	p.must(err)
	p.must(pty.Setsize(tty, &pty.Winsize{Rows: 24, Cols: 80}))
	d := &terminalUser{rig: p, keys: keys, tty: tty, left: make(chan error, 1), more: make(chan struct{}, 1),
		emulator: chattest.NewScreen(p.T, 80, 24)}
	var watching sync.WaitGroup
	watching.Go(d.watch)
	ctx, cancel := context.WithCancel(context.Background())
	chatted := make(chan struct{})
	go func() {
		defer close(chatted)
		d.left <- runTerminal(ctx, Console{In: tty, Out: tty, Err: tty}, p.socket, o)
	}()
	p.Cleanup(func() {
		cancel()
		<-chatted
		keys.Write([]byte("\n")) // ends the read that waits for a key
		tty.Close()
		keys.Close()
		watching.Wait()
	})
	return d
}

func (d *terminalUser) watch() {
	buf := make([]byte, 4096)
	for {
		n, err := d.keys.Read(buf)
		if err != nil {
			return
		}
		d.mu.Lock()
		d.seen = append(d.seen, buf[:n]...)
		d.emulator.Write(buf[:n])
		d.mu.Unlock()
		select {
		case d.more <- struct{}{}:
		default:
		}
	}
}

func (d *terminalUser) screen() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return string(d.seen)
}

// expect waits for a text in the output after the texts that were expected before.
func (d *terminalUser) expect(text string) {
	d.Helper()
	give := time.After(testTimeout)
	for {
		seen := d.screen()
		if at := strings.Index(seen[d.read:], text); at >= 0 {
			d.read += at + len(text)
			return
		}
		select {
		case <-d.more:
		case <-give:
			d.Fatalf("%q is not seen in %q", text, seen[d.read:])
		}
	}
}

func (d *terminalUser) press(keys string) {
	d.Helper()
	_, err := d.keys.Write([]byte(keys))
	d.must(err)
}

// waitEnd waits until the chat has ended.
func (d *terminalUser) waitEnd() error {
	d.Helper()
	select {
	case err := <-d.left:
		d.left <- err
		return err
	case <-time.After(testTimeout):
		d.Fatal("the chat does not end")
		return nil
	}
}

// openGate lets every inbound pass.
type openGate struct{}

func (openGate) Check(context.Context, supervisor.Inbound) (m supervisor.GateDecision, err error) {
	return m, nil
}
