package apptest

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"mews/supervisor/telegram/telegramtest"
)

// OnTelegram are the lines of a configuration that has people talk on that server.
func OnTelegram(s *telegramtest.Server, more string) string {
	return fmt.Sprintf("telegram: {token: %q, api_url: %q, %s}\n", s.Token(), s.URL(), more)
}

// OneByOne has each message answered by itself: what is counted is answers.
const OneByOne = "chat: {busy: queue}\n"

// Number is an environment variable, or what holds without it.
func Number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// Repeated is how a message begins whose fate was not known when it was sent before.
const Repeated = "↻"
