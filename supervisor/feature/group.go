package feature

// HelpGroup is a list of commands that /help shows together.
type HelpGroup string

// The groups of commands. /help begins with HelpGroupEveryday, and then names the other groups.
const (
	HelpGroupEveryday  HelpGroup = "everyday"
	HelpGroupChat      HelpGroup = "chat"
	HelpGroupReminders HelpGroup = "reminders"
	HelpGroupAssistant HelpGroup = "assistant"
	HelpGroupPrivacy   HelpGroup = "privacy"
	HelpGroupVoice     HelpGroup = "voice"
	HelpGroupGitHub    HelpGroup = "github"
	HelpGroupAdmin     HelpGroup = "admin"
)

// HelpGroups lists the groups in the order of /help.
func HelpGroups() []HelpGroup {
	return []HelpGroup{HelpGroupEveryday, HelpGroupChat, HelpGroupReminders, HelpGroupAssistant, HelpGroupPrivacy,
		HelpGroupVoice, HelpGroupGitHub,
		HelpGroupAdmin}
}
