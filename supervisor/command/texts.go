package command

import (
	"mews/supervisor"
	"mews/supervisor/spans"
)

// Answers of several commands. quoteName quotes names that users or providers gave.
const (
	textNoCommand      = "There is no command /%s. /help lists all commands."
	textCommandMeant   = "There is no /%s. Did you mean /%s?"
	textAdminsOnly     = "Only an admin may use /%s."
	textAnswersAgain   = "I am answering your edited message again."
	textPostAnswer     = "Post it in the group"
	textMayPostAnswer  = "May I post this answer in the group?"
	textAnswerPosted   = "Posted in the group."
	textTriesAgain     = "I am trying to answer again."
	textTriedBefore    = "There is nothing to try again: I have tried already, or the message is gone."
	textAnsweredBefore = "There is nothing to answer again. I answered that edit already, or I never answered the message."

	textStartEnd = "\n/help lists the commands."
)

// Answers of /help.
const (
	textHelp       = "Commands for every day:\n\n"
	textHelpLine   = "/%s - %s\n"
	textHelpGroups = "\nMore commands; “/help GROUP” explains those of a group:\n\n"
	textHelpGroup  = "- %s: %s\n"
	textHelpGuide  = "\nThe guide; “/help TOPIC” shows a page: %s.\n"
	textHelpAdmin  = "\nPages for admins: %s.\n"
	textHelpEnd    = "\nEverything else that you write goes to your assistant."
	textGroup      = "Commands of the group %s:\n\n"
	textWholePage  = "\n\nThis is the beginning. The file has the whole page."
	textNoTopic    = "There is no command, group or topic %s. /help lists them."
	textTopicMeant = "There is no command, group or topic %s. Did you mean %s?"
)

// Answers of /new and /stop.
const (
	textNewTopic            = "A new topic. I keep the earlier messages, but I no longer read them. Your files stay as they are."
	textNewTopicStopped     = " I stopped the running answer."
	textNewTopicWaiting     = " I answer 1 waiting message in the new topic."
	textNewTopicWaitingMany = " I answer %d waiting messages in the new topic."

	textNothingRuns      = "Nothing is running here."
	textStopped          = "Stopped."
	textJustEnded        = "The answer had just ended."
	textNothingDropped   = "No message was waiting."
	textDropped          = "I dropped %s that waited. Send again what you still want."
	textWaiting          = " I now answer 1 message that waited."
	textWaitingMany      = " I now answer %d messages that waited."
	textStopsSlowly      = "I am stopping the running answer, but it takes longer than usual. I tell you when it has ended."
	textStoppedNotStored = "I am stopping the running answer, although I could not store your /stop: "
)

// Answers of /queue and /followup. cutWords shortens the text of a message.
const (
	textQueueUsage    = "/queue lists what waits here. “/queue drop NUMBER” and “/queue now NUMBER” take a number of that list."
	textQueueRuns     = "I have been answering %s for %s."
	textQueueAsked    = "I wait for your answer to my question: %s."
	textQueueEmpty    = " Nothing waits."
	textQueueWaits    = " %s:\n"
	textQueueLine     = "\n%d. %s, sent at %s, %s ago"
	textQueueFiles    = ", with %s"
	textQueueArriving = ", still arriving"
	textQueueMore     = "\n\nand %d more"
	textQueueForeign  = "This message is not yours."
	textQueueGone     = "%s no longer waits here."
	textNotListed     = "My last list has no number %d. /queue lists what waits now."
	textFollowup      = "“/followup TEXT” queues a message behind all others, whatever your setting " +
		"`busy` says. You can attach files. If nothing runs, I answer the message at once."
)

// queueButtons has the labels of the buttons below the list; %d is the number of the message.
var queueButtons = map[string]string{pressDrop: "Drop %d", pressNow: "Answer %d next"}

// queuePriorities are remarks about messages with an unusual priority.
var queuePriorities = map[supervisor.InboundPriority]string{
	supervisor.PriorityFollowup: ", after all others",
	supervisor.PriorityNow:      ", next",
}

// queueStates has the answers after an attempt to drop a message or to move it to the front, by the
// state of the message.
var queueStates = map[supervisor.InboundState]string{
	supervisor.InboundNew:      "%s comes next.",
	supervisor.InboundArriving: "%s comes next, once it has arrived.",
	supervisor.InboundDropped:  "I dropped %s. Send it again if you still want it.",
	supervisor.InboundRunning:  "%s no longer waits: I am answering it.",
	supervisor.InboundAnswered: "%s no longer waits: I answered it.",
	supervisor.InboundDone:     "%s no longer waits: I answered it.",
}

// Answers of /files.
const (
	textFiles        = "You have sent %s; the newest first:\n"
	textFileLine     = "\n%d. %s, %s, %s"
	textNoFiles      = "You have not sent any files yet."
	textFileGone     = "That file is gone. /files lists your files."
	textFileDeleted  = "%s is in the trash now. Ask me to restore it if you still want it."
	textSendButton   = "Send %d"
	textDeleteButton = "Delete %d"
	textOlderButton  = "Older files"
)

// Answers of /activity.
const (
	textActivityAdminsOnly = "Only an admin can see everybody's activity. /activity shows yours."
	textAllActivity        = "Activity since %s, by person and kind:\n"
	textActivityCount      = "\n- %s: %s, %d"
)

// Answers of /lock.
const (
	textLockUsage          = "I know /lock, which locks this chat, and “/lock all”, which locks all your chats, but not %s."
	textLockedHere         = "This chat is locked. Your messages wait until you send a code. A running answer continues; /stop ends it."
	textLockedAll          = "All your chats are locked. Your messages wait until you send a code. A running answer continues; /stop ends it."
	textNoFactorConfigured = "There is nothing to lock: the configuration has no second factor for you (totp: off). An admin can change that."
	textNoFactor           = "There is nothing to lock: you have no second factor. Run `mews totp enroll %s` on the machine of Mews " +
		"to get one. If you have no account there, ask an admin."
)

// Answers of /allow and /disallow.
const (
	textGroupAllowed = "I now answer the people I know in this group. I answer commands, replies to my " +
		"messages, and messages that name me. Each person has an assistant of their own: it sees what you write to it " +
		"here, but not your private chats. Everybody here reads its answers, even if they come from your " +
		"folder. /disallow ends this."
	textMayDisallow     = "Shall I stop answering in this group?"
	textGroupLeft       = "I answer nobody in that group any more. To change that, write /allow there."
	textGroupDisallowed = "I no longer answer in this group. An admin can change that with /allow."
	textGroupConfigured = "The configuration allows this group (telegram.groups), so I still answer here. Remove it " +
		"there, and run `mews reload`."
	textGroupsOnly = "/%s is for groups: add me to one, and write it there. In a group I answer nobody until an admin allows " +
		"it. In our private chat I always answer."
)

// Answers of /invite.
const (
	textInviteQuestion = "Invite %s? Anybody with the code can use it once, and then speaks with Mews as %s."
	// textInviteAdmin has the name of the invited admin in place of %s.
	textInviteAdmin   = " %s is an admin, so this person can then manage Mews."
	textInviteInGroup = "Everybody here would read the code. Write /invite in our private chat."
	textInviteUsage   = "Write a name: “/invite anna” makes a code for anna. If there is no anna yet, " +
		"I add anna as a new person."
	textInviteAdded = "%s is now a user, with a folder of their own. "
	textInviteGive  = "Give this only to %[1]s. The first person who uses it, within %[2]d hours, speaks as %[1]s " +
		"from then on."
	textInviteNoBot   = "%s Then they write to the bot: `/start %s`"
	textInviteLink    = "%s\n\nThey open that link, or write to me: `/start %s`"
	textInviteCode    = "The new person opens the bot and sends it: `/start %s`"
	textInviteFactor  = "\n\nThen they get a second factor, and need it to write here."
	textInviteDeleted = "\n\nI delete this message in an hour."
)

// Answers of /grants.
const (
	textGrantsUsage   = "I know /grants, and “/grants revoke NUMBER”, but not %s."
	textGrantsInGroup = "Your list of grants is private. Write /grants in our private chat."
	textNoGrants      = "You have not allowed anything permanently. The button “Always for exactly this” below my questions does that."
	textGrants        = "You always allow these:\n"
	textGrantsEnd     = "\n\n“/grants revoke NUMBER” revokes one. Then I ask you again."
	textGrant         = "\n- number %d, since %s: %s"
	textMoreGrants    = "\n- and %d more; revoke some of these to see them"
	textRevokeButton  = "Revoke number %d"
	textNoGrantNumber = "There is no grant with the number %s. /grants lists them."
	textRevoked       = "I revoked number %d. From now on I ask you again."
)

// Answers of /settings.
const (
	textSettings          = "Your settings:\n"
	textSettingsEnd       = "\n\n“/settings NAME VALUE” changes one in all your chats, and “/settings NAME default” resets it. For example:\n"
	textSettingConfigured = "You can't change %s here. An admin can change it in the configuration."
	textSettingUsage      = "Write a value%s: “/settings %s %s”, or “/settings %s default”."
	textNoSetting         = "There is no setting %s. There are %s."
	textSettingQuestion   = "Change your setting %s from %s to %s?"
	textSettingSet        = "From now on %s is %s, %s. %s"
	textSettingSetInGroup = "The setting %s is changed. /settings in our private chat shows it."
	textChooseModel       = "Choose a model"
	textSetting           = "\n- %s: %s, %s"
	textSettingOr         = ", %s or %s"
	textSettingAsItWas    = "Reset %s"
)

// Answers of /model and /models.
const (
	textModelUsage              = "The name of a model is one word, such as offline. /models lists all models."
	textConfiguredModelButton   = "As configured"
	textChosenModelGone         = "You chose %s, which is no longer available: %s “/model default” resets your choice."
	textOwnModel                = "%s answers you, by your own choice. “/model default” resets that. /models lists all models."
	textConfiguredModel         = "%s answers you, as configured. “/model PROVIDER/MODEL” chooses another for you alone. /models lists all models."
	textConfiguredModelQuestion = "Go back to the configured model?"
	textConfiguredModelSet      = "From your next message on %s answers you, as configured."
	textNoSuchModel             = "%s offers no model %s.%s"
	textModelNotAllowed         = "You may not choose %s: the configuration limits your choice (models_allowed). /models lists the allowed ones."
	textModelQuestion           = "Let %s answer you from now on?"
	textModelSet                = "From your next message on %s answers you, in all your chats. “/model default” resets that."
	textModelsHint              = " /models lists all models."
	textSuggestions             = " Choose one of these:\n"
	textMoreModels              = "\n\nand %s more; /models lists them."

	textModels         = "These models can answer you:\n\n"
	textModelsWith     = "Models with %s in their names:\n\n"
	textNoModels       = "No models are offered."
	textNoModelWith    = "No model has %s in its name."
	textModelsCut      = "\n\n“/models WORD” lists the models with that word in their names. “/model PROVIDER/MODEL” chooses one for you."
	textMoreOfProvider = "- and %s more of %s"
	textInUse          = " (in use)"
	textInUseDefault   = " (in use, the default)"
	textInUseUnpriced  = " (in use; its price is unknown, so it answers nobody with a spending limit)"
	textDefault        = " (the default)"
	textSilent         = "%s did not list its models."
	textSilentWhy      = "%s did not list its models: %s"
	textModelsEnd      = "\n\n“/model PROVIDER/MODEL” chooses one for you."
)

// Answers of /usage.
const (
	textUsageUsage = "I know /usage, /usage 7d, and for admins “/usage all”, but not %s. A time is one of: " +
		spans.HelpText + "."
	textUsageFuture = "%s is still to come, so nothing was used then."
	textSharedSpent = "\n\nThe money of everybody here together is used up for this month. " +
		"An admin can raise budget.month."
	textUsageIn         = "%s %s: %v"
	textFrom            = "from %s"
	textUntil           = "until %s"
	spanLayout          = "Mon 2 Jan 2006 15:04"
	textFromBeginning   = "from the beginning"
	textUntilNow        = "until now"
	textByModelIn       = "By model:"
	textByPersonIn      = "By person:"
	textUsageAdminsOnly = "Only an admin may see everybody's usage. /usage shows yours."
	textYourUsage       = "Your use of models"
	textAllUsage        = "Everybody's use of models"
	textByModel         = "By model, this month:"
	textByPerson        = "By person, this month:"
	textByConversation  = "By conversation, this month:"
	textNoUsage         = " this month: nothing."
	textUsage           = "%s:\n\n- today: %v\n- this week: %v\n- this month: %v"
	textMoreLines       = "\n- %d more: %v"
	textBudgetLeft      = "\n\nOf your budget "
	textBudgetLeftAnd   = ", and "
	textChart           = "The last %d days, in %s:\n\n```\n"
	textDollarsADay     = "US dollars a day"
	textTokensADay      = "tokens a day"
)

// Answers of /resend.
const (
	textNothingToResend = "There is nothing to send again."
	textResendsOne      = "Above is 1 message that may not have reached you, sent again."
	textResends         = "Above are %d messages that may not have reached you, sent again."
	textResendsMost     = "Above are the oldest %d messages that may not have reached you, sent again. " +
		"Use /resend once more for the rest."
)

// textsInPrivate tell a group what became of a command's private answer. "" means that the answer
// still waits.
var textsInPrivate = map[supervisor.DeliveryResult]string{
	supervisor.OutcomeSent:    "I answered you in our private chat.",
	supervisor.OutcomeFailed:  "I can't write to you in private. Open a chat with me, press Start, and ask again.",
	supervisor.OutcomeUnknown: "I answered you in our private chat. The answer may not have arrived.",
	"": "The answer goes to our private chat. If it does not come, open a chat with me and press " +
		"Start.",
}

// Texts of /doctor.
const (
	textFinding    = "%s %s: %s"
	textDoctorFine = "No problem found in %d examinations."
	// the findings are shown as they are, in a block of code
	textDoctorFound = "```\n%s\n```\n%d other examinations found no problem."
)
