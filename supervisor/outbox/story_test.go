package outbox_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"mews/supervisor"
	"mews/supervisor/outbox"
)

// plan is a story: the actions of users, the answers of the channel, and the crashes of processes.
type plan struct {
	Events  []event
	Fates   []string // results of the calls except typing, in order; later calls succeed
	Signs   []string // results of the calls for typing, in order; later calls succeed
	Crashes []int    // number of calls of the store until each process dies; the last process lives on
}

type event struct {
	Who  int // index of the conversation in which the event happens
	Wait int // milliseconds before the event
	Roll int // random number that decides the action
	Size int // number of words that the event adds
}

// endings are the ways in which a call may end, by name.
var endings = map[string]func() (done bool, err *supervisor.SendError){
	"well":         func() (bool, *supervisor.SendError) { return true, nil },
	"unsent":       func() (bool, *supervisor.SendError) { return false, afterUnsent() },
	"unknown":      func() (bool, *supervisor.SendError) { return true, unknown() },
	"unknown lost": func() (bool, *supervisor.SendError) { return false, unknown() },
	"flood":        func() (bool, *supervisor.SendError) { return false, flood(9 * time.Second) },
	"marks": func() (bool, *supervisor.SendError) {
		return false,
			refused(supervisor.SendReasonInvalidFormatting)
	},
	"refused": func() (bool, *supervisor.SendError) { return false, refused("") },
}

var drawPlan = rapid.Custom(func(t *rapid.T) plan {
	fates := rapid.SampledFrom([]string{"well", "well", "well", "well", "unsent", "unknown", "unknown lost", "flood", "marks",
		"refused"})
	return plan{
		Events: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) event {
			return event{rapid.IntRange(0, 3).Draw(t, "who"), rapid.IntRange(0, 3000).Draw(t, "wait"),
				rapid.IntRange(0, 9).Draw(t, "roll"), rapid.IntRange(1, 20).Draw(t, "size")}
		}), 1, 25).Draw(t, "events"),
		Fates:   rapid.SliceOfN(fates, 0, 40).Draw(t, "fates"),
		Signs:   rapid.SliceOfN(fates, 0, 20).Draw(t, "signs"),
		Crashes: rapid.SliceOfN(rapid.IntRange(1, 60), 0, 4).Draw(t, "crashes"),
	}
})

// planRun plays a plan.
type planRun struct {
	*rig
	plan     plan
	talks    []supervisor.Conversation
	turns    map[int]*turn
	texts    int
	sent     []supervisor.Delivery
	process  *process
	end      func()
	starts   []time.Time // start times of the processes
	mu       sync.Mutex  // guards the fields below
	unknowns int
	frozen   []frozen
	outcomes map[int64]supervisor.DeliveryResult
	wrong    []string
}

// frozen is a freeze on disk.
type frozen struct {
	chat        string
	from, until time.Time
}

func TestDeliveries_RandomFaults_RepeatsAreMarked(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := &planRun{plan: drawPlan.Draw(rt, "plan"), turns: map[int]*turn{},
			outcomes: map[int64]supervisor.DeliveryResult{}}
		dir := t.TempDir()
		synctest.Test(t, func(t *testing.T) {
			s.rig = newRig(t, dir)
			s.run()
		})
		if len(s.wrong) > 0 {
			rt.Fatalf("%s", strings.Join(s.wrong, "\n"))
		}
	})
}

func (s *planRun) run() {
	s.channel.latency, s.channel.script = 30*time.Millisecond, s.answer
	s.talks = []supervisor.Conversation{s.conversation("ann", "1"), s.conversation("bob", "2"), s.conversation("ann", club),
		s.conversation("bob", club)}
	s.start()
	for _, e := range s.plan.Events {
		pass(time.Duration(e.Wait) * time.Millisecond)
		s.act(e)
		if s.process.ended() {
			s.end()
			s.start()
		}
	}
	for i, turn := range s.turns {
		if turn != nil {
			s.act(event{Who: i, Roll: 9, Size: 1})
		}
	}
	for range 20 {
		pass(5 * time.Minute)
		if s.process.ended() {
			s.end()
			s.start()
		}
	}
	s.check()
	s.end()
}

// start begins a process.
func (s *planRun) start() {
	s.process = &process{}
	if len(s.plan.Crashes) > 0 {
		s.process.left, s.plan.Crashes = s.plan.Crashes[0], s.plan.Crashes[1:]
	}
	s.starts = append(s.starts, time.Now())
	l := s.process
	s.end = s.liveAs(l, func(o *outbox.Options) {
		o.Rates = outbox.SendRates{All: 4}
		r := recordingStore{killableStore{s.db, l}, s}
		o.Freezes, o.Deliveries = r, r
		o.Channel = killableChannel{s.channel, l}
	})
}

// recordingStore tells the planRun of writes to disk.
type recordingStore struct {
	killableStore
	s *planRun
}

func (f recordingStore) StoreOutcome(ctx context.Context, o supervisor.DeliveryOutcome) error {
	return f.use("close", func() error {
		err := f.db.Outbox().StoreOutcome(ctx, o)
		f.note(err, func() { f.s.outcomes[o.Delivery] = o.Outcome })
		return err
	})
}

func (f recordingStore) StoreChatFreeze(ctx context.Context, source, chat string, until time.Time) error {
	return f.use("freeze", func() error {
		err := f.db.Outbox().StoreChatFreeze(ctx, source, chat, until)
		f.note(err, func() { f.s.frozen = append(f.s.frozen, frozen{chat, time.Now(), until}) })
		return err
	})
}

func (f recordingStore) note(err error, what func()) {
	if err != nil {
		return
	}
	f.s.mu.Lock()
	defer f.s.mu.Unlock()
	what()
}

// killableChannel makes the calls of a dead process fail.
type killableChannel struct {
	*fakeChannel
	process *process
}

func (g killableChannel) EditMessage(ctx context.Context, to supervisor.PostAddress, name string,
	c supervisor.RichText) error {
	if g.process.ended() {
		return errDead
	}
	return g.fakeChannel.EditMessage(ctx, to, name, c)
}

func (g killableChannel) DeleteMessage(ctx context.Context, to supervisor.PostAddress, name string) error {
	if g.process.ended() {
		return errDead
	}
	return g.fakeChannel.DeleteMessage(ctx, to, name)
}

func (g killableChannel) SendChatAction(ctx context.Context, to supervisor.PostAddress,
	action supervisor.ChatAction) error {
	if g.process.ended() {
		return errDead
	}
	return g.fakeChannel.SendChatAction(ctx, to, action)
}

// answer returns how the channel ends a call.
func (s *planRun) answer(c called) (bool, *supervisor.SendError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fates := &s.plan.Fates
	if c.verb == "typing" {
		fates = &s.plan.Signs
	}
	if len(*fates) == 0 {
		return true, nil
	}
	fate := (*fates)[0]
	*fates = (*fates)[1:]
	if c.verb == "send" && strings.HasPrefix(fate, "unknown") {
		s.unknowns++
	}
	return endings[fate]()
}

// act performs an action of a user or a model.
func (s *planRun) act(e event) {
	c, turn := s.talks[e.Who], s.turns[e.Who]
	switch {
	case turn == nil && e.Roll < 5:
		s.sent = append(s.sent, s.notice(c, s.text(e.Size)))
	case turn == nil:
		s.turns[e.Who] = s.begin(c)
		s.turns[e.Who].said = s.text(e.Size)
		s.turns[e.Who].AppendText(s.turns[e.Who].said)
	case e.Roll == 0: // the model repeats its step
		turn.ResetStep()
		turn.said = turn.said[:min(len(turn.said), wordLength)]
		turn.AppendText(turn.said)
	case e.Roll == 1: // a command is answered while the turn runs
		s.sent = append(s.sent, s.notice(c, s.text(e.Size)))
	case e.Roll < 7:
		turn.say(more(turn.said[:3], len(turn.said)/wordLength, e.Size))
	case e.Roll == 7:
		s.sent = append(s.sent, turn.commitLast(turn.said))
		s.turns[e.Who] = nil
	default:
		s.sent = append(s.sent, turn.finish())
		s.turns[e.Who] = nil
	}
}

const wordLength = 9 // a part holds nine words of nine characters, so that each part begins with a word

// text returns a text whose words occur nowhere else.
func (s *planRun) text(size int) string {
	s.texts++
	return more(fmt.Sprintf("*%02d", s.texts), 0, size)
}

// more returns size words of the named text, from one index on.
func more(name string, from, size int) string {
	var b strings.Builder
	for i := range size {
		fmt.Fprintf(&b, "%s-%04d ", name, from+i)
	}
	return b.String()
}

func (s *planRun) fault(format string, args ...any) {
	s.wrong = append(s.wrong, fmt.Sprintf(format, args...))
}

// check checks the final state.
func (s *planRun) check() {
	for _, chat := range []string{"1", "2", club} {
		if n := s.waiting(chat); n > 0 {
			s.fault("%d deliveries to %s wait for ever", n, chat)
		}
		s.checkPace(chat, 3, 3*time.Second)
		s.checkOrder(chat)
	}
	s.checkPace(club, 20, time.Minute)
	s.checkPace("*", 4, time.Second)
	for _, d := range s.sent {
		s.checkDelivery(d)
	}
	for _, f := range s.frozen {
		s.checkFreeze(f)
	}
}

// checkFreeze checks that no call began within a freeze.
func (s *planRun) checkFreeze(f frozen) {
	chat := f.chat
	if chat == "" {
		chat = "*"
	}
	for _, c := range s.channel.made(chat, "send", "edit", "delete", "typing") {
		if c.at.After(f.from) && c.at.Before(f.until) {
			s.fault("chat %s: a %s within a freeze", c.to.Chat, c.verb)
		}
	}
}

// checkPace checks a window in each process: at most n calls in any span.
func (s *planRun) checkPace(chat string, n int, span time.Duration) {
	verbs := []string{"send", "edit", "delete"}
	if chat == "*" {
		verbs = append(verbs, "typing")
	}
	calls := s.channel.made(chat, verbs...)
	for i := n; i < len(calls); i++ {
		sameLife := !slices.ContainsFunc(s.starts, func(at time.Time) bool {
			return at.After(calls[i-n].at) && !at.After(calls[i].at)
		})
		if gap := calls[i].at.Sub(calls[i-n].at); gap < span && sameLife {
			s.fault("chat %s: %d calls within %v", chat, n+1, gap)
		}
	}
}

// checkOrder checks that queued deliveries are in order in the chat.
func (s *planRun) checkOrder(chat string) {
	last := 0
	for _, text := range s.channel.texts(chat) {
		text = strings.TrimPrefix(text, repeatMark)
		for i, d := range s.sent {
			if d.Turn != 0 || !strings.HasPrefix(d.Text, text[:min(3, len(text))]) {
				continue
			}
			if i < last {
				s.fault("chat %s: notice %d stands after notice %d", chat, i, last)
			}
			last = i
		}
	}
}

// checkDelivery checks what the chat shows of a delivery.
func (s *planRun) checkDelivery(d supervisor.Delivery) {
	lost := s.outcomes[d.ID] == supervisor.OutcomeUnknown || s.outcomes[d.ID] == supervisor.OutcomeFailed
	for _, part := range render(d.Text, false) {
		plain, marked, whole := 0, 0, 0
		for _, text := range s.channel.texts(d.Conversation.Chat) {
			unmarked := strings.TrimPrefix(text, repeatMark)
			if !strings.HasPrefix(unmarked, part.Text[:min(len(part.Text), wordLength)]) {
				continue
			}
			if strings.TrimSuffix(strings.TrimSuffix(unmarked, textApology), "\n\n") == part.Text {
				whole++
			}
			if unmarked == text {
				plain++
			} else {
				marked++
			}
		}
		switch {
		case plain > 1 || marked > 1:
			s.fault("delivery %d: %q stands there %d times, and %d times marked", d.ID, part.Text, plain, marked)
		case marked > 0 && s.unknowns == 0 && len(s.starts) == 1:
			s.fault("delivery %d: %q is marked, and nothing was uncertain", d.ID, part.Text)
		case whole == 0 && !lost:
			s.fault("delivery %d is sent, and %q does not stand there: %q", d.ID, part.Text, s.channel.texts(d.Conversation.Chat))
		}
	}
}
