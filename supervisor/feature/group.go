package feature

// HelpGroup is a list of commands that /help shows together.
type HelpGroup string

// The groups of commands. /help begins with GroupEveryday, and then names the other groups.
const (
	GroupEveryday  HelpGroup = "everyday"
	GroupChat      HelpGroup = "chat"
	GroupReminders HelpGroup = "reminders"
	GroupAssistant HelpGroup = "assistant"
	GroupPrivacy   HelpGroup = "privacy"
	GroupVoice     HelpGroup = "voice"
	GroupGitHub    HelpGroup = "github"
	GroupAdmin     HelpGroup = "admin"
)

// HelpGroups lists the groups in the order of /help.
func HelpGroups() []HelpGroup {
	return []HelpGroup{GroupEveryday, GroupChat, GroupReminders, GroupAssistant, GroupPrivacy, GroupVoice, GroupGitHub,
		GroupAdmin}
}
