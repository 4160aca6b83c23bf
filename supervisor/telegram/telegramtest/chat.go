package telegramtest

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"
)

// Message is a message in a chat, or one that was deleted from it.
type Message struct {
	ID      int64
	From    User
	FromBot bool // whether the server's bot sent the message
	Text    string
	// Media is the Bot API's word for the kind of the attachment: photo, voice ... Text is then its
	// caption.
	Media    string
	File     *File  // the attached file; only set for messages of the bot
	Album    string // id of the message's album; "" means none
	Entities []Entity
	Silent   bool
	ReplyTo  int64
	Thread   int64 // the forum topic; 0 if there is none
	Edits    int
	Deleted  bool
	At       time.Time // the message's date
	EditedAt time.Time // time of the sender's last edit
	Keyboard [][]Button
	Reaction string // the bot's reaction

	more map[string]any // further fields, as in the JSON of the Bot API
	root int64          // the first message of the chain of replies that ends in this message; 0 means this message
}

// chat is the server's state of a chat.
type chat struct {
	Chat
	messages     []*Message // messages in the order of their ids
	nextID       int64      // next message id, if the chat numbers its own messages
	topics       map[int64]bool
	blocked      bool
	refusesVoice bool  // whether the chat's person accepts no voice messages
	migratedTo   int64 // id of the supergroup that the chat has become; 0 means none
}

// chats are the chats in which the bot may write.
type chats struct {
	byID  map[int64]*chat
	first int64 // the first message id of each counter
	// next is the next message id of the account, in all private chats and basic groups together.
	next        int64
	openQueries map[string]time.Time // start times of the callback queries without an answer
}

// add adds a chat in which the bot may write, or returns the existing chat.
func (cs *chats) add(c Chat) *chat {
	c.Type = cmp.Or(c.Type, kindOf(c.ID))
	known := cs.byID[c.ID]
	if known == nil {
		known = &chat{nextID: cs.first, topics: map[int64]bool{}}
		cs.byID[c.ID] = known
	}
	known.Chat = c
	return known
}

// kindOf returns a chat's type by its id. (Supergroups and channels are numbered from
// -1000000000000 down.)
func kindOf(id int64) string {
	switch {
	case id > 0:
		return "private"
	case id <= -1000000000000:
		return "supergroup"
	}
	return "group"
}

// find returns the chat of a request, or a refusal.
func (cs *chats) find(id int64) (*chat, answer) {
	c := cs.byID[id]
	switch {
	case id == 0:
		return nil, badRequest("chat_id is empty")
	case c == nil:
		return nil, badRequest("chat not found")
	case c.migratedTo != 0:
		a := badRequest("group chat was upgraded to a supergroup chat")
		a.migrateTo = c.migratedTo
		return nil, a
	case c.blocked:
		return nil, refuse(http.StatusForbidden, "Forbidden: %s", c.leftText())
	}
	return c, answer{}
}

// leftText returns the error text for a bot that has left a chat.
func (c *chat) leftText() string {
	if c.Type == "private" {
		return "bot was blocked by the user"
	}
	return fmt.Sprintf("bot was kicked from the %s chat", c.Type)
}

// hasOwnCounter reports whether a chat numbers its messages with a counter of its own.
func (c *chat) hasOwnCounter() bool { return c.Type == "supergroup" || c.Type == "channel" }

// addMessage adds a message and numbers it.
func (cs *chats) addMessage(c *chat, m *Message) *Message {
	counter := &cs.next
	if c.hasOwnCounter() {
		counter = &c.nextID
	}
	if m.ID == 0 {
		m.ID = *counter
	}
	*counter = max(*counter, m.ID+1)
	at, _ := c.search(m.ID)
	c.messages = slices.Insert(c.messages, at, m)
	return m
}

// message returns a message in the chat; nil if there is none.
func (c *chat) message(id int64) *Message {
	i, ok := c.search(id)
	if !ok || c.messages[i].Deleted {
		return nil
	}
	return c.messages[i]
}

// replace replaces a message by its edited version. The position and the date stay. The attachment
// keeps its kind, and only its file changes.
func (c *chat) replace(m *Message) {
	m.EditedAt = m.At
	old := c.message(m.ID)
	if old == nil {
		return
	}
	m.At, m.Edits, m.ReplyTo, m.root, m.Thread = old.At, old.Edits+1, old.ReplyTo, old.root, old.Thread
	for name, value := range old.more {
		if _, anew := m.more[name]; !anew && (m.Media == "" || name != old.Media) {
			m.more[name] = value
		}
	}
	m.Media = cmp.Or(m.Media, old.Media)
	*old = *m
}

func (c *chat) search(id int64) (int, bool) {
	return slices.BinarySearchFunc(c.messages, id, func(m *Message, id int64) int { return cmp.Compare(m.ID, id) })
}

// chainStart returns the first message of a chain of replies.
func (m *Message) chainStart() int64 { return cmp.Or(m.root, m.ID) }

// json returns a user as JSON of the Bot API.
func (u User) json() map[string]any {
	m := map[string]any{"id": u.ID, "is_bot": u.Bot, "first_name": cmp.Or(u.First, fmt.Sprint("U", u.ID))}
	if u.Username != "" {
		m["username"] = u.Username
	}
	if u.Language != "" {
		m["language_code"] = u.Language
	}
	return m
}

// json returns a chat as JSON of the Bot API.
func (c Chat) json() map[string]any {
	m := map[string]any{"id": c.ID, "type": cmp.Or(c.Type, kindOf(c.ID))}
	if m["type"] == "private" {
		m["first_name"] = cmp.Or(c.Title, fmt.Sprint("U", c.ID))
	} else {
		m["title"] = cmp.Or(c.Title, fmt.Sprint("Chat ", c.ID))
	}
	if c.Forum {
		m["is_forum"] = true
	}
	return m
}

// json returns a message as JSON of the Bot API, with the message that it replies to unless shallow
// is true.
func (c *chat) json(m *Message, shallow bool) map[string]any {
	v := map[string]any{"message_id": m.ID, "date": m.At.Unix(), "chat": c.Chat.json()}
	if c.Type == "channel" {
		v["sender_chat"] = c.Chat.json()
	} else {
		v["from"] = m.From.json()
	}
	if m.Media == "" && m.Text != "" {
		v["text"], v["entities"] = m.Text, m.Entities
	} else if m.Text != "" {
		v["caption"], v["caption_entities"] = m.Text, m.Entities
	}
	for _, name := range []string{"entities", "caption_entities"} {
		if len(m.Entities) == 0 {
			delete(v, name)
		}
	}
	c.jsonOfFile(v, m)
	maps.Copy(v, m.more)
	if m.Album != "" {
		v["media_group_id"] = m.Album
	}
	if m.Keyboard != nil && hasInline(m.Keyboard) {
		v["reply_markup"] = map[string]any{"inline_keyboard": m.Keyboard}
	}
	switch {
	case !m.EditedAt.IsZero():
		v["edit_date"] = m.EditedAt.Unix()
	case m.Edits > 0:
		v["edit_date"] = m.At.Unix()
	}
	c.jsonOfThread(v, m, shallow)
	return v
}

// jsonOfFile adds the fields of a file that the bot sent to v.
func (c *chat) jsonOfFile(v map[string]any, m *Message) {
	switch {
	case m.File == nil:
	case m.Media == "photo":
		v["photo"] = []any{m.File.json(map[string]any{"width": 90, "height": 90})}
	default:
		v[m.Media] = m.File.json(map[string]any{"file_name": m.File.Name})
	}
}

// jsonOfThread adds a message's thread. In a forum, a message that is no reply comes as a reply to
// the topic's first message. In a supergroup without topics, the thread is the chain of replies.
func (c *chat) jsonOfThread(v map[string]any, m *Message, shallow bool) {
	answered := c.message(m.ReplyTo)
	switch {
	case m.Thread != 0:
		v["message_thread_id"], v["is_topic_message"] = m.Thread, true
		if !shallow && answered == nil && c.Forum {
			v["reply_to_message"] = c.topic(m)
		}
	case c.Type == "supergroup" && !c.Forum && m.root != 0:
		v["message_thread_id"] = m.root
	}
	if !shallow && answered != nil {
		v["reply_to_message"] = c.json(answered, true)
	}
}

// topic returns the service message that begins a topic.
func (c *chat) topic(m *Message) map[string]any {
	return map[string]any{
		"message_id": m.Thread, "date": m.At.Unix(), "chat": c.Chat.json(), "from": m.From.json(),
		"message_thread_id": m.Thread, "is_topic_message": true,
		"forum_topic_created": map[string]any{"name": fmt.Sprint("Topic ", m.Thread), "icon_color": 7322096},
	}
}
