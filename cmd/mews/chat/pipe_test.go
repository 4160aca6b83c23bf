package chat

import (
	"bytes"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/control"
	"mews/supervisor/sqlite"
)

func TestPipe_UnsendableLine_SendsOtherLines(t *testing.T) {
	p := newRig(t)
	p.live()
	defer p.echoAnswers(2)()
	var out, told bytes.Buffer
	lines := "one\n" + strings.Repeat("x", supervisor.MaxInboundText+1) + "\ncaf\xe9\n" + strings.Repeat("y",
		3*supervisor.MaxInboundText) + "\ntwo\n"
	err := runPipe(t.Context(), Console{Out: &out, Err: &told}, strings.NewReader(lines), p.socket, Options{})
	if out.String() != "re: one\nre: two\n" || err == nil || err.Error() != "of 5 lines, 3 could not be sent and 0 had no full answer" {
		t.Errorf("printed was %q, %v", out.String(), err)
	}
	for _, want := range []string{"more than 256 KiB", "not text in UTF-8"} {
		if !strings.Contains(told.String(), want) {
			t.Errorf("%q is not told in %q", want, told.String())
		}
	}
}

func TestPipe_LongestLine_IsSent(t *testing.T) {
	p := newRig(t)
	p.live()
	var answering sync.WaitGroup
	answering.Go(func() {
		if in := p.answer("long"); len(in.Text) != supervisor.MaxInboundText {
			t.Errorf("%d bytes came", len(in.Text))
		}
	})
	var out bytes.Buffer
	lines := strings.NewReader(strings.Repeat("x", supervisor.MaxInboundText) + "\r\n")
	err := runPipe(t.Context(), Console{Out: &out, Err: io.Discard}, lines, p.socket, Options{})
	answering.Wait()
	if err != nil || out.String() != "long\n" {
		t.Errorf("printed was %q, %v", out.String(), err)
	}
}

func TestPipe_FailedTurn_PrintsAndFails(t *testing.T) {
	p := newRig(t)
	p.live()
	var answering sync.WaitGroup
	answering.Go(func() {
		turn, s := p.begin(p.nextInbound())
		_, err := p.db.Turns().Finish(t.Context(), sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndError,
			State: supervisor.InboundAnswered, Text: "It did not work."})
		p.must(err)
		s.Close()
		p.answer("This did.")
	})
	var out bytes.Buffer
	err := runPipe(t.Context(), Console{Out: &out, Err: io.Discard}, strings.NewReader("one\ntwo\n"), p.socket, Options{})
	answering.Wait()
	if out.String() != "It did not work.\nThis did.\n" || err == nil || !strings.Contains(err.Error(), "1 had no full answer") {
		t.Errorf("printed was %q, %v", out.String(), err)
	}
}

func TestPipe_Notice_IsPrintedAndStaysWaiting(t *testing.T) {
	p := newRig(t)
	p.live()
	var answering sync.WaitGroup
	answering.Go(func() {
		in := p.nextInbound()
		p.notice("by the way\x1b[2J")
		turn, s := p.begin(in)
		p.finish(turn, s, "hello")
	})
	var out, told bytes.Buffer
	err := runPipe(t.Context(), Console{Out: &out, Err: &told}, strings.NewReader("one\n"), p.socket, Options{})
	answering.Wait()
	if err != nil || out.String() != "hello\n" || told.String() != "mews: by the way[2J\n" || p.waiting() != 1 {
		t.Errorf("printed was %q beside %q, %v; %d wait", out.String(), told.String(), err, p.waiting())
	}
}

// The program at the other end of the pipe may be silent. A failed chat must end anyway.
func TestPipe_SupervisorEnds_StopsReadingInput(t *testing.T) {
	p := newRig(t)
	end := p.live()
	in, typing := io.Pipe()
	defer typing.Close()
	ended := make(chan error, 1)
	var out bytes.Buffer
	go func() {
		ended <- runPipe(t.Context(), Console{Out: &out, Err: io.Discard}, in, p.socket, Options{ReconnectTimeout: 1})
	}()
	_, err := typing.Write([]byte("one\n"))
	p.must(err)
	p.answer("re: one")
	end()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "`mews run` starts it again") {
		t.Errorf("ended with %v", err)
	}
}

// The turn of another user's message reads the line, and answers both.
func TestPipe_LineDuringAnotherTurn_GetsAnswer(t *testing.T) {
	p := newRig(t)
	p.live()
	c, err := p.db.Conversations().FindOrCreate(t.Context(), "ann", supervisor.ChannelTerminal, "", "")
	p.must(err)
	first, _, err := p.db.Inbox().StoreInbound(t.Context(), supervisor.Inbound{Conversation: c, Source: "elsewhere",
		Key:  "k",
		Kind: supervisor.KindText, Text: "look"})
	p.must(err)
	turn, s := p.begin(first)
	var answering sync.WaitGroup
	answering.Go(func() {
		p.nextInbound()
		if taken, err := p.db.Turns().AddWaitingTexts(t.Context(), turn.ID, 1<<10,
			supervisor.PriorityUsual); taken != 1 || err != nil {
			t.Errorf("%d lines were taken in, %v", taken, err)
		}
		p.finish(turn, s, "I see both.")
	})
	var out bytes.Buffer
	err = runPipe(t.Context(), Console{Out: &out, Err: io.Discard}, strings.NewReader("and this\n"), p.socket, Options{})
	answering.Wait()
	if err != nil || out.String() != "I see both.\n" {
		t.Errorf("printed was %q, %v", out.String(), err)
	}
}

// A press counts as a line: one answer may be for the press and for the line before it.
func TestPipe_IncompleteAnswer_FailsEachLine(t *testing.T) {
	var out bytes.Buffer
	p := &pipe{out: &out, err: io.Discard, changed: make(chan struct{}, 1), open: map[string]*openLine{"a": {}, "b": {}}, said: 3}
	d := control.Delivery{Key: "a", Also: []string{"b", "of somebody else"}, Why: protocol.TurnEndError,
		Kind: supervisor.DeliveryAnswer,
		Text: "It did not work."}
	if !p.ShowDelivery(d) {
		t.Fatal("it is not taken")
	}
	answers, _ := p.takeAnswers()
	for _, a := range answers {
		if err := p.printAnswer(a); err != nil {
			t.Error(err)
		}
	}
	err := p.result()
	if out.String() != "It did not work.\n" || err == nil || err.Error() != "of 3 lines, 0 could not be sent and 2 had no full answer" {
		t.Errorf("printed was %q, %v", out.String(), err)
	}
}

// TestPipe_Timeout_EndsWithError: nobody answers, as when the worker can't be started.
func TestPipe_Timeout_EndsWithError(t *testing.T) {
	p := newRig(t)
	p.live()
	var out bytes.Buffer
	lines := strings.NewReader("one\ntwo\n")
	err := runPipe(t.Context(), Console{Out: &out, Err: io.Discard}, lines, p.socket, Options{AnswerTimeout: 1})
	if err == nil || !strings.HasPrefix(err.Error(), "no answer came within ") || out.Len() > 0 {
		t.Errorf("%v; printed was %q", err, &out)
	}
}

func TestPipe_AnswerBeforeTimeout_IsPrinted(t *testing.T) {
	p := newRig(t)
	p.live()
	defer p.echoAnswers(1)()
	var out bytes.Buffer
	o := Options{AnswerTimeout: time.Hour}
	err := runPipe(t.Context(), Console{Out: &out, Err: io.Discard}, strings.NewReader("one\n"), p.socket, o)
	if err != nil || out.String() != "re: one\n" {
		t.Errorf("%v; printed was %q", err, &out)
	}
}
