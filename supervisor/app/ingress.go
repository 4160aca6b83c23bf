package app

import (
	"context"
	"errors"

	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/attachment"
	"mews/supervisor/calendar"
	"mews/supervisor/inbox"
	"mews/supervisor/ingress"
	"mews/supervisor/outbox"
)

// inboxParts keep incoming messages and pass them on.
type inboxParts struct {
	inbox       *inbox.Inbox
	held        *ingress.HeldMessageReleaser
	attachments *attachment.Receiver
	renames     ingress.ChatRenames
}

// openInbox makes the inbox behind the gate, and the releaser of held messages.
func (s *service) openInbox(context.Context) error {
	accepted := ingress.AuditAdmissions(s.audit.RecordDailyAction, s.now,
		s.acceptMessages())
	s.inbox = inbox.New(inbox.Options{
		Store: s.db.Inbox(), Gate: s.codeGate, Conversations: s.db.Conversations(), Accepted: accepted,
		Sessions: s.sessions, Queued: s.deliveryQueued, NotStored: s.commands.RunUnstoredCommand,
		Hide: calendar.NewHider(s.seal.For(access.PurposeCalendar)),
	})
	s.held = newHeldReleaser(s, accepted)
	s.configuration.Loaded = func(ctx context.Context) {
		s.releaseMessages(ctx)
		s.attachments.Wake()
		s.operations.Wake()
		s.voices.Wake()
	}
	return nil
}

// acceptMessages returns the function that passes stored messages on. In safe mode they stay stored.
func (s *service) acceptMessages() func(supervisor.Inbound) {
	if s.safe.on {
		return s.safe.accept
	}
	return accept(s.sessions, s.commands, s.attachments, s.noteArrival)
}

// maxReadmitted limits the messages that one conversation gets when its user is let in again. With
// the next message, /resend is offered for the rest.
const maxReadmitted = 50

// releaseMessages works on messages that waited for their users. It also sends the deliveries that
// were held back while a user was shut out.
func (s *service) releaseMessages(ctx context.Context) {
	s.held.ReleaseMessages(ctx)
	failed, err := s.db.Outbox().ListFailedConversations(ctx, outbox.TextNoAccess)
	for _, c := range failed {
		if !s.serves(c) {
			continue
		}
		n, resent := s.db.Outbox().ResendFailed(ctx, c.ID, outbox.TextNoAccess, maxReadmitted)
		if err = errors.Join(err, resent); n > 0 {
			s.deliveryQueued(c.ID)
		}
	}
	if err != nil && ctx.Err() == nil {
		s.log.Error("send what could not be sent while a user was shut out", "error", err)
	}
}

// newIngress makes the handler that passes a channel's messages to the inbox.
func newIngress(c *telegramChannel, box *inbox.Inbox) *ingress.UpdateHandler {
	s := c.service
	return ingress.New(ingress.Options{
		Source: c.client.UpdateSourceName(), People: s.people, Access: s.db.UserAccessStores(), Updates: s.db.Inbox(),
		Conversations: s.db.Conversations(),
		Outbox:        s.db.Outbox(), Posts: s.db.Posts(), Inbox: box, Questions: s.questions, Undos: s.db.Undos(),
		Seal: s.seal, Renames: &s.renames, LargestFile: c.client.MaxDownloadSize(),
		Refresh: s.configuration.Refresh, KeepLanguage: s.settings.StoreTelegramLanguage,
		Moved:          c.outbox.NotifyChatMove,
		Wake:           c.wakeChat,
		KeepGroupTitle: s.groupTitles().Keep,
		ChatReturned:   s.chatReturned, Acknowledge: c.presses.QueueAck, Queued: s.feeds.NotifyDelivery,
		Joined:      s.tellWhoJoined,
		KeepPicture: generatedFileStore{s.spool}.StorePicture, Audit: s.audit.RecordAction,
		Log: c.log,
	})
}

// chatReturned resumes the jobs that were paused because their chat could not be reached.
func (s *service) chatReturned(ctx context.Context, channel supervisor.Channel, chat string) error {
	waited, err := s.db.Jobs().MarkChatReachable(ctx, channel, chat)
	if waited {
		s.schedule.WakeLoop()
	}
	return err
}

// movableConversations returns the part that moves conversations to new chat ids. The outbox learns
// a new id from a failed send.
func movableConversations(c *telegramChannel) ingress.ChatRenamer {
	s := c.service
	return ingress.ChatRenamer{
		Conversations: s.db.Conversations(), People: s.people, Groups: s.db.UserAccessStores().Groups,
		Renames: &s.renames,
		Refresh: s.configuration.Refresh, Wake: c.wakeChat,
	}
}

// newHeldReleaser makes the part that releases held messages, once their users need no code.
func newHeldReleaser(s *service, accepted func(supervisor.Inbound)) *ingress.HeldMessageReleaser {
	return &ingress.HeldMessageReleaser{Gate: s.gate, Inbox: s.db.Inbox(), Serves: s.serves, Accepted: accepted,
		Log: s.log.Named("gate")}
}

// wakeChat wakes all waiting conversations of a chat, and the receiver of files.
func (c *telegramChannel) wakeChat(ctx context.Context, chat string) error {
	c.service.attachments.Wake()
	waiting, err := c.service.db.Inbox().ListUnfinishedConversations(ctx)
	if err != nil {
		return err
	}
	for _, w := range waiting {
		if w.Channel == c.outbox.Name && w.Chat == chat {
			c.service.sessions.WakeSession(w)
		}
	}
	return nil
}
