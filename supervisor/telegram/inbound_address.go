package telegram

import (
	"regexp"
	"slices"
	"strings"

	"github.com/PaulSonOfLars/gotgbot/v2"
)

// commandShape distinguishes a command from a path, as the inbox does. The expression's group is
// the bot that the command names.
var commandShape = regexp.MustCompile(`^/[A-Za-z][A-Za-z0-9_]{0,31}(@\w{1,64})?(?:\s|$)`)

// addressed reports whether a group's message is for the bot. That is a command that names no other
// bot, a message that names the bot, or a reply to the bot. The result words has the message's
// words without the bot's name at the beginning.
func addressed(m fields, w wording, self BotIdentity) (toBot bool, words wording, err error) {
	words, mentioned := w.withoutName(func(e gotgbot.MessageEntity, _ string) bool {
		return e.Type == "text_mention" && e.User != nil && e.User.Id == self.ID
	})
	name, err := nameOf(self, usernames(m, words))
	if err != nil {
		return false, words, err
	}
	words, named := words.withoutName(func(e gotgbot.MessageEntity, shown string) bool {
		return e.Type == "mention" && isName(shown, name)
	})
	if command := commandIn(m, words); command != nil {
		return command[1] == "" || isName(command[1], name), words, nil
	}
	from := field[gotgbot.User](repliedTo(m), "from")
	return mentioned || named || from.IsBot && from.Id == self.ID, words, nil
}

// nameOf returns the bot's name if a message has names, and "" if the name does not matter. An
// unknown name matters only if one of names may belong to a bot. A bot's name ends in "bot", except
// for a few names that were bought.
func nameOf(self BotIdentity, names []string) (string, error) {
	if len(names) == 0 {
		return "", nil
	}
	name, err := self.Name()
	mayBeBot := func(n string) bool { return strings.HasSuffix(strings.ToLower(n), "bot") }
	if err != nil && !slices.ContainsFunc(names, mayBeBot) {
		return "", nil
	}
	return name, err
}

func isName(said, name string) bool { return name != "" && strings.EqualFold(said, "@"+name) }

// usernames returns the names that a message mentions, and the bot of its command, with @.
func usernames(m fields, w wording) []string {
	var names []string
	for _, e := range w.entities {
		if e.Type == "mention" {
			names = append(names, w.span(e))
		}
	}
	if command := commandIn(m, w); command != nil && command[1] != "" {
		names = append(names, command[1])
	}
	return names
}

// commandIn returns a command and the bot that it names; nil if there is none. A forwarded command
// does not count. A command that a bot wrote for a user does not count either.
func commandIn(m fields, w wording) []string {
	if attribution(m) != "" {
		return nil
	}
	return commandShape.FindStringSubmatch(w.text())
}

// withoutName reports whether an entity names the bot. It returns the words without a name at their
// beginning. Words that are only the name stay.
func (w wording) withoutName(names func(e gotgbot.MessageEntity, shown string) bool) (words wording, named bool) {
	words = w
	for _, e := range w.entities {
		if shown := w.span(e); shown == "" || !names(e, shown) {
			continue
		}
		named = true
		if e.Offset != 0 {
			continue
		}
		if rest := w.after(e.Length).trimmed(); !rest.blank() {
			words = rest
		}
	}
	return words, named
}

// trimmed returns the words without the spaces, commas and colons that follow a name.
func (w wording) trimmed() wording {
	n := slices.IndexFunc(w.units, func(u uint16) bool { return !strings.ContainsRune(" \t\n,:", rune(u)) })
	if n < 0 {
		n = len(w.units)
	}
	return w.after(int64(n))
}
