package remote

import (
	"slices"
	"strings"
	"sync/atomic"
)

// Key is an API key, which may change while calls run. No error and no log line contains it. It is
// safe for several goroutines, except that only one may Set at a time.
type Key struct {
	values atomic.Pointer[[]string] // the current key and earlier ones, newest first
}

// NewKey returns a key; "" means that the endpoint needs none.
func NewKey(value string) *Key {
	k := new(Key)
	k.Set(value)
	return k
}

// Set changes the key for later calls. Texts of the endpoint may still contain the earlier ones.
func (k *Key) Set(value string) {
	var before []string
	if list := k.values.Load(); list != nil {
		before = slices.DeleteFunc(slices.Clone(*list), func(s string) bool { return s == value })
	}
	list := append([]string{value}, before...)
	k.values.Store(&list)
}

// value returns the current key; "" means none.
func (k *Key) value() string {
	if k == nil {
		return ""
	}
	return (*k.values.Load())[0]
}

// redact removes the key, and all earlier ones, from a text.
func (k *Key) redact(text string) string {
	if k == nil {
		return text
	}
	for _, value := range *k.values.Load() {
		if value != "" {
			text = strings.ReplaceAll(text, value, "***")
		}
	}
	return text
}
