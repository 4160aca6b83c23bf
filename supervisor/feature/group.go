package feature

// Group is a list of commands that /help shows together.
type Group string

// The groups of commands. /help begins with GroupEveryday, and then names the other groups.
const (
	GroupEveryday  Group = "everyday"
	GroupChat      Group = "chat"
	GroupReminders Group = "reminders"
	GroupAssistant Group = "assistant"
	GroupPrivacy   Group = "privacy"
	GroupVoice     Group = "voice"
	GroupGitHub    Group = "github"
	GroupAdmin     Group = "admin"
)

// Groups lists the groups in the order of /help.
func Groups() []Group {
	return []Group{GroupEveryday, GroupChat, GroupReminders, GroupAssistant, GroupPrivacy, GroupVoice, GroupGitHub,
		GroupAdmin}
}
