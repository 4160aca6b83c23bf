package apptest

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"mews/supervisor/telegram/telegramtest"
)

// TelegramConfig returns the configuration that connects a service with a test's Telegram.
func TelegramConfig(s *telegramtest.Server, more string) string {
	return fmt.Sprintf("telegram: {token: %q, api_url: %q, %s}\n", s.Token(), s.URL(), more)
}

// QueueModeConfig configures a separate answer for each message. It is for tests that count
// answers.
const QueueModeConfig = "chat: {busy: queue}\n"

// NumberFromEnv returns the number in an environment variable. If the variable is not set, it
// returns the parameter otherwise.
func NumberFromEnv(t *testing.T, name string, otherwise int) int {
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

// RepeatedMessageMark begins a message that may have been sent before.
const RepeatedMessageMark = "↻"
