package config

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// KeyChange is a key with a new value.
type KeyChange struct {
	Key      string // path of the key; users appear by name: users.alice.role
	Old, New string // values for display, never secrets; "" means no value
	Restart  bool   // the value takes effect only after a restart
}

// Diff lists the differences between two configurations, sorted by key. A new or removed user is
// one change.
func Diff(old, new *Config) []KeyChange {
	was, is := leaves(old, new), leaves(new, old)
	all := maps.Clone(was)
	maps.Copy(all, is)
	var changes []KeyChange
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if a, b := was[name], is[name]; a.text != b.text {
			live := all[name].live && (name != TelegramTokenKey || isSameBot(a.text, b.text)) ||
				all[name].replaced && a.isSet() && b.isSet()
			changes = append(changes, KeyChange{Key: name, Old: a.shown, New: b.shown, Restart: !live})
		}
	}
	return changes
}

// TelegramTokenKey is the key of the Telegram bot's token.
const TelegramTokenKey = "telegram.token"

// isSameBot reports whether two tokens belong to one bot. Messages belong to a bot, so a change to
// another bot needs a restart.
func isSameBot(old, new string) bool {
	a, _, _ := strings.Cut(old, ":")
	b, _, _ := strings.Cut(new, ":")
	return a == b && a != ""
}

// leaf is a key without keys below it.
type leaf struct {
	text  string // value for comparisons; may contain secrets
	shown string
	live  bool
	// replaced means that a change from one value to another takes effect at once. Setting a first
	// value, or removing the value, needs a restart.
	replaced bool
}

// isSet reports whether a key, or the file that it names, has a value.
func (l leaf) isSet() bool { return strings.Trim(l.text, "\n") != "" }

// leaves returns the leaves of a Config, by name. A user who is missing in other counts as one
// leaf.
func leaves(cfg, other *Config) map[string]leaf {
	all := map[string]leaf{}
	rootKey(cfg).walk(func(k key) bool {
		user, isUser := k.value.Interface().(User)
		if isUser && !slices.ContainsFunc(other.Users, func(o User) bool { return o.Name == user.Name }) {
			all[k.name] = leaf{text: user.Role, shown: textUserOfRole + user.Role, live: k.live}
			return false
		}
		if k.isLeaf() {
			text, shown := formatValue(k.value)
			all[k.name] = leaf{text, shown, k.live, k.replaced}
		}
		return true
	})
	for name, key := range map[string]Secret{"access.key_file": cfg.Access.Key, "github.app.private_key_file": cfg.GitHub.App.PrivateKey} {
		file := all[name]
		file.text += "\n" + key.Reveal() // the path may be the same, but the content of the file may have changed
		all[name] = file
	}
	return all
}

// formatValue formats a value: text is for comparisons, and shown for display.
func formatValue(v reflect.Value) (text, shown string) {
	if v.Kind() == reflect.Slice {
		var items []string
		for i := range v.Len() {
			item, _ := formatValue(v.Index(i))
			items = append(items, item)
		}
		text = strings.Join(items, ", ")
		return text, text
	}
	secret, isSecret := v.Interface().(Secret)
	switch {
	case isSecret && secret.Reveal() == "":
		return "", ""
	case isSecret:
		return secret.Reveal(), hidden
	}
	text = formatNumber(v.Interface())
	return text, text
}
