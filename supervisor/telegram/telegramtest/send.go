package telegramtest

import (
	"slices"
	"strings"
	"time"
)

// content is the text or caption of a message.
type content struct {
	markedText
	keyboard [][]Button
}

// readText reads a message's text from a request.
func (j *callLog) readText(r *request) (content, answer) {
	c, a := j.readMarkedText(r, "text", "entities")
	if a.code == 0 {
		c.keyboard, a = readKeyboard(r.params)
	}
	return c, a
}

// readCaption reads a file's caption from a request. It may be empty.
func (j *callLog) readCaption(r *request) (c content, a answer) {
	if r.params.text("caption") != "" {
		c, a = j.readMarkedText(r, "caption", "caption_entities")
	}
	switch {
	case a.code != 0:
		return c, a
	case utf16Length(c.text) > maxCaption:
		return c, badRequest("message caption is too long")
	}
	c.keyboard, a = readKeyboard(r.params)
	return c, a
}

// readMarkedText reads a text and its entities from a request. Invalid entities are also a
// violation of the rules.
func (j *callLog) readMarkedText(r *request, text, marks string) (content, answer) {
	if mode := r.params.text("parse_mode"); mode != "" {
		j.violate("%s with parse_mode %s: this server reads entities only", r.method, mode)
		return content{}, badRequest("unsupported parse_mode")
	}
	entities, a := readEntities(r.params, marks)
	if a.code != 0 {
		j.violate("%s: %s", r.method, a.description)
		return content{}, a
	}
	m, a := normalize(r.params.text(text), entities)
	if a.code != 0 {
		if len(entities) > 0 {
			j.violate("%s: %s", r.method, a.description)
		}
		return content{}, a
	}
	a, violations := checkNesting(m.entities)
	if a.code != 0 {
		violations = append(violations, a.description)
	}
	for _, v := range violations {
		j.violate("%s: %s", r.method, v)
	}
	if len(m.entities) > maxEntities {
		j.violate("%s with %d entities: those after the first %d are dropped", r.method, len(m.entities), maxEntities)
		m.entities = slices.Clip(m.entities[:maxEntities])
	}
	return content{markedText: m}, a
}

// countSend counts a message or an edit. It refuses the request if there are too many.
func (w *serverState) countSend(r *request, c *chat) answer { return w.countSends(r, c, 1) }

// countSends counts an album with a number of messages. It refuses the request if there are too
// many.
func (w *serverState) countSends(r *request, c *chat, messages int) answer {
	a, violations := w.limits.recordSend(r, c, messages, w.now())
	for _, v := range violations {
		w.log.violate("%s", v)
	}
	return a
}

func sendMessage(w *serverState, r *request) answer {
	c, a := w.chats.find(r.chat)
	if a.code != 0 {
		return a
	}
	text, a := w.log.readText(r)
	if a.code != 0 {
		return a
	}
	if utf16Length(text.text) > maxText {
		return badRequest("message is too long")
	}
	m := &Message{
		From: w.bot.user, FromBot: true, Text: text.text, Entities: text.entities, Keyboard: text.keyboard,
		Silent: r.params.isTrue("disable_notification"), At: w.now().Truncate(time.Second),
	}
	if a := c.setThreadAndReply(m, r.params); a.code != 0 {
		return a
	}
	if a := w.countSend(r, c); a.code != 0 {
		return a
	}
	return good(c.json(w.chats.addMessage(c, m), false))
}

// replyTo is the parameter with the message that a new message replies to.
type replyTo struct {
	Message      int64 `json:"message_id"`
	AllowWithout bool  `json:"allow_sending_without_reply"`
}

// setThreadAndReply sets the topic of a new message and the message that it replies to. A request
// must not name the topic General.
func (c *chat) setThreadAndReply(m *Message, p params) answer {
	m.Thread = p.number("message_thread_id")
	if m.Thread != 0 && !c.topics[m.Thread] {
		return badRequest("message thread not found")
	}
	to := replyTo{p.number("reply_to_message_id"), p.isTrue("allow_sending_without_reply")}
	if err := p.decode("reply_parameters", &to); err != nil {
		return badRequest("can't parse reply parameters: %v", err)
	}
	if to.Message == 0 {
		return answer{}
	}
	answered := c.message(to.Message)
	if answered == nil && !to.AllowWithout {
		return badRequest("message to be replied not found")
	}
	if answered != nil {
		m.ReplyTo, m.root = answered.ID, answered.chainStart()
	}
	return answer{}
}

const unmodified = "message is not modified: specified new message content and reply markup are exactly the same as " +
	"a current content and reply markup of the message"

// findEditable returns the message that an edit names; only messages of the bot can be edited.
func (cs *chats) findEditable(r *request) (*chat, *Message, answer) {
	c, a := cs.find(r.chat)
	if a.code != 0 {
		return nil, nil, a
	}
	id := r.params.number("message_id")
	m := c.message(id)
	switch {
	case id == 0:
		return nil, nil, badRequest("message identifier is not specified")
	case m == nil:
		return nil, nil, badRequest("message to edit not found")
	case !m.FromBot, !hasInline(m.Keyboard):
		return nil, nil, badRequest("message can't be edited")
	}
	return c, m, answer{}
}

// edit changes a message. A change of only the buttons does not count as a send.
func (w *serverState) edit(r *request, c *chat, m *Message, to content) answer {
	same := m.Text == to.text && slices.Equal(m.Entities, to.entities)
	if same && slices.EqualFunc(m.Keyboard, to.keyboard, slices.Equal) {
		return badRequest(unmodified)
	}
	if a := w.countSend(r, c); a.code != 0 {
		return a
	}
	m.Text, m.Entities, m.Keyboard = to.text, to.entities, to.keyboard
	if !same {
		m.Edits++
	}
	return good(c.json(m, false))
}

func editMessageText(w *serverState, r *request) answer {
	c, m, a := w.chats.findEditable(r)
	if a.code != 0 {
		return a
	}
	text, a := w.log.readText(r)
	switch {
	case a.code != 0:
		return a
	case m.Media != "":
		return badRequest("there is no text in the message to edit")
	case utf16Length(text.text) > maxText:
		return badRequest("MESSAGE_TOO_LONG")
	}
	return w.edit(r, c, m, text)
}

func editMessageCaption(w *serverState, r *request) answer {
	c, m, a := w.chats.findEditable(r)
	if a.code != 0 {
		return a
	}
	caption, a := w.log.readCaption(r)
	switch {
	case a.code != 0:
		return a
	case m.Media == "":
		return badRequest("there is no caption in the message to edit")
	}
	return w.edit(r, c, m, caption)
}

func editMessageReplyMarkup(w *serverState, r *request) answer {
	c, m, a := w.chats.findEditable(r)
	if a.code != 0 {
		return a
	}
	keyboard, a := readKeyboard(r.params)
	if a.code != 0 {
		return a
	}
	return w.edit(r, c, m, content{markedText{m.Text, m.Entities}, keyboard})
}

func deleteMessage(w *serverState, r *request) answer {
	c, a := w.chats.find(r.chat)
	if a.code != 0 {
		return a
	}
	m := c.message(r.params.number("message_id"))
	switch {
	case r.params.number("message_id") == 0:
		return badRequest("message identifier is not specified")
	case m == nil:
		return badRequest("message to delete not found")
	case !m.FromBot && c.Type != "private":
		return badRequest("message can't be deleted")
	}
	m.Deleted = true
	return good(true)
}

// deleteMessages deletes messages. It ignores missing messages.
func deleteMessages(w *serverState, r *request) answer {
	c, a := w.chats.find(r.chat)
	if a.code != 0 {
		return a
	}
	var ids []int64
	if err := r.params.decode("message_ids", &ids); err != nil || len(ids) == 0 {
		return badRequest("message identifiers are not specified")
	}
	for _, id := range ids {
		if m := c.message(id); m != nil {
			m.Deleted = true
		}
	}
	return good(true)
}

// reactions are the emoji that bots may use. (Bot API, ReactionTypeEmoji.)
var reactions = strings.Fields("👍 👎 ❤ 🔥 🥰 👏 😁 🤔 🤯 😱 🤬 😢 🎉 🤩 🤮 💩 🙏 👌 🕊 🤡 🥱 🥴 😍 🐳 ❤‍🔥 🌚 🌭 💯 🤣 ⚡ 🍌 🏆 💔 🤨 😐 🍓 🍾 💋 🖕 " +
	"😈 😴 😭 🤓 👻 👨‍💻 👀 🎃 🙈 😇 😨 🤝 ✍ 🤗 🫡 🎅 🎄 ☃ 💅 🤪 🗿 🆒 💘 🙉 🦄 😘 💊 🙊 😎 👾 🤷‍♂ 🤷 🤷‍♀ 😡")

// setMessageReaction sets the bot's reaction. A bot has at most one reaction on a message. (Bot
// API, setMessageReaction.)
func setMessageReaction(w *serverState, r *request) answer {
	c, a := w.chats.find(r.chat)
	if a.code != 0 {
		return a
	}
	var list []struct{ Type, Emoji string }
	if err := r.params.decode("reaction", &list); err != nil {
		return badRequest("can't parse reaction types JSON object")
	}
	m := c.message(r.params.number("message_id"))
	emoji := ""
	switch {
	case m == nil:
		return badRequest("message to react not found")
	case len(list) > 1:
		return badRequest("REACTIONS_TOO_MANY")
	case len(list) == 1:
		emoji = list[0].Emoji
	}
	if emoji != "" && (list[0].Type != "emoji" || !slices.Contains(reactions, emoji)) {
		return badRequest("REACTION_INVALID")
	}
	m.Reaction = emoji
	return good(true)
}

var actions = strings.Fields("typing upload_photo record_video upload_video record_voice upload_voice upload_document " +
	"choose_sticker find_location record_video_note upload_video_note")

func sendChatAction(w *serverState, r *request) answer {
	c, a := w.chats.find(r.chat)
	switch thread := r.params.number("message_thread_id"); {
	case a.code != 0:
		return a
	case !slices.Contains(actions, r.params.text("action")):
		return badRequest("wrong parameter action in request")
	case thread > 1 && !c.topics[thread]: // chat actions may name the General topic as 1
		return badRequest("message thread not found")
	}
	return good(true)
}
