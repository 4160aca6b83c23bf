package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"mews/supervisor"
)

// fakeChannel is a channel in memory, with chats and a script that decides how calls end.
type fakeChannel struct {
	latency time.Duration
	// script returns how a call ends; nil means success. If done is true, the call takes effect
	// even though its result is an unknown failure. Calls of script never overlap.
	script func(c called) (done bool, err *supervisor.SendError)

	mu    sync.Mutex // guards the fields below
	chats map[string][]*message
	calls []called
	ids   int
}

// called is one call of the channel.
type called struct {
	at      time.Time
	verb    string
	to      supervisor.PostAddress
	message string
	content supervisor.RichText
	nth     int // position of this call among those of the same verb in this chat, from 1
}

// message is a message in a chat.
type message struct {
	id      string
	content supervisor.RichText
	to      supervisor.PostAddress
	edits   int
}

func newFakeChannel() *fakeChannel { return &fakeChannel{chats: map[string][]*message{}} }

func (f *fakeChannel) Send(ctx context.Context, to supervisor.PostAddress, content supervisor.RichText) (string,
	error) {
	id := ""
	err := f.call(ctx, called{verb: "send", to: to, content: content}, func() error {
		f.ids++
		id = fmt.Sprint(f.ids)
		f.chats[to.Chat] = append(f.chats[to.Chat], &message{id: id, content: content, to: to})
		return nil
	})
	if err != nil {
		return "", err
	}
	return id, nil
}

func (f *fakeChannel) EditMessage(ctx context.Context, to supervisor.PostAddress, name string,
	content supervisor.RichText) error {
	return f.call(ctx, called{verb: "edit", to: to, message: name, content: content}, func() error {
		for _, m := range f.chats[to.Chat] {
			if m.id == name {
				m.content = content
				m.edits++
				return nil
			}
		}
		return refused(supervisor.SendReasonMessageGone)
	})
}

func (f *fakeChannel) DeleteMessage(ctx context.Context, to supervisor.PostAddress, name string) error {
	return f.call(ctx, called{verb: "delete", to: to, message: name}, func() error {
		f.remove(to.Chat, name)
		return nil
	})
}

func (f *fakeChannel) RemoveButtons(ctx context.Context, to supervisor.PostAddress, name string) error {
	return f.call(ctx, called{verb: "unbutton", to: to, message: name}, func() error {
		for _, m := range f.chats[to.Chat] {
			if m.id == name {
				m.content.Buttons = nil
			}
		}
		return nil
	})
}

func (f *fakeChannel) SendChatAction(ctx context.Context, to supervisor.PostAddress,
	action supervisor.ChatAction) error {
	return f.call(ctx, called{verb: string(action), to: to}, func() error { return nil })
}

func (f *fakeChannel) SetReaction(ctx context.Context, to supervisor.PostAddress, name, emoji string) error {
	return f.call(ctx, called{verb: "react", to: to, message: name, content: supervisor.RichText{Text: emoji}}, func() error { return nil })
}

// reactions lists the reactions given in a chat, in order, as "message emoji".
func (f *fakeChannel) reactions(chat string) []string {
	var list []string
	for _, c := range f.made(chat, "react") {
		list = append(list, strings.TrimSpace(c.message+" "+c.content.Text))
	}
	return list
}

// remove deletes a message from a chat. The caller holds f.mu, unless no other goroutine uses f.
func (f *fakeChannel) remove(chat, name string) {
	var kept []*message
	for _, m := range f.chats[chat] {
		if m.id != name {
			kept = append(kept, m)
		}
	}
	f.chats[chat] = kept
}

func (f *fakeChannel) call(ctx context.Context, c called, do func() error) error {
	f.mu.Lock()
	c.at, c.nth = time.Now(), 1
	for _, past := range f.calls {
		if past.verb == c.verb && past.to.Chat == c.to.Chat {
			c.nth++
		}
	}
	f.calls = append(f.calls, c)
	f.mu.Unlock()
	if f.latency > 0 {
		t := time.NewTimer(f.latency)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
			return &supervisor.SendError{Result: supervisor.SendResultUnknown, Err: context.Cause(ctx)}
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var failed *supervisor.SendError
	done := true
	if f.script != nil {
		done, failed = f.script(c)
	}
	if failed == nil || done {
		if err := do(); err != nil {
			return err
		}
	}
	if failed != nil {
		return failed
	}
	return nil
}

// made lists the calls of these verbs to a chat, in order.
func (f *fakeChannel) made(chat string, verbs ...string) []called {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []called
	for _, c := range f.calls {
		for _, v := range verbs {
			if c.verb == v && (chat == "*" || c.to.Chat == chat) {
				list = append(list, c)
			}
		}
	}
	return list
}

// texts lists the texts of a chat's messages, in order.
func (f *fakeChannel) texts(chat string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []string
	for _, m := range f.chats[chat] {
		list = append(list, m.content.Text)
	}
	return list
}

// rendered lists a chat's messages in order, each with its file, its text and its buttons.
func (f *fakeChannel) rendered(chat string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []string
	for _, m := range f.chats[chat] {
		look := m.content.Text
		if m.content.File != nil {
			names := []string{m.content.File.Name}
			for _, f := range m.content.Album {
				names = append(names, f.Name)
			}
			look = "[" + strings.Join(names, " ") + "] " + look
		}
		for _, row := range m.content.Buttons {
			for _, b := range row {
				look += " <" + b.Text + ">"
			}
		}
		list = append(list, look)
	}
	return list
}

// verbs lists the calls to a chat, without typing, in one line.
func (f *fakeChannel) verbs(chat string) string {
	var list []string
	for _, c := range f.made(chat, "send", "edit", "delete") {
		list = append(list, c.verb)
	}
	return strings.Join(list, " ")
}

var errFar = errors.New("far away")

func afterUnsent() *supervisor.SendError {
	return &supervisor.SendError{Result: supervisor.SendResultUnsent, Err: errFar}
}

func unknown() *supervisor.SendError {
	return &supervisor.SendError{Result: supervisor.SendResultUnknown, Err: errFar}
}

func refused(why supervisor.SendErrorReason) *supervisor.SendError {
	return &supervisor.SendError{Result: supervisor.SendResultRefused, Reason: why, Err: errFar}
}

func flood(d time.Duration) *supervisor.SendError {
	return &supervisor.SendError{Result: supervisor.SendResultUnsent, Reason: supervisor.SendReasonFlood, RetryAfter: d,
		Err: errFar}
}

// always returns a script in which every call of a verb fails with err, without effect.
func always(verb string, err *supervisor.SendError) func(called) (bool, *supervisor.SendError) {
	return func(c called) (bool, *supervisor.SendError) {
		if c.verb == verb {
			return false, err
		}
		return true, nil
	}
}

// away returns a script in which every call fails with err for the time d, which begins now.
func away(d time.Duration, err *supervisor.SendError) func(called) (bool, *supervisor.SendError) {
	back := time.Now().Add(d)
	return func(called) (bool, *supervisor.SendError) {
		if time.Now().Before(back) {
			return false, err
		}
		return true, nil
	}
}

// once returns a script in which the nth call of a verb fails with err.
func once(verb string, nth int, done bool, err *supervisor.SendError) func(called) (bool, *supervisor.SendError) {
	return func(c called) (bool, *supervisor.SendError) {
		if c.verb == verb && c.nth == nth {
			return done, err
		}
		return true, nil
	}
}
