package app

import (
	"context"

	"mews/supervisor"
)

// fallbackChat returns the chat for messages that a conversation refused. It is the user's private
// chat, or the terminal if the private chat itself refused. For an unknown user it is the zero
// value.
func (s *service) fallbackChat(c supervisor.Conversation,
	why supervisor.SendErrorReason) (none supervisor.Conversation) {
	user, known := s.settings.Find(c.User)
	if !known {
		return none
	}
	terminal := supervisor.Conversation{User: c.User, Channel: supervisor.PrivateChannels()[0]}
	private := user.PrivateChat()
	switch {
	case len(user.Accounts) == 0, why == supervisor.SendReasonChatGone && c.Channel == private.Channel && c.Chat == private.Chat:
		return terminal
	}
	return private
}

// notifyFallback sends the deliveries that were queued for a fallback chat.
func (s *service) notifyFallback(c supervisor.Conversation) {
	found, err := s.db.Conversations().FindOrCreate(context.Background(), c.User, c.Channel, c.Chat, c.Thread)
	if err != nil {
		s.log.Error("send to the fallback chat", "user", c.User, "error", err)
		return
	}
	s.deliveryQueued(found.ID)
}
