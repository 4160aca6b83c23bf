package main_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor"
	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
)

// saidSinceAnswer returns the user's messages since the model's last answer, and the number of the
// model's steps since then.
func saidSinceAnswer(r modeltest.Request) (texts []string, steps int) {
	for _, m := range r.Messages {
		switch {
		case m.Role == "user":
			texts = append(texts, m.Content)
		case m.Role == "assistant" && len(m.Calls) > 0:
			steps++
		case m.Role == "assistant":
			texts, steps = nil, 0
		}
	}
	return texts, steps
}

// echoAfter makes some steps, and then answers with all messages of the user.
func echoAfter(steps int) modeltest.Script {
	return func(r modeltest.Request) modeltest.Answer {
		texts, taken := saidSinceAnswer(r)
		if taken < steps {
			return modeltest.Answer{Calls: []modeltest.Call{{Name: "list_files", Args: fmt.Sprintf(`{"limit":%d}`, taken+1)}}}
		}
		return modeltest.Answer{Text: "heard: " + strings.Join(texts, " | ")}
	}
}

// sayFirst is a model that says a text with its first step.
func sayFirst(text string, script modeltest.Script) modeltest.Script {
	return func(r modeltest.Request) modeltest.Answer {
		a := script(r)
		if _, taken := saidSinceAnswer(r); taken == 0 {
			a.Text = text
		}
		return a
	}
}

// heldModel is a model that holds one request. passes is the
// number of earlier requests that it does not hold.
type heldModel struct {
	script   modeltest.Script
	passes   atomic.Int32
	asked    chan struct{} // closed when the held request comes
	released chan struct{} // closed by the test to answer the held request
}

func newHeldModel(script modeltest.Script) *heldModel {
	return &heldModel{script: script, asked: make(chan struct{}), released: make(chan struct{})}
}

func (b *heldModel) answer(r modeltest.Request) modeltest.Answer {
	if b.passes.Add(-1) == -1 {
		close(b.asked)
		<-b.released
	}
	return b.script(r)
}

// TestBusyModes_SecondMessage_GetsAnAnswer tries the same messages in each of the three busy modes.
// The second message comes during the first model step of the turn, or during the second step. Real
// programs run.
func TestBusyModes_SecondMessage_GetsAnAnswer(t *testing.T) {
	type answer struct {
		To   []int // numbers of the user's messages that are answered
		Text string
	}
	const cut = "(Stopped, because you wrote more. The next answer covers all your messages.)"
	const taken = "(I have read what you sent meanwhile, and go on with it in mind.)"
	for _, c := range []struct {
		name   string
		config string
		before string // a command that is answered first
		aloud  string // text of the first step; the second message comes after this text
		stops  bool   // the second message stops the step, so the model is not released
		want   []answer
	}{
		{name: "as it is without being told", want: []answer{{[]int{0, 1}, taken + "\n\nheard: one | two"}}},
		{name: "queue", config: "chat: {busy: queue}\n", want: []answer{{[]int{0}, "heard: one"}, {[]int{1}, "heard: two"}}},
		{name: "restart", config: "chat: {busy: restart}\n", stops: true, want: []answer{{[]int{0, 1}, "heard: one | two"}}},
		{name: "restart where something was said", config: "chat: {busy: restart}\n", stops: true, aloud: "Let me look.",
			want: []answer{{[]int{0}, "Let me look.\n\n" + cut}, {[]int{1}, "heard: one | two"}}},
		{name: "restart where the person wants a queue", config: "chat: {busy: restart}\n", before: "/settings busy queue",
			want: []answer{{[]int{0}, "heard: one"}, {[]int{1}, "heard: two"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			model := newHeldModel(echoAfter(2))
			if c.aloud != "" {
				model.script = sayFirst(c.aloud, model.script)
				model.passes.Store(1)
			}
			_, url := modeltest.NewServer(t, model.answer)
			h := apptest.NewService(t, url, "p0")
			h.AppendConfig(c.config)
			h.Start()
			k := newChatUser(h, "p0", make([]chatMessage, 3), make(chan struct{}, 10))
			var talking sync.WaitGroup
			defer talking.Wait()
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			talking.Go(func() { k.chat.Run(ctx, 0) })
			<-k.joined
			say := func(key, text string) {
				t.Helper()
				if _, err := k.chat.SendMessage(ctx, key, text); err != nil {
					t.Fatal(err)
				}
			}
			if c.before != "" {
				say("k", c.before)
				h.WaitUntilTrue(10*time.Second, "the command to be done", func() bool {
					return h.QueryCount("SELECT count(*) FROM inbox WHERE state = 'done'") == 1
				})
			}
			say("k0", "one")
			<-model.asked
			say("k1", "two")
			release := sync.OnceFunc(func() { close(model.released) })
			defer release()
			if !c.stops {
				release()
			}
			h.WaitUntilTrue(30*time.Second, "both to be done", func() bool {
				return h.QueryCount("SELECT count(*) FROM inbox WHERE state <> 'done'") == 0
			})
			leave()
			talking.Wait()
			var got []answer
			for _, d := range k.got {
				if d.Kind != supervisor.DeliveryAnswer {
					continue
				}
				a := answer{Text: d.Text}
				for _, key := range append([]string{d.Key}, d.Also...) {
					n, err := strconv.Atoi(strings.TrimPrefix(key, "k"))
					if err != nil {
						t.Error(err)
					}
					a.To = append(a.To, n)
				}
				got = append(got, a)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			h.Stop()
			h.CheckIntegrity()
		})
	}
}
