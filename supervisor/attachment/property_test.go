package attachment_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-hclog"
	"pgregory.net/rapid"

	_ "mews/internal/fixedseed"
	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/attachment"
	"mews/supervisor/internal/retry"
	"mews/supervisor/internal/signals"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// The steps send, stop and drop messages, and end the service at any time. Each message is taken by
// one turn or dropped; one turn takes a whole album. The order stays, except for a message whose
// arrival took longer than half a minute. Committed files are not fetched again.
func TestArrivals_Property_ReachOneTurnInOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var failed any // rapid ends a run with a panic; the panic must not leave the synctest bubble
		inBubble(t, func(r *rig) {
			m := newArrivals(r, rt)
			m.begin()
			defer func() { m.endLife() }()
			defer func() { failed = recover() }()
			for range rapid.IntRange(1, 8).Draw(rt, "steps") {
				arrivalSteps[rapid.SampledFrom(slices.Sorted(maps.Keys(arrivalSteps))).Draw(rt, "step")](m)
			}
			m.settle()
			m.check()
		})
		if failed != nil {
			panic(failed)
		}
	})
}

// arrivalSteps are the random steps of the property test.
var arrivalSteps = map[string]func(*fakeArrivals){
	"words":                 func(m *fakeArrivals) { m.send(m.chat(), "", 0) },
	"file":                  func(m *fakeArrivals) { m.send(m.chat(), "", 1) },
	"files":                 func(m *fakeArrivals) { m.send(m.chat(), "", 2) },
	"album":                 (*fakeArrivals).album,
	"forward":               (*fakeArrivals).forward,
	"stop":                  func(m *fakeArrivals) { m.stop(false) },
	"stop all":              func(m *fakeArrivals) { m.stop(true) },
	"a moment":              func(m *fakeArrivals) { m.wait(time.Second) },
	"a minute":              func(m *fakeArrivals) { m.wait(time.Minute) },
	"end":                   (*fakeArrivals).end,
	"end at a store's call": (*fakeArrivals).endAtCall,
}

// sentFile has the fate of one file that a user sends: when it arrives, and whether its download
// fails.
type sentFile struct {
	fetchTime time.Duration // duration of a fetch
	failures  int           // number of tries that fail
}

// fakeArrivals are the inbounds of one user in two chats, and the service that prepares them.
type fakeArrivals struct {
	*rig
	rt       *rapid.T
	workTime time.Duration // duration of an operation in the fake worker
	sent     []supervisor.Inbound
	albums   [][]int64       // the ids of each album's inbounds
	dropped  map[int64]int64 // the newest command that drops messages, by conversation

	// Fields of one life of the service, from its start to its end or crash.
	endLife  func() // ends this life of the service
	cancel   func()
	receiver *attachment.Receiver
	wake     func(supervisor.Conversation)
	turns    map[string]chan struct{} // running turns by chat; a token stops the turn

	// Fields guarded by the rig's lock.
	conversations map[string]int64 // conversation ids by chat
	files         map[string]sentFile
	kept          map[string]bool // files whose bytes are committed
	callsLeft     int             // number of calls of the store before this life ends; 0 means no end
	endsBefore    bool            // whether the life ends before its last call of the store instead of after that call
}

func newArrivals(r *rig, rt *rapid.T) *fakeArrivals {
	works := rapid.SampledFrom([]time.Duration{0, time.Second, 20 * time.Second}).Draw(rt, "a worker takes")
	return &fakeArrivals{rig: r, rt: rt, workTime: works, dropped: map[int64]int64{}, conversations: map[string]int64{},
		files: map[string]sentFile{}, kept: map[string]bool{}}
}

// errEnded is the store's error after the service has died.
var errEnded = errors.New("the life has ended")

// stored runs a call of the store. The life may end before or after the call.
func stored[T any](ctx context.Context, m *fakeArrivals, call func() (T, error)) (result T, err error) {
	ends := false
	m.note(func() { m.callsLeft--; ends = m.callsLeft == 0 })
	if ends && m.endsBefore {
		m.cancel()
	}
	if ctx.Err() == nil {
		result, err = call()
	}
	if ends {
		m.cancel()
	}
	if ctx.Err() != nil {
		return result, errEnded
	}
	return result, err
}

func (m *fakeArrivals) ListArrivingInbounds(ctx context.Context) ([]supervisor.Inbound, error) {
	return stored(ctx, m, func() ([]supervisor.Inbound, error) { return m.db.Inbox().ListArrivingInbounds(ctx) })
}

func (m *fakeArrivals) CompleteArrivals(ctx context.Context, list []sqlite.ArrivalResult) (bool, error) {
	return stored(ctx, m, func() (bool, error) { return m.db.Inbox().CompleteArrivals(ctx, list) })
}

func (m *fakeArrivals) ListFiles(ctx context.Context, inbound int64) ([]supervisor.Attachment, error) {
	return stored(ctx, m, func() ([]supervisor.Attachment, error) { return m.db.Attachments().ListFiles(ctx, inbound) })
}

func (m *fakeArrivals) PutBytes(ctx context.Context, inbound int64, position int, ref protocol.BlobRef) error {
	_, err := stored(ctx, m, func() (int, error) {
		err := m.db.Attachments().PutBytes(ctx, inbound, position, ref)
		if list, _ := m.db.Attachments().ListFiles(m.Context(), inbound); err == nil {
			m.note(func() { m.kept[list[position].File] = true })
		}
		return 0, err
	})
	return err
}

func (m *fakeArrivals) PutFailure(ctx context.Context, inbound int64, position int, why string) error {
	_, err := stored(ctx, m, func() (int, error) { return 0, m.db.Attachments().PutFailure(ctx, inbound, position, why) })
	return err
}

func (m *fakeArrivals) RunOperation(ctx context.Context, op supervisor.Operation, _ func(context.Context,
	int64)) (supervisor.Operation, bool) {
	log := hclog.NewNullLogger()
	op, ok := retry.StoreUntilDone(ctx, log, "begin", func() (supervisor.Operation, error) {
		return stored(ctx, m, func() (supervisor.Operation, error) { return m.db.Operations().Put(ctx, op) })
	})
	if !ok {
		return op, false
	}
	id := op.ID
	op, ok = retry.StoreUntilDone(ctx, log, "wait", func() (supervisor.Operation, error) { return m.finish(ctx, id) })
	if !ok && !errors.Is(context.Cause(ctx), context.Canceled) {
		err := m.db.Operations().ChangeState(m.Context(), id, supervisor.OperationFailed, "dropped")
		if !retry.IsRefused(err) {
			m.must(err)
		}
	}
	return op, ok
}

// finish waits until an operation has ended.
func (m *fakeArrivals) finish(ctx context.Context, id int64) (supervisor.Operation, error) {
	for {
		op, _, err := m.db.Operations().Find(m.Context(), id)
		if err != nil || op.State == supervisor.OperationDone || op.State == supervisor.OperationFailed {
			return op, err
		}
		to, result := supervisor.OperationRunning, ""
		if op.State == supervisor.OperationRunning {
			if !sleep(ctx, m.workTime) {
				return op, context.Cause(ctx)
			}
			to, result = m.work(ctx, op)
		}
		if _, err := stored(ctx, m, func() (int, error) {
			return 0, m.db.Operations().ChangeState(ctx, id, to,
				result)
		}); err != nil && !retry.IsRefused(err) {
			return op, err
		}
	}
}

// FetchFile writes a file's bytes, as the channel would.
func (m *fakeArrivals) FetchFile(ctx context.Context, _ supervisor.Channel, file string, w io.Writer) error {
	var f sentFile
	m.note(func() {
		f = m.files[file]
		m.files[file] = sentFile{f.fetchTime, f.failures - 1}
		if m.kept[file] {
			m.rt.Errorf("%s is fetched again", file)
		}
	})
	_, err := io.WriteString(w, "half of ")
	m.must(err)
	if !sleep(ctx, f.fetchTime) {
		return context.Cause(ctx)
	}
	if f.failures > 0 {
		return errors.New("reset by peer")
	}
	_, err = io.WriteString(w, file)
	return err
}

// sleep waits for d. It returns false if ctx has ended.
func sleep(ctx context.Context, d time.Duration) bool {
	return retry.Sleep(ctx, d) && ctx.Err() == nil
}

// begin starts a life: the Receiver, and a session for each chat.
func (m *fakeArrivals) begin() {
	ctx, cancel := context.WithCancel(m.Context())
	woken := map[string]chan struct{}{}
	m.cancel, m.callsLeft, m.turns = cancel, 0, map[string]chan struct{}{}
	for _, chat := range chats {
		woken[chat], m.turns[chat] = make(chan struct{}, 1), make(chan struct{}, 1)
	}
	m.wake = func(c supervisor.Conversation) { signals.SendToken(woken[c.Chat]) }
	m.receiver = attachment.New(attachment.Options{Inbox: m, Files: m, Operations: m, Spool: m.spool,
		Fetch: m.FetchFile, Wake: m.wake,
		Serves: func(supervisor.Conversation) bool { return true },
		Transcribe: func(ctx context.Context, r attachment.Recording) (string, string) {
			sleep(ctx, m.workTime)
			return "words of " + r.Path, ""
		},
	})
	var running sync.WaitGroup
	running.Go(func() { m.must(m.receiver.Run(ctx)) })
	for chat, woken := range woken {
		signals.SendToken(woken)
		running.Go(func() { m.session(ctx, chat, woken) })
	}
	m.endLife = func() { cancel(); running.Wait() }
}

// session runs turns for the messages that wait in a chat.
func (m *fakeArrivals) session(ctx context.Context, chat string, woken <-chan struct{}) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-woken:
		}
		for m.turn(ctx, chat) {
		}
	}
}

// turn runs one turn to its end. It returns false if nothing waits, or the life has ended.
func (m *fakeArrivals) turn(ctx context.Context, chat string) bool {
	var c int64
	m.note(func() { c = m.conversations[chat] })
	open, runs, err := m.db.Turns().FindRunning(m.Context(), c)
	m.must(err)
	turn := open.Turn
	if !runs {
		next, waits, err := m.db.Inbox().NextInbound(m.Context(), c)
		m.must(err)
		if !waits {
			return false
		}
		// the message was dropped meanwhile
		if turn, _, err = m.db.Turns().Start(m.Context(), next.ID, nil); retry.IsRefused(err) {
			return true
		}
		m.must(err)
	}
	why := protocol.TurnEndDone
	select {
	case <-ctx.Done():
		return false
	case <-m.turns[chat]:
		why = protocol.TurnEndStopped
	case <-time.After(2 * time.Second):
		_, err := m.db.Turns().AddWaitingTexts(m.Context(), turn.ID, 1<<20, supervisor.PriorityUsual)
		m.must(err)
	}
	_, err = m.db.Turns().Finish(m.Context(), sqlite.TurnEnding{Turn: turn.ID, Why: why,
		State: supervisor.InboundAnswered, Text: "ok"})
	m.must(err)
	return true
}

// chat returns one of the user's chats at random.
func (m *fakeArrivals) chat() string {
	return rapid.SampledFrom([]string{"1", "1", "1", "2"}).Draw(m.rt, "chat")
}

var chats = []string{"1", "2"}

// send sends a message. Its text and the names of its files have its number.
func (m *fakeArrivals) send(chat, together string, files int) supervisor.Inbound {
	in := supervisor.Inbound{Kind: supervisor.KindText, Text: fmt.Sprintf("#%d.", m.keys+1), Group: together}
	var list []supervisor.Attachment
	for i := range files {
		a := file(fmt.Sprintf("%d.%d.txt", m.keys+1, i))
		if rapid.Bool().Draw(m.rt, "voice") {
			a.Kind, a.Seconds = protocol.AttachmentVoice, 9
		}
		slow := rapid.SampledFrom([]int{0, 100, 1000, 5000, 40000}).Draw(m.rt, "takes")
		m.note(func() {
			m.files[a.File] = sentFile{time.Duration(slow) * time.Millisecond, rapid.SampledFrom([]int{0, 0, 0, 1, 3}).Draw(m.rt, "fails")}
		})
		list = append(list, a)
	}
	in = m.put(chat, in, list)
	m.sent = append(m.sent, in)
	if in.State == supervisor.InboundArriving {
		m.receiver.Wake()
	} else {
		m.wake(in.Conversation)
	}
	return in
}

func (m *fakeArrivals) put(chat string, in supervisor.Inbound, list []supervisor.Attachment) supervisor.Inbound {
	m.keys++
	in.Key, in.Conversation = fmt.Sprint("key-", m.keys), supervisor.Conversation{User: "ann", Channel: supervisor.ChannelTelegram, Chat: chat}
	receipt, err := m.db.Inbox().StoreBatch(m.Context(), supervisor.InboundBatch{Source: "bot",
		Items: []supervisor.BatchItem{{Update: int64(m.keys), Inbound: in, Attachments: list}}})
	m.must(err)
	m.note(func() { m.conversations[chat] = receipt.Stored[0].Conversation.ID })
	return receipt.Stored[0]
}

// wait lets some time pass.
func (m *fakeArrivals) wait(most time.Duration) {
	time.Sleep(rapid.SampledFrom([]time.Duration{0, most / 40, most / 4, most}).Draw(m.rt, "wait"))
	synctest.Wait()
}

// album sends an album. Its messages follow each other closely, even if a life ends in between.
func (m *fakeArrivals) album() {
	chat, name := m.chat(), fmt.Sprint("album ", m.keys)
	var album []int64
	for range rapid.IntRange(2, 4).Draw(m.rt, "files") {
		album = append(album, m.send(chat, name, 1).ID)
		if rapid.IntRange(0, 5).Draw(m.rt, "ends") == 0 {
			m.end()
		}
		m.wait(quiet - time.Millisecond)
	}
	m.albums = append(m.albums, album)
}

// forward forwards a message, with or without files.
func (m *fakeArrivals) forward() {
	m.send(m.chat(), "forward", rapid.IntRange(0, 2).Draw(m.rt, "files"))
}

// stop stops a chat's turn. If all is true, it also drops the messages that wait in the chat. The
// user sends more messages meanwhile.
func (m *fakeArrivals) stop(all bool) {
	chat := m.chat()
	command := m.put(chat, supervisor.Inbound{Kind: supervisor.KindCommand, Command: "stop", Text: "/stop"}, nil)
	if all {
		if rapid.Bool().Draw(m.rt, "goes on") {
			m.send(chat, "", 0)
		}
		_, err := m.db.Inbox().DropWaitingTexts(m.Context(), command.ID)
		m.must(err)
		m.receiver.Wake()
		m.dropped[command.Conversation.ID] = command.ID
	}
	signals.SendToken(m.turns[chat])
}

// end ends the life of the service, and begins another life.
func (m *fakeArrivals) end() {
	m.endLife()
	time.Sleep(rapid.SampledFrom([]time.Duration{0, time.Second, time.Minute}).Draw(m.rt, "down"))
	m.begin()
}

// endAtCall lets the life end at one of the next calls of the store.
func (m *fakeArrivals) endAtCall() {
	m.note(func() {
		m.callsLeft, m.endsBefore = rapid.IntRange(1, 8).Draw(m.rt, "calls"), rapid.Bool().Draw(m.rt, "before")
	})
	m.wait(5 * time.Second)
	m.end()
}

// settle waits until everything has arrived, and ends the life.
func (m *fakeArrivals) settle() {
	time.Sleep(time.Hour)
	synctest.Wait()
	m.endLife()
}

// taken is a message that a turn has taken.
type taken struct {
	turn  string
	at    int64 // time at which the turn began, in milliseconds
	parts string
}

// check checks that the results for all sent messages obey the rules.
func (m *fakeArrivals) check() {
	took := map[int64]taken{}
	var order []int64
	for _, row := range m.query("SELECT turn || ' ' || started_at || ' ' || parts " +
		"FROM message JOIN turn ON turn.id = turn WHERE role = 'user' ORDER BY message.id") {
		v := taken{}
		_, err := fmt.Sscan(row, &v.turn, &v.at)
		m.must(err)
		v.parts = row
		i := slices.IndexFunc(m.sent, func(in supervisor.Inbound) bool { return strings.Contains(row, in.Text) })
		if i < 0 {
			m.rt.Fatalf("nobody has sent what was taken: %s", row)
		}
		in := m.sent[i]
		if before, again := took[in.ID]; again {
			m.rt.Fatalf("%s was taken twice: %v and %v", in.Text, before, v)
		}
		took[in.ID], order = v, append(order, in.ID)
	}
	for _, in := range m.sent {
		m.checkState(in, took[in.ID])
	}
	m.checkOrder(order, took)
	for _, album := range m.albums {
		for _, id := range album[1:] {
			if took[id].turn != took[album[0]].turn {
				m.rt.Errorf("the album %v is taken by several turns: %v", album, took)
			}
		}
	}
	for what, query := range map[string]string{
		"unfinished operations": "SELECT id FROM operation WHERE state IN ('waiting', 'running')",
		"unfinished turns":      "SELECT id FROM turn WHERE ended_at IS NULL",
	} {
		if left := m.query(query); len(left) > 0 {
			m.rt.Errorf("%s: %v", what, left)
		}
	}
}

func (m *fakeArrivals) query(query string) []string {
	return sqlitetest.QueryColumn(m, m.db, query)
}

// checkState checks that a turn has taken a message with all its files, or that it was dropped.
func (m *fakeArrivals) checkState(in supervisor.Inbound, took taken) {
	state := m.query(fmt.Sprint("SELECT state FROM inbox WHERE id = ", in.ID))[0]
	dropped := in.ID < m.dropped[in.Conversation.ID] && took.turn == ""
	if (state == string(supervisor.InboundDropped)) != dropped || !dropped && state != string(supervisor.InboundAnswered) {
		m.rt.Errorf("%s is %s, and taken by turn %q", in.Text, state, took.turn)
	}
	if dropped {
		return
	}
	files, err := m.db.Attachments().ListFiles(m.Context(), in.ID)
	m.must(err)
	for _, f := range files {
		if strings.Count(took.parts, f.Name) == 0 {
			m.rt.Errorf("%s was taken without %s: %s", in.Text, f.Name, took.parts)
		}
	}
}

// checkOrder fails if a message was taken after a later message. It accepts that if the earlier
// message took longer than half a minute to arrive.
func (m *fakeArrivals) checkOrder(order []int64, took map[int64]taken) {
	for i, late := range order {
		for _, early := range order[:i] {
			a := m.sent[slices.IndexFunc(m.sent, func(in supervisor.Inbound) bool { return in.ID == late })]
			b := m.sent[slices.IndexFunc(m.sent, func(in supervisor.Inbound) bool { return in.ID == early })]
			if a.Conversation.ID == b.Conversation.ID && late < early &&
				took[early].at < a.ReceivedAt.Add(sqlite.MaxArrivalWait).UnixMilli() {
				m.rt.Errorf("%s was sent before %s, and taken after it: %v", a.Text, b.Text, took)
			}
		}
	}
}
