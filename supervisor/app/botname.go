package app

// botName is the bot's name, once Telegram has said it.
func (s *service) botName() string {
	if s.channel == nil {
		return ""
	}
	return s.channel.health.Status().Username
}

// caller is a process that has something done.
