package telegram

import (
	"slices"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"mews/supervisor"
)

// changes returns the functions that read updates about changes of a chat or a message, by the kind
// of the update.
func (r *updateReader) changes() map[string]func(fields) {
	return map[string]func(fields){"my_chat_member": r.membership, "message_reaction": r.reaction}
}

// presentStates are the states of a chat's member who may write there. (Bot API, ChatMember.)
var presentStates = []string{"member", "administrator", "creator", "restricted"}

// membership reads an update that lets the bot write in a chat again: a user has started the
// stopped bot again, or a group has let it in.
func (r *updateReader) membership(m fields) {
	now, chat := field[fields](m, "new_chat_member"), field[gotgbot.Chat](m, "chat")
	private, group := chat.Type == "private", chat.Type == "group" || chat.Type == "supergroup"
	if r.in.Update == 0 || chat.Id == 0 || !private && !group || field[gotgbot.User](now, "user").Id != r.self.ID ||
		!slices.Contains(presentStates, field[string](now, "status")) {
		return
	}
	r.in.Kind, r.in.Chat, r.in.Group = supervisor.IncomingChatUnblocked, decimal(chat.Id), group
}

// reaction reads an emoji that a person has added to a message.
func (r *updateReader) reaction(m fields) {
	was, now := emojisOf(m, "old_reaction"), emojisOf(m, "new_reaction")
	added := slices.DeleteFunc(now, func(emoji string) bool { return slices.Contains(was, emoji) })
	if len(added) == 0 || !r.envelope(m) || !r.person(fields{"from": m["user"]}) {
		return
	}
	r.in.Kind, r.in.Text, r.in.Addressed = supervisor.IncomingReaction, added[0], true
}

// emojisOf returns the emojis of a list of reactions. (Bot API, ReactionTypeEmoji.)
func emojisOf(m fields, name string) (emojis []string) {
	for _, reaction := range field[[]fields](m, name) {
		if emoji := field[string](reaction, "emoji"); emoji != "" {
			emojis = append(emojis, line(emoji, maxName))
		}
	}
	return emojis
}
