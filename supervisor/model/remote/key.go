package remote

import (
	"slices"
	"strings"
	"sync/atomic"
)

// Key is an API key, which may change while calls run. No error and no log line contains it.
// Several goroutines may use it, but only one at a time may call Set.
type Key struct {
	values atomic.Pointer[[]string] // the current key and all earlier keys, newest first
}

// NewKey returns a key; "" means that the endpoint needs none.
func NewKey(value string) *Key {
	k := new(Key)
	k.Set(value)
	return k
}

// Set changes the key for later calls. The earlier keys are remembered, because texts of the
// endpoint may still contain them.
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

// redact removes the current key and all earlier keys from a text.
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
