package telegramtest

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// People is what people do, and what Telegram does by itself.
type People struct{ state *serverState }

// Say has somebody send a message, and returns the ids of its update and of itself. The update's is
// 0 where the client has not allowed the kind. The chat is known from then on.
func (p People) Say(in Chat, from User, text string, more ...Field) (update, message int64) {
	p.state.change(func() { update, message = p.state.say(in, from, text, more) })
	return update, message
}

// personMessage is a message as Say puts it together.
type personMessage struct {
	*Message
	kind  string // of the update
	files []File
}

// say adds a message and its update. The caller is in change.
func (w *serverState) say(in Chat, from User, text string, more []Field) (update, message int64) {
	c := w.chats.meet(in)
	s := &personMessage{
		Message: &Message{From: from, Text: text, Entities: findEntities(text), At: w.now().Truncate(time.Second), more: map[string]any{}},
		kind:    "message",
	}
	if c.Type == "channel" {
		s.kind = "channel_post"
	}
	for _, f := range more {
		f(s)
	}
	if s.Thread != 0 {
		c.topics[s.Thread] = true
	}
	if answered := c.message(s.ReplyTo); answered != nil {
		s.root = answered.chainStart()
	}
	expires := s.At.Add(keepUpdates)
	if strings.HasPrefix(s.kind, "edited_") {
		c.replace(s.Message)
	} else {
		w.chats.put(c, s.Message)
	}
	for _, f := range s.files {
		w.files.add(f)
	}
	return w.enqueue(s.kind, c.ID, mustMarshal(c.json(s.Message, false)), expires), s.ID
}

// enqueue adds an update of a kind that is allowed, and wakes who waits for one. The caller is in
// change.
func (w *serverState) enqueue(kind string, chat int64, body json.RawMessage, expires time.Time) int64 {
	if !w.queue.allows(kind) {
		return 0
	}
	return w.enqueueAny(kind, chat, body, expires)
}

// enqueueAny is enqueue of any kind.
func (w *serverState) enqueueAny(kind string, chat int64, body json.RawMessage, expires time.Time) int64 {
	id := w.queue.add(kind, chat, body, expires)
	w.polls.wakeUp()
	return id
}

// pushedUpdate is what the server has to know of an update that a test has made.
type pushedUpdate struct {
	Date    int64 `json:"date"`
	ID      any   `json:"id"` // of a callback query, a string
	Message int64 `json:"message_id"`
	From    struct {
		ID       int64  `json:"id"`
		First    string `json:"first_name"`
		Username string `json:"username"`
		Bot      bool   `json:"is_bot"`
	} `json:"from"`
	Chat struct {
		ID    int64  `json:"id"`
		Type  string `json:"type"`
		Title string `json:"title"`
		Forum bool   `json:"is_forum"`
	} `json:"chat"`
	Text string `json:"text"`
}

// Push adds any update: a map of one key, the kind, beside which update_id is passed over. It
// returns the id that the update has got, 0 where the client has not allowed the kind. What it says
// of a chat and of a message is known then.
func (p People) Push(u map[string]any) int64 {
	var id int64
	for kind, v := range u {
		if kind == "update_id" {
			continue
		}
		body := mustMarshal(v)
		p.state.change(func() {
			if p.state.queue.allows(kind) {
				id = p.state.push(kind, body)
			}
		})
	}
	return id
}

// Deliver is Push of an update as JSON, whether the client has allowed its kind or not: what was
// allowed before and waits still comes.
func (p People) Deliver(raw json.RawMessage) int64 {
	var u map[string]json.RawMessage
	if err := json.Unmarshal(raw, &u); err != nil {
		panic(fmt.Sprintf("telegramtest: deliver %s: %v", raw, err))
	}
	var id int64
	for kind, body := range u {
		if kind != "update_id" {
			p.state.change(func() { id = p.state.push(kind, body) })
		}
	}
	return id
}

// push adds an update of a test's own making. The caller is in change.
func (w *serverState) push(kind string, body json.RawMessage) int64 {
	var known pushedUpdate
	_ = json.Unmarshal(body, &known) // an update may be of any shape
	at := w.now()
	if known.Date != 0 {
		at = time.Unix(known.Date, 0)
	}
	if kind == "callback_query" {
		if query, ok := known.ID.(string); ok {
			w.chats.ask(query, w.now())
		}
		return w.enqueueAny(kind, known.From.ID, body, at.Add(keepUpdates))
	}
	if known.Chat.ID != 0 {
		c := w.chats.meet(Chat{known.Chat.ID, known.Chat.Type, known.Chat.Title, known.Chat.Forum})
		if known.Message != 0 && c.message(known.Message) == nil {
			from := User{known.From.ID, known.From.First, known.From.Username, known.From.Bot}
			w.chats.put(c, &Message{ID: known.Message, From: from, Text: known.Text, At: at})
		}
	}
	return w.enqueueAny(kind, known.Chat.ID, body, at.Add(keepUpdates))
}

// SetNextUpdate is the id of the next update. Telegram does this after a week without one, so
// nothing may wait.
func (p People) SetNextUpdate(id int64) {
	p.state.change(func() {
		if p.state.queue.pending(p.state.now()) > 0 {
			panic("telegramtest: SetNextUpdate while updates wait: ids fall back after a quiet week only")
		}
		p.state.queue.clear()
		p.state.queue.tail = id
	})
}

// SetNextMessage is the id of the next message in a chat, and in those that count with it.
func (p People) SetNextMessage(chat, id int64) {
	p.state.change(func() {
		if c := p.state.chats.byID[chat]; c != nil && c.countsItself() {
			c.next = id
			return
		}
		p.state.chats.next = id
	})
}

// Meet makes a chat known: the bot may write there.
func (p People) Meet(c Chat) { p.state.change(func() { p.state.chats.meet(c) }) }

// Topic begins a topic in a forum.
func (p People) Topic(c Chat, thread int64) {
	p.state.change(func() { p.state.chats.meet(c).topics[thread] = true })
}

// Block has a person block the bot, or a group throw it out.
func (p People) Block(chat int64) { p.block(chat, true) }

// Unblock takes that back.
func (p People) Unblock(chat int64) { p.block(chat, false) }

// ForbidVoice has the person of a private chat take no voice messages.
func (p People) ForbidVoice(chat int64) {
	p.state.change(func() { p.state.chats.meet(p.state.chats.known(chat)).noVoice = true })
}

func (p People) block(chat int64, blocked bool) {
	p.state.change(func() { p.state.chats.meet(p.state.chats.known(chat)).blocked = blocked })
}

// known is a chat as it was met, or as its id says.
func (cs *chats) known(id int64) Chat {
	if c := cs.byID[id]; c != nil {
		return c.Chat
	}
	return Chat{ID: id}
}

// Migrate turns a group into a supergroup: both say so in a service message, and the group takes
// nothing more.
func (p People) Migrate(group, supergroup int64) {
	p.state.change(func() {
		w := p.state
		old := w.chats.known(group)
		by := User{ID: 1087968824, First: "Group", Username: "GroupAnonymousBot", Bot: true}
		w.say(old, by, "", []Field{With("migrate_to_chat_id", supergroup)})
		w.say(Chat{ID: supergroup, Type: "supergroup", Title: old.Title}, by, "",
			[]Field{With("migrate_from_chat_id", group)})
		w.chats.byID[group].migrated = supergroup
	})
}
