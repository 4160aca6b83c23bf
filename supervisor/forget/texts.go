package forget

import (
	"mews/supervisor/spans"
)

// Answers of /forget.
const (
	textForgetHelp = "I can forget what was said. Write one of these:\n" +
		"- /forget conversation (the one in this chat)\n- /forget fact k7 (/memory lists them)\n- /forget with a " +
		"time: " +
		spans.HelpText + "\n\nBefore I delete anything, I show it to you and ask."
	textForgetUsage = "I can't read %s as a time, or that time is still to come. Write /forget conversation, " +
		"or /forget with one of: " + spans.HelpText + "."
	textNothingToForget = "I have no messages from that time."
	textForgetAsk       = "If you confirm, I delete this for good:\n%s\n\nIts copies in my inbox, outbox, " +
		"questions, ledger and index go too. Reminders set in that time or conversation end, too."
	textNoFact        = "There is no fact %s. /memory lists all facts."
	textForgetFactAsk = "If you confirm, I delete this for good:\n\n%s %s\n\n- %s%s\n\nIts " +
		"words also go from my index. Your own message stays (%s). " +
		"/forget with the day of that message deletes it too.\n\nI can't delete what was sent to the model's " +
		"provider and Telegram. Your other files, their earlier versions and your admin's copies stay too."
	textMemoryLine    = "line %d of MEMORY.md, and earlier versions that have it"
	textEarlierMemory = "earlier versions of MEMORY.md; the file itself does not have it any more"
	textNotOurs       = "\n\nI can't delete these:\n- Copies at the model's provider and Telegram. You can " +
		"delete messages in the chat yourself.\n- Your own files, and what you wrote yourself into MEMORY.md, " +
		"daily notes and logs.\n" +
		"- The lines that a terminal keeps for its arrow keys (`~/.local/state/mews/history`).\n" +
		"- Your admin's copies, and the audit log, which has none of your words."
	textFilesStay = " %s that I changed in that time or conversation stay as they are. " +
		"Delete them yourself, or ask me to."
	textVersionsStay       = "\n\nThese earlier versions of changed files stay too. The second button deletes them:"
	textFileVersions       = "\n- %s: %s"
	textMoreVersions       = "\n- %s"
	textForgetVersions     = "Forget it, and delete these versions"
	textOfThoseWaiting     = "\n\nI will delete %s of these later, once answered or delivered."
	textForgetYes          = "Forget it"
	textForgetNo           = "Keep it"
	textForgetHour         = "Last hour"
	textForgetToday        = "Today"
	textForgetYesterday    = "Yesterday"
	textForgetConversation = "This conversation"
	textForgotNothing      = "Nothing was forgotten."
	textForgotten          = "Forgotten:\n%s"
	textNothing            = "nothing"
	textForgetsLater       = "\n\nI will delete %s later, once answered or delivered."
)
