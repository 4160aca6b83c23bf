package supervisor

import (
	"strings"
	"time"
)

// Sending is how something that a person sent has come.
type Sending struct {
	At        time.Time // in the person's time zone
	In        Conversation
	Voice     bool // spoken
	File      bool // with files that are no speech
	Forwarded bool
	Edited    bool // it is not as it was at first
	Pressed   bool // by a button
	Scheduled bool // by a job of theirs
}

// Channel is where it was sent, as people call it.
func (s Sending) Channel() string {
	channel := string(s.In.Channel)
	if channel != "" {
		channel = strings.ToUpper(channel[:1]) + channel[1:]
	}
	if s.In.InGroup() {
		channel += stampGroup
	}
	return channel
}

// Where is when and where it was sent.
func (s Sending) Where() string {
	return s.At.Format(stampTime) + ", " + s.Channel()
}

// Stamp is the line above a message of a person's by which a model knows when, where and how it was
// sent.
func (s Sending) Stamp() string {
	parts := []string{s.Where()}
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
