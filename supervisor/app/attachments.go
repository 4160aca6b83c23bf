package app

import (
	"context"
	"fmt"
	"io"

	"mews/supervisor"
	"mews/supervisor/attachment"
)

// openAttachments makes the receiver, which downloads files of messages and puts them into homes.
func (s *service) openAttachments(context.Context) error {
	s.attachments = attachment.New(attachment.Options{
		Inbox: s.db.Inbox(), Files: s.db.Attachments(), Operations: s.operations, Spool: s.spool, Fetch: s.fetch,
		Transcribe: speechInput{s}.transcribe, Missing: s.tellMissingPackages, Serves: s.serves, Wake: s.wakeConversation, Queued: s.deliveryQueued, Log: s.log.Named("attachment"),
	})
	return nil
}

// wakeConversation wakes a conversation's session for new messages. It also wakes the cleaner,
// which removes temporary messages from the chat.
func (s *service) wakeConversation(c supervisor.Conversation) {
	s.sessions.WakeSession(c)
	if s.channel != nil {
		s.channel.cleaner.NotifyNewCleanup()
	}
}

// fetch downloads a file of a channel and writes it to w.
func (s *service) fetch(ctx context.Context, channel supervisor.Channel, file string, w io.Writer) error {
	if s.channel != nil && channel == s.channel.outbox.Name {
		return s.channel.client.FetchFile(ctx, file, w)
	}
	return supervisor.Errorf(supervisor.CodeNotFound, textNoChannelFile, channel)
}

// tellMissingPackages tells a user which Debian packages are missing to read files. It names each
// package once.
func (s *service) tellMissingPackages(ctx context.Context, to supervisor.Conversation, packages []string) {
	for _, name := range packages {
		s.notices().TellOnce(ctx, to, "package "+name, fmt.Sprintf(textPackageMissing, name))
	}
}
