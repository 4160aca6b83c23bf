package forget

import (
	"mews/supervisor/internal/spans"
)

// What people read of /forget.
const (
	textForgetHelp = "I can forget what was said. Write one of these:\n" +
		"- /forget conversation (this one)\n- /forget fact k7 (/memory lists them)\n- /forget with a time: " +
		spans.Forms + "\n\nI first show you what that covers, and ask."
	textForgetUsage = "I can't read %s as a time to forget, or it has not begun yet. Write /forget conversation, " +
		"or /forget with one of: " + spans.Forms + "."
	textNothingToForget = "Nothing was said then that I still have."
	textForgetAsk       = "This is gone for good if you say so:\n%s\n\nAlso what stands of it in my inbox, outbox, " +
		"questions, ledger and index. Reminders that were set then end."
	textNoFact        = "There is no fact %s. /memory lists those that there are."
	textForgetFactAsk = "This is gone for good if you say so:\n\n%s %s\n\n- line %d of MEMORY.md%s\n\nIts words go " +
		"from the rest of these, and from my index. What you said yourself stays (%s): " +
		"/forget with its day takes that out too. Not mine to delete: what the model's provider and Telegram were " +
		"sent, your other files, and copies that your admin has made."
	textNotOurs = "\n\nNot mine to delete: what the model's provider and Telegram were sent (you can delete messages " +
		"in the chat yourself), your own files (what you " +
		"have written yourself into MEMORY.md, its daily notes and the logs stays too), the lines that a terminal " +
		"keeps for its arrow keys (`~/.local/state/mews/history`), copies that your admin has made, and the " +
		"audit log, which has no words."
	textFilesStay          = " %s that I changed for you then stay as they are: delete them yourself, or ask me to."
	textOfThoseWaiting     = "\n\nOf these, %s that I have not answered or delivered yet will go once I have."
	textForgetYes          = "Forget it"
	textForgetNo           = "Keep it"
	textForgetHour         = "Last hour"
	textForgetToday        = "Today"
	textForgetYesterday    = "Yesterday"
	textForgetConversation = "This conversation"
	textForgotNothing      = "Nothing was forgotten."
	textForgotten          = "Forgotten:\n%s"
	textNothing            = "nothing"
	textForgetsLater       = "\n\n%s that I have not answered or delivered yet will go once I have."
)
