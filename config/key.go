package config

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// key is a key of a configuration: a field with a yaml tag, or an element of a map or of a list of
// structs. The zero key with a value is the configuration itself.
type key struct {
	path     string            // path as problems show it: users[0].role
	name     string            // path as changes show it: users.alice.role
	tag      reflect.StructTag // tags of the field; "" for an element
	defaults string            // default value from a tag; "" means none
	live     bool              // a change takes effect without a restart
	replaced bool              // a change of the value needs no restart; setting or removing it does
	value    reflect.Value
}

// rootKey returns the key above all others.
func rootKey(cfg *Config) key { return key{value: reflect.ValueOf(cfg).Elem()} }

// walk calls visit for every key below k, and for each key before the keys below it. If visit
// returns false, walk skips the keys below that key.
func (k key) walk(visit func(key) bool) {
	for _, child := range k.children() {
		if visit(child) {
			child.walk(visit)
		}
	}
}

// children returns the keys directly below k, in the order of the struct or list, or sorted by
// name.
func (k key) children() (all []key) {
	v := k.value
	switch {
	case k.isLeaf():
	case v.Kind() == reflect.Struct:
		for i, name := range keyNames(v.Type()) {
			child := key{path: join(k.path, name), name: join(k.name, name), tag: v.Type().Field(i).Tag, live: k.live, value: v.Field(i)}
			child.defaults = cmp.Or(child.tag.Get("default"), k.defaults)
			if reload := child.tag.Get("reload"); reload != "" {
				child.live, child.replaced = reload == "live", reload == "replaced"
			}
			all = append(all, child)
		}
	case v.Kind() == reflect.Map:
		for _, name := range sortedKeys(v) {
			element := v.MapIndex(reflect.ValueOf(name))
			all = append(all, key{path: join(k.path, name), name: join(k.name, name), live: k.live, value: element})
		}
	default:
		for i := range v.Len() {
			name := join(k.name, v.Index(i).FieldByName("Name").String())
			all = append(all, key{path: elementPath(k.path, i), name: name, live: k.live, value: v.Index(i)})
		}
	}
	return all
}

func sortedKeys(v reflect.Value) []string {
	var names []string
	for _, name := range v.MapKeys() {
		names = append(names, name.String())
	}
	slices.Sort(names)
	return names
}

// keyNames returns the keys of a struct's fields, in their order.
func keyNames(t reflect.Type) []string {
	var names []string
	for field := range t.Fields() {
		name, ok := field.Tag.Lookup("yaml")
		if !ok {
			break // fields without a key come last
		}
		names = append(names, name)
	}
	return names
}

// setDefaults sets every zero key below k to its default. Elements of maps got their defaults when
// they were read.
func (k key) setDefaults() {
	k.walk(func(k key) bool {
		if k.isLeaf() && k.defaults != "" && k.value.CanSet() && k.value.IsZero() {
			k.value.Set(fromTag(k.value.Type(), k.defaults))
		}
		return true
	})
}

// isLeaf reports whether the key is a scalar, or a list of scalars.
func (k key) isLeaf() bool {
	t := k.value.Type()
	if t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	_, scalar := scalars[t]
	return scalar
}

var plainKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// join returns the path of a key below another; "" is the path of the file.
func join(path, key string) string {
	if !plainKey.MatchString(key) {
		key = quote(key)
	}
	if path == "" {
		return key
	}
	return path + "." + key
}

// elementPath returns the path of an element of a list.
func elementPath(path string, i int) string { return fmt.Sprintf("%s[%d]", path, i) }

// parentPath returns the path of the key around a key; "" is the file.
func parentPath(path string) string {
	return path[:max(0, strings.LastIndexAny(path, ".["))]
}
