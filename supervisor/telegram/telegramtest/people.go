package telegramtest

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// People has the actions of people and of Telegram itself.
type People struct{ state *serverState }

// Say sends a person's message and returns the ids of its update and of the message. If the client
// does not allow the kind, the update's id is 0. Say creates a missing chat.
func (p People) Say(in Chat, from User, text string, more ...MessageOption) (update, message int64) {
	p.state.change(func() { update, message = p.state.addPersonMessage(in, from, text, more) })
	return update, message
}

// personMessage is a message that Say builds.
type personMessage struct {
	*Message
	kind  string // kind of the update that carries the message
	files []File
}

// addPersonMessage adds a message and its update. The caller runs within serverState.change.
func (w *serverState) addPersonMessage(in Chat, from User, text string, more []MessageOption) (update, message int64) {
	c := w.chats.add(in)
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
		w.chats.addMessage(c, s.Message)
	}
	for _, f := range s.files {
		w.files.add(f)
	}
	return w.enqueue(s.kind, c.ID, mustMarshal(c.json(s.Message, false)), expires), s.ID
}

// enqueue adds an update of an allowed kind, and wakes waiting polls. The caller runs within
// serverState.change.
func (w *serverState) enqueue(kind string, chat int64, body json.RawMessage, expires time.Time) int64 {
	if !w.queue.allows(kind) {
		return 0
	}
	return w.enqueueAny(kind, chat, body, expires)
}

// enqueueAny adds an update of any kind. The caller runs within serverState.change.
func (w *serverState) enqueueAny(kind string, chat int64, body json.RawMessage, expires time.Time) int64 {
	id := w.queue.add(kind, chat, body, expires)
	w.polls.wakeUp()
	return id
}

// pushedUpdate has the fields of a test's update that the server needs.
type pushedUpdate struct {
	Date    int64 `json:"date"`
	ID      any   `json:"id"` // a number, or a string for a callback query
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

// PushUpdate adds any update: a map whose only key is the kind. PushUpdate ignores an update_id,
// and creates a missing chat and message. It returns the update's new id, or 0 if the client does
// not allow the kind.
func (p People) PushUpdate(u map[string]any) int64 {
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

// DeliverRawUpdate adds an update as JSON, even of a kind that the client does not allow.
func (p People) DeliverRawUpdate(raw json.RawMessage) int64 {
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

// push adds a test's update. The caller runs within serverState.change.
func (w *serverState) push(kind string, body json.RawMessage) int64 {
	var known pushedUpdate
	_ = json.Unmarshal(body, &known) // an update may be of any shape
	at := w.now()
	if known.Date != 0 {
		at = time.Unix(known.Date, 0)
	}
	if kind == "callback_query" {
		if query, ok := known.ID.(string); ok {
			w.chats.addQuery(query, w.now())
		}
		return w.enqueueAny(kind, known.From.ID, body, at.Add(keepUpdates))
	}
	if known.Chat.ID != 0 {
		c := w.chats.add(Chat{known.Chat.ID, known.Chat.Type, known.Chat.Title, known.Chat.Forum})
		if known.Message != 0 && c.message(known.Message) == nil {
			from := User{ID: known.From.ID, First: known.From.First, Username: known.From.Username, Bot: known.From.Bot}
			w.chats.addMessage(c, &Message{ID: known.Message, From: from, Text: known.Text, At: at})
		}
	}
	return w.enqueueAny(kind, known.Chat.ID, body, at.Add(keepUpdates))
}

// SetNextUpdateID sets the id of the next update. Telegram does this after a week without updates,
// so no update may wait.
func (p People) SetNextUpdateID(id int64) {
	p.state.change(func() {
		if p.state.queue.countPending(p.state.now()) > 0 {
			panic("telegramtest: SetNextUpdate while updates wait: ids fall back after a quiet week only")
		}
		p.state.queue.clear()
		p.state.queue.nextID = id
	})
}

// SetNextMessageID sets the id of the next message in a chat. It is also the next id in all chats
// that share the chat's counter.
func (p People) SetNextMessageID(chat, id int64) {
	p.state.change(func() {
		if c := p.state.chats.byID[chat]; c != nil && c.hasOwnCounter() {
			c.nextID = id
			return
		}
		p.state.chats.next = id
	})
}

// AddChat adds a chat in which the bot may write.
func (p People) AddChat(c Chat) { p.state.change(func() { p.state.chats.add(c) }) }

// CreateTopic creates a topic in a forum.
func (p People) CreateTopic(c Chat, thread int64) {
	p.state.change(func() { p.state.chats.add(c).topics[thread] = true })
}

// BlockBot blocks the bot in a chat, or removes it from a group.
func (p People) BlockBot(chat int64) { p.block(chat, true) }

// UnblockBot lets the bot write in a blocked chat again.
func (p People) UnblockBot(chat int64) { p.block(chat, false) }

// ForbidVoiceMessages makes the person of a private chat refuse voice messages.
func (p People) ForbidVoiceMessages(chat int64) {
	p.state.change(func() { p.state.chats.add(p.state.chats.chatOrDefault(chat)).refusesVoice = true })
}

func (p People) block(chat int64, blocked bool) {
	p.state.change(func() {
		c := p.state.chats.add(p.state.chats.chatOrDefault(chat))
		c.blocked = blocked
		state := map[bool]string{true: "kicked", false: "member"}
		member := func(blocked bool) map[string]any {
			return map[string]any{"status": state[blocked], "user": p.state.bot.user.json()}
		}
		p.state.enqueue("my_chat_member", c.ID, mustMarshal(map[string]any{
			"chat": c.Chat.json(), "date": p.state.now().Unix(), "from": User{ID: max(chat, 1)}.json(),
			"old_chat_member": member(!blocked), "new_chat_member": member(blocked),
		}), p.state.now().Add(keepUpdates))
	})
}

// React sets a person's reaction to a message of the bot. It returns the id of the update, or 0 if
// the client does not allow the kind.
func (p People) React(in Chat, from User, message int64, emoji string) (update int64) {
	p.state.change(func() {
		c := p.state.chats.add(in)
		update = p.state.enqueue("message_reaction", c.ID, mustMarshal(map[string]any{
			"chat": c.Chat.json(), "message_id": message, "date": p.state.now().Unix(), "user": from.json(),
			"old_reaction": []any{}, "new_reaction": []any{map[string]any{"type": "emoji", "emoji": emoji}},
		}), p.state.now().Add(keepUpdates))
	})
	return update
}

// chatOrDefault returns the chat with an id. The type of an unknown chat comes from its id.
func (cs *chats) chatOrDefault(id int64) Chat {
	if c := cs.byID[id]; c != nil {
		return c.Chat
	}
	return Chat{ID: id}
}

// MigrateToSupergroup turns a group into a supergroup. Both get a service message, and the group
// accepts no further messages.
func (p People) MigrateToSupergroup(group, supergroup int64) {
	p.state.change(func() {
		w := p.state
		old := w.chats.chatOrDefault(group)
		by := User{ID: 1087968824, First: "Group", Username: "GroupAnonymousBot", Bot: true}
		w.addPersonMessage(old, by, "", []MessageOption{WithField("migrate_to_chat_id", supergroup)})
		w.addPersonMessage(Chat{ID: supergroup, Type: "supergroup", Title: old.Title}, by, "",
			[]MessageOption{WithField("migrate_from_chat_id", group)})
		w.chats.byID[group].migratedTo = supergroup
	})
}
