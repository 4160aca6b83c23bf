package history

import (
	"strings"

	"mews/supervisor"
)

// ChannelName returns the name of a channel for people.
func ChannelName(s supervisor.SentMessageInfo) string {
	channel := string(s.Conversation.Channel)
	if channel != "" {
		channel = strings.ToUpper(channel[:1]) + channel[1:]
	}
	if s.Conversation.IsInGroup() {
		channel += stampGroup
	}
	return channel
}

// FormatTimeAndPlace returns the time and the channel of a message, in words.
func FormatTimeAndPlace(s supervisor.SentMessageInfo) string {
	return s.At.Format(stampTime) + ", " + ChannelName(s)
}

// FormatStamp returns the line above a message, its stamp. It tells a model when, where and how the
// message was sent.
func FormatStamp(s supervisor.SentMessageInfo) string {
	parts := []string{FormatTimeAndPlace(s)}
	for _, how := range []struct {
		so   bool
		word string
	}{
		{s.Voice, stampVoice}, {s.File, stampFile}, {s.Pressed, stampPressed}, {s.Scheduled, stampScheduled},
		{!s.Voice && !s.File && !s.Pressed && !s.Scheduled, stampWritten}, {s.Forwarded, stampForwarded}, {s.Edited, stampEdited},
	} {
		if how.so {
			parts = append(parts, how.word)
		}
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
