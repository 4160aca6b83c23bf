package config

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Change is a key whose value is another than it was.
type Change struct {
	Key      string // its path; a user stands there by name: users.alice.role
	Old, New string // ready to be read, and never a secret; "" where there is nothing
	Restart  bool   // it holds only after a restart
}

// Diff is what differs in new from old, sorted by key. A user who is new or gone is one change.
func Diff(old, new *Config) []Change {
	was, is := leaves(old, new), leaves(new, old)
	all := maps.Clone(was)
	maps.Copy(all, is)
	var changes []Change
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if a, b := was[name], is[name]; a.text != b.text {
			changes = append(changes, Change{Key: name, Old: a.shown, New: b.shown, Restart: !all[name].live})
		}
	}
	return changes
}

// leaf is a key that has no keys below it.
type leaf struct {
	text  string // for comparing; of a secret itself
	shown string
	live  bool
}

// leaves are those of a Config, by name. A user whom other does not have is one.
func leaves(cfg, other *Config) map[string]leaf {
	all := map[string]leaf{}
	root(cfg).walk(func(k key) bool {
		user, isUser := k.value.Interface().(User)
		if isUser && !slices.ContainsFunc(other.Users, func(o User) bool { return o.Name == user.Name }) {
			all[k.name] = leaf{text: user.Role, shown: textUserOfRole + user.Role, live: k.live}
			return false
		}
		if k.isLeaf() {
			text, shown := printed(k.value)
			all[k.name] = leaf{text, shown, k.live}
		}
		return true
	})
	for name, key := range map[string]Secret{"access.key_file": cfg.Access.Key, "github.app.private_key_file": cfg.GitHub.App.PrivateKey} {
		file := all[name]
		file.text += "\n" + key.Reveal() // the file may hold another key than before
		all[name] = file
	}
	return all
}

// printed is a value for comparing, and for reading.
func printed(v reflect.Value) (text, shown string) {
	if v.Kind() == reflect.Slice {
		var items []string
		for i := range v.Len() {
			item, _ := printed(v.Index(i))
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
	text = readable(v.Interface())
	return text, text
}
