package chat

import (
	"bytes"
	"io"
	"testing"

	"mews/supervisor"
	"mews/supervisor/control"
)

// A line that answers a question of an earlier client also gets that turn's answer. The receipt of
// the line may come at any time.
func TestPipe_LineResumesTurn_GetsItsAnswer(t *testing.T) {
	notice := control.Delivery{Kind: supervisor.DeliveryNotice, Key: "mine", Text: "➜ blue"}
	turn := control.Delivery{Kind: supervisor.DeliveryAnswer, Inbound: 7, Key: "asker", Text: "They chose: blue"}
	foreign := control.Delivery{Kind: supervisor.DeliveryAnswer, Inbound: 6, Key: "another", Text: "Hello."}
	said := control.InputReceipt{Inbound: 9, Answered: true, Resumes: 7}
	receipt := func(p *pipe) { // handles the receipt of a line as the method send does
		if !p.acceptNotice("mine", said.Resumes) {
			p.findEarly("mine", said)
		}
	}
	for name, steps := range map[string][]any{
		"receipt first":            {receipt, notice, turn},
		"receipt second":           {notice, receipt, turn},
		"receipt last":             {notice, turn, receipt},
		"receipt after both":       {notice, foreign, turn, receipt},
		"foreign answer before":    {receipt, foreign, notice, turn},
		"foreign answer in middle": {receipt, notice, foreign, turn},
	} {
		t.Run(name, func(t *testing.T) {
			p := &pipe{err: io.Discard, changed: make(chan struct{}, 1), open: map[string]*openLine{"mine": {}}}
			for _, step := range steps {
				if d, ok := step.(control.Delivery); ok {
					// the pipe claims this answer when the receipt comes
					early := (name == "receipt last" || name == "receipt after both") && d.Key == "asker"
					if got := p.ShowDelivery(d); got == (d.Key == "another" || early) {
						t.Errorf("%q: taken %t", d.Text, got)
					}
				} else {
					step.(func(*pipe))(p)
				}
			}
			answers, _ := p.takeAnswers()
			if len(answers) != 1 || answers[0].Text != turn.Text || answers[0].lines != 1 || len(p.open) != 0 {
				t.Errorf("answers are %+v, open are %d", answers, len(p.open))
			}
		})
	}
}

// The notice suffices if the line answers a question of an open line: that line gets the answer.
func TestPipe_AnswerToOwnQuestion_NoticeSuffices(t *testing.T) {
	p := &pipe{err: io.Discard, changed: make(chan struct{}, 1),
		open: map[string]*openLine{"asker": {inbound: 7}, "mine": {}}}
	if p.acceptNotice("mine", 7) {
		t.Error("the notice has not come")
	}
	p.ShowDelivery(control.Delivery{Kind: supervisor.DeliveryNotice, Key: "mine", Text: "➜ blue"})
	p.ShowDelivery(control.Delivery{Kind: supervisor.DeliveryAnswer, Inbound: 7, Key: "asker",
		Text: "They chose: blue"})
	answers, _ := p.takeAnswers()
	if len(answers) != 2 || answers[0].lines+answers[1].lines != 2 || len(p.open) != 0 {
		t.Errorf("answers are %+v, open are %d", answers, len(p.open))
	}
}

// Without input, a question ends the pipe. Other notices with buttons do not end the pipe.
func TestPipe_QuestionWithoutInput_Ends(t *testing.T) {
	question := control.Delivery{Kind: supervisor.DeliveryNotice, Text: "Which?", Asks: true}
	approval := control.Delivery{Kind: supervisor.DeliveryNotice, Text: "May I?", Buttons: yesNo}
	reminder := control.Delivery{Kind: supervisor.DeliveryNotice, Text: "Tea.",
		Buttons: [][]supervisor.Button{{{Text: "Again", Press: "j:again"}}}}
	answer := control.Delivery{Kind: supervisor.DeliveryAnswer, Key: "mine", Text: "Done."}
	for name, c := range map[string]struct {
		deliveries []control.Delivery
		stuck      bool
	}{
		"question":           {[]control.Delivery{question}, true},
		"approval":           {[]control.Delivery{approval}, true},
		"reminder":           {[]control.Delivery{reminder}, false},
		"reminder, question": {[]control.Delivery{reminder, question}, true},
		"question, reminder": {[]control.Delivery{question, reminder}, true},
		"question, answer":   {[]control.Delivery{question, answer}, false},
		"nothing":            {nil, false},
	} {
		p := &pipe{err: io.Discard, changed: make(chan struct{}, 1), noInput: true,
			open: map[string]*openLine{"mine": {}}}
		for _, d := range c.deliveries {
			p.ShowDelivery(d)
		}
		if got := p.isStuck(); got != c.stuck {
			t.Errorf("%s: stuck %t, want %t", name, got, c.stuck)
		}
	}
}

// A pipe whose lines have ended can't answer a question.
func TestPipe_QuestionAfterLastLine_Ends(t *testing.T) {
	p := newRig(t)
	p.live()
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		p.begin(p.nextInbound())
		p.ask("May I?")
	}()
	var out, told bytes.Buffer
	err := runPipe(t.Context(), Console{Out: &out, Err: &told}, bytes.NewBufferString("do it\n"), p.socket, Options{})
	<-asked
	if err == nil || err.Error() != "of 1 line, 0 could not be sent and 1 had no full answer" || out.Len() > 0 ||
		!bytes.HasSuffix(told.Bytes(), []byte("mews: "+textAnswerHow+"\n")) {
		t.Errorf("printed was %q beside %q, %v", out.String(), told.String(), err)
	}
}
