package forget

import (
	"mews/supervisor/internal/spans"
)

// Answers of /forget.
const (
	textForgetHelp = "I can forget what was said. Write one of these:\n" +
		"- /forget conversation (this one)\n- /forget fact k7 (/memory lists them)\n- /forget with a time: " +
		spans.Forms + "\n\nI first show you what that covers, and ask."
	textForgetUsage = "I can't read %s as a time, or that time is still to come. Write /forget conversation, " +
		"or /forget with one of: " + spans.Forms + "."
	textNothingToForget = "I have no messages from that time."
	textForgetAsk       = "If you confirm, I delete this for good:\n%s\n\nIts copies in my inbox, outbox, " +
		"questions, ledger and index go too. Reminders that were set then end."
	textNoFact        = "There is no fact %s. /memory lists all facts."
	textForgetFactAsk = "If you confirm, I delete this for good:\n\n%s %s\n\n- line %d of MEMORY.md%s\n\nIts words also go " +
		"from my index. Your own message stays (%s). " +
		"/forget with its day deletes that too.\n\nI can't delete what the model's provider and Telegram were " +
		"sent, your other files, and copies that your admin has made."
	textNotOurs = "\n\nI can't delete what the model's provider and Telegram were sent (you can delete messages " +
		"in the chat yourself), your own files (what you " +
		"have written yourself into MEMORY.md, its daily notes and the logs stays too), the lines that a terminal " +
		"keeps for its arrow keys (`~/.local/state/mews/history`), copies that your admin has made, and the " +
		"audit log, which has no words."
	textFilesStay          = " %s that I changed then stay as they are. Delete them yourself, or ask me to."
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
