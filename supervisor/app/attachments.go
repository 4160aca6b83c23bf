package app

import (
	"context"
	"fmt"
	"io"

	"mews/supervisor"
	"mews/supervisor/attachment"
)

// openAttachments makes what brings people's files to where a turn can take them.
func (s *service) openAttachments(context.Context) error {
	s.attachments = attachment.New(attachment.Options{
		Inbox: s.db.Inbox(), Files: s.db.Attachments(), Operations: s.operations, Spool: s.spool, Fetch: s.fetch,
		Transcribe: speechInput{s}.transcribe, Missing: s.tellMissingPackages, Serves: s.serves, Wake: s.wakeConversation, Queued: s.deliveryQueued, Log: s.log.Named("attachment"),
	})
	return nil
}

// woken has a conversation's session look for what has arrived, and the channel take away what was
// shown until then.
func (s *service) wakeConversation(c supervisor.Conversation) {
	s.sessions.Wake(c)
	if s.channel != nil {
		s.channel.cleaner.Changed()
	}
}

// fetch writes the bytes of a channel's file.
func (s *service) fetch(ctx context.Context, channel supervisor.Channel, file string, w io.Writer) error {
	if s.channel != nil && channel == s.channel.outbox.Name {
		return s.channel.client.Fetch(ctx, file, w)
	}
	return supervisor.Errorf(supervisor.CodeNotFound, textNoChannelFile, channel)
}

// missing tells a person, once of each package, what their machine lacks to read files.
func (s *service) tellMissingPackages(ctx context.Context, to supervisor.Conversation, packages []string) {
	for _, name := range packages {
		s.notices().TellOnce(ctx, to, "package "+name, fmt.Sprintf(textPackageMissing, name))
	}
}
