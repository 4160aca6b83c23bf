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

// live are the keys that can be applied while the service runs, each with all that is below it; false says that it can't.
// The longest that fits counts, and what has none needs a restart. A * is any name.
var live = map[string]bool{
	"users":              true,
	"users.*.home":       false, // the walls of a worker stand around these
	"users.*.account":    false,
	"users.*.workspaces": false,
	"files":              true, // already copied into the users, as are the next two
	"models.allowed":     true,
	"budget":             true,
	"models.prices":      true,
	"access":             true,
	"access.key_file":    false, // what was sealed with the old one can't be opened with another
	"approvals":          true,
	"telegram.groups":    true,
}

// Diff is what is another in new than it was in old, in the order of the keys. A user who is new or gone is one change.
func Diff(old, new *Config) []Change {
	was := flatten(old, new)
	is := flatten(new, old)
	all := maps.Clone(was)
	maps.Copy(all, is)
	var changes []Change
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if a, b := was[key], is[key]; a.text != b.text {
			changes = append(changes, Change{Key: key, Old: a.shown, New: b.shown, Restart: !applies(all[key].pattern)})
		}
	}
	return changes
}

// applies says whether a change of a key holds while the service runs.
func applies(pattern string) bool {
	for p := pattern; p != ""; p = parent(p) {
		if is, known := live[p]; known {
			return is
		}
	}
	return false
}

// leaf is a value that has nothing below it.
type leaf struct {
	pattern string // of its key
	text    string // for comparing; of a secret itself
	shown   string
}

// leaves are those of a Config, by key.
type leaves map[string]leaf

// flatten takes a Config apart. Of users whom other does not have there is one leaf each.
func flatten(cfg, other *Config) leaves {
	l := leaves{}
	l.add("", "", reflect.ValueOf(*cfg))
	for _, u := range cfg.Users {
		key := join("users", u.Name)
		if slices.ContainsFunc(other.Users, func(o User) bool { return o.Name == u.Name }) {
			l.add(key, "users.*", reflect.ValueOf(u))
		} else {
			l[key] = leaf{pattern: "users.*", text: u.Role, shown: "a user of role " + u.Role}
		}
	}
	if key := cfg.Access.Key.Reveal(); key != "" { // the file may hold another than before
		file := l["access.key_file"]
		file.text += "\n" + key
		l["access.key_file"] = file
	}
	return l
}

// add takes a value apart, whose key and its pattern are these.
func (l leaves) add(key, pattern string, v reflect.Value) {
	_, scalar := scalarTypes[v.Type()]
	switch {
	case scalar:
		text, shown := written(v)
		l[key] = leaf{pattern: pattern, text: text, shown: shown}
	case v.Kind() == reflect.Struct:
		for i, name := range keys(v.Type()) {
			l.add(join(key, name), join(pattern, name), v.Field(i))
		}
	case v.Kind() == reflect.Map:
		for name, element := range v.Seq2() {
			l.add(join(key, name.String()), pattern+".*", element)
		}
	case v.Type().Elem().Kind() != reflect.Struct: // a list of users is flatten's affair
		var items []string
		for i := range v.Len() {
			item, _ := written(v.Index(i))
			items = append(items, item)
		}
		text := strings.Join(items, ", ")
		l[key] = leaf{pattern: pattern, text: text, shown: text}
	}
}

// written is a scalar for comparing, and for reading.
func written(v reflect.Value) (text, shown string) {
	secret, is := v.Interface().(Secret)
	switch {
	case is && secret.Reveal() == "":
		return "", ""
	case is:
		return secret.Reveal(), hidden
	}
	text = readable(v.Interface())
	return text, text
}
