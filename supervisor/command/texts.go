package command

import "mews/supervisor"

// What a command says. A name that others gave is put in by quoteName.
const (
	textNoCommand    = "There is no command /%s. /help lists those there are."
	textCommandMeant = "There is no /%s. Did you mean /%s?"
	textAdminsOnly   = "Only an admin may use /%s."
	textInPrivate    = "I have answered you in our private chat."
	textAnew         = "I answer it anew."
	textNotAnew      = "That was answered anew before, or was never answered."

	textStart = "Mews is ready. Write what you want done with your notes and files; for example “list my files” or “take a note: " +
		"call Ann on Friday”. What you send is kept until it is answered, whatever happens in between.\n\n"
	textStartEnd = "\n/help lists the commands."
)

// /help.
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

// /new and /stop.
const (
	textNewTopic            = "A new topic. What was said so far stays on record but out of my sight; your files are as they were."
	textNewTopicStopped     = " The answer that was being given is stopped."
	textNewTopicWaiting     = " 1 message that has no answer yet is answered in the new topic."
	textNewTopicWaitingMany = " %d messages that have no answer yet are answered in the new topic."

	textNothingRuns      = "Nothing is running here."
	textStopped          = "It is over: nothing of it runs on."
	textJustEnded        = "The answer that was being given had just ended."
	textNothingDropped   = "Nothing waited."
	textDropped          = "I dropped %s that waited; send again what you want after all."
	textWaiting          = " 1 message waits behind it, and is answered now."
	textWaitingMany      = " %d messages wait behind it, and are answered now."
	textStopsSlowly      = "I am stopping the running answer, and that takes longer than it should. It will say itself how it ended."
	textStoppedNotStored = "What runs here is being stopped, although your /stop could not be kept: "
)

// /queue and /followup. The words of a message are put in by wordsOf.
const (
	textQueueUsage    = "I know /queue, which lists what waits here, “/queue drop NUMBER” and “/queue now NUMBER”, with the numbers of that list."
	textQueueRuns     = "I have been answering %s for %s."
	textQueueAsked    = "I wait for your answer to my question: %s."
	textQueueEmpty    = " Nothing waits."
	textQueueWaits    = " %s:\n"
	textQueueLine     = "\n%d. %s, sent at %s, %s ago"
	textQueueFiles    = ", with %s"
	textQueueArriving = ", still arriving"
	textQueueMore     = "\n\nand %d more"
	textQueueForeign  = "This message is not yours."
	textQueueGone     = "%s does not wait here any more."
	textNotListed     = "There is no number %d in a list that I have given you. /queue lists what waits."
	textFollowup      = "“/followup TEXT” keeps a message that waits for the end of what runs, and of all else that waits, whatever your setting " +
		"busy says; it can come with files. Where nothing runs it is answered at once."
)

// queueButtons are the buttons of a list, with a number of it.
var queueButtons = map[string]string{pressDrop: "Drop %d", pressNow: "Now %d"}

// queuePriorities stand behind what does not wait as usual.
var queuePriorities = map[supervisor.Priority]string{
	supervisor.PriorityFollowup: ", to come after all else",
	supervisor.PriorityNow:      ", to come next",
}

// queueStates say of a message that was to be dropped, or to come next, how it is now.
var queueStates = map[supervisor.InboundState]string{
	supervisor.InboundNew:      "%s comes next.",
	supervisor.InboundArriving: "%s comes next, once it has arrived.",
	supervisor.InboundDropped:  "I dropped %s; send it again if you want it after all.",
	supervisor.InboundRunning:  "%s does not wait any more: it is being answered.",
	supervisor.InboundAnswered: "%s does not wait any more: it is answered.",
	supervisor.InboundDone:     "%s does not wait any more: it is answered.",
}

// /files.
const (
	textFiles        = "You have sent %s; the newest first:\n"
	textFileLine     = "\n%d. %s, %s, %s"
	textNoFiles      = "There are no files here that you have sent."
	textFileGone     = "That file is not there any more. /files lists those that are."
	textFileDeleted  = "%s is in the trash now; ask me to bring it back if you want it after all."
	textSendButton   = "Send %d"
	textDeleteButton = "Delete %d"
	textOlderButton  = "Older ones"
)

// /activity.
const (
	textActivityAdminsOnly = "Only an admin is told what was done for everybody. /activity is about you."
	textAllActivity        = "What was done since %s, by person and kind:\n"
	textActivityCount      = "\n- %s: %s, %d"
)

// /lock.
const (
	textLockUsage          = "I know /lock, which locks this chat, and “/lock all”, which locks all of yours, but not %s."
	textLockedHere         = "Locked here. What you send waits until you have sent a code. An answer that is being given goes on; /stop ends it."
	textLockedAll          = "Locked here and in every other chat of yours. What you send waits until you have sent a code. An answer that is being given goes on; /stop ends it."
	textNoFactorConfigured = "There is nothing to lock: the configuration has no second factor for you (totp: off). An admin can change that."
	textNoFactor           = "There is nothing to lock: you have no second factor. `mews totp enroll %s`, on the machine that Mews runs " +
		"on, gives you one; if you have no account there, ask an admin for it."
)

// /allow and /disallow.
const (
	textGroupAllowed = "People may speak with me in this group from now on, if I know them. I answer commands, answers to what I " +
		"wrote, and messages that name me. Each person has an assistant of their own: it sees what is said to it " +
		"here, and nothing of their private chats. What it writes here everybody reads, even what it found in its " +
		"person's folder. /disallow takes this back."
	textGroupDisallowed = "From now on I answer nobody in this group. An admin's /allow changes that."
	textGroupConfigured = "This group stands in the configuration (telegram.groups), so people may still speak here. Take it out " +
		"there, and run `mews reload`."
	textGroupsOnly = "/%s is for groups: add me to one, and write it there. In a group I answer nobody until an admin has allowed " +
		"it; in our private chat you may speak anyway."
)

// /invite.
const (
	textInviteQuestion = "Invite %s? Whoever has the code can speak with Mews as %s, once it is used."
	textInviteInGroup  = "Everybody here would read the code. Write /invite in our private chat."
	textInviteUsage    = "Write the name of who is invited: “/invite anna” makes a code for anna. If nobody here has that name, anna becomes a " +
		"new person."
	textInviteAdded = "%s is a person here now, with a folder of their own. "
	textInviteGive  = "Give this to %[1]s, and to nobody else: whoever uses it first, within %[2]d hours, speaks as %[1]s from " +
		"then on.\n\n"
	textInviteNoBot   = "%s Then they write to the bot: `/start %s`"
	textInviteLink    = "%s\n\nThey open that link, or write to me: `/start %s`"
	textInviteCode    = "They find the bot, and write to it: `/start %s`"
	textInviteFactor  = "\n\nThey are given a second factor then, and need it to speak here."
	textInviteDeleted = "\n\nThis message goes away in an hour."
)

// /grants.
const (
	textGrantsUsage   = "I know /grants, and “/grants revoke NUMBER”, but not %s."
	textGrantsInGroup = "What you always allow is private. Write /grants in our private chat."
	textNoGrants      = "There is nothing that you always allow. When I ask you, the button “Always for exactly this” adds to it."
	textGrants        = "You always allow these:\n"
	textGrantsEnd     = "\n\n“/grants revoke NUMBER” takes one back: I ask you again then."
	textGrant         = "\n- number %d, since %s: %s"
	textMoreGrants    = "\n- and %d more, which are listed once these are fewer"
	textRevokeButton  = "Take back number %d"
	textNoGrantNumber = "%s is not the number of something that you always allow. /grants lists them."
	textRevoked       = "Number %d is taken back: I ask you again from now on."
)

// /settings.
const (
	textSettings          = "What is set for you:\n"
	textSettingsEnd       = "\n\n“/settings NAME VALUE” sets one for you, wherever you write, and “/settings NAME default” takes that back; for example:\n"
	textSettingConfigured = "Only the configuration says what %s is; an admin can change it there."
	textSettingUsage      = "Write a value%s: “/settings %s %s”, or “/settings %s default”."
	textNoSetting         = "There is no setting %s. There are %s."
	textSettingQuestion   = "Change your setting %s from %s to %s?"
	textSettingSet        = "From now on %s is %s, %s. %s"
	textSettingSetInGroup = "The setting %s is changed. /settings in our private chat shows it."
	textChooseModel       = "Choose a model"
	textSetting           = "\n- %s: %s, %s"
	textSettingOr         = ", %s or %s"
	textSettingAsItWas    = "%s: as it was"
)

// /model and /models.
const (
	textModelUsage              = "The name of a model is one word, such as offline. /models lists what there is."
	textConfiguredModelButton   = "As the configuration has it"
	textChosenModelGone         = "You chose %s, which can't be had any more: %s “/model default” takes your choice back."
	textOwnModel                = "%s answers you, by your own choice. “/model default” takes that back; /models lists what there is."
	textConfiguredModel         = "%s answers you, as the configuration has it. “/model PROVIDER/MODEL” chooses another for you alone; /models lists what there is."
	textConfiguredModelQuestion = "Go back to the model that the configuration has for you?"
	textConfiguredModelSet      = "The configuration decides again: from your next message on %s answers you."
	textNoSuchModel             = "%s offers no model %s.%s"
	textModelNotAllowed         = "You may not choose %s: the configuration says which models you may (models_allowed). /models lists them."
	textModelQuestion           = "Have %s answer you from now on?"
	textModelSet                = "From your next message on %s answers you, wherever you write. “/model default” takes that back."
	textModelsHint              = " /models lists what there is."
	textSuggestions             = " There is:\n"
	textMoreModels              = "\n\nand %s more; /models lists them."

	textModels         = "These models can answer you:\n\n"
	textModelsWith     = "Models with %s in their names:\n\n"
	textNoModels       = "No models are offered."
	textNoModelWith    = "No model that is offered has %s in its name."
	textModelsCut      = "\n\n“/models WORD” lists those with that word in their names, “/model PROVIDER/MODEL” chooses one for you."
	textMoreOfProvider = "- and %s more of %s"
	textInUse          = " (in use)"
	textInUseDefault   = " (in use, the default)"
	textDefault        = " (the default)"
	textSilent         = "%s did not say which models it has."
	textSilentWhy      = "%s did not say which models it has: %s"
	textModelsEnd      = "\n\n“/model PROVIDER/MODEL” chooses one for you."
)

// /usage.
const (
	textUsageUsage      = "I know /usage, and for admins “/usage all”, but not %s."
	textUsageAdminsOnly = "Only an admin may see what others ask of models. /usage tells what you did."
	textYourUsage       = "What you asked of models"
	textAllUsage        = "What everybody asked of models"
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

// /resend.
const (
	textNothingToResend = "There is nothing to send again."
	textResendsOne      = "Above is 1 message that may not have reached you, sent again."
	textResends         = "Above are %d messages that may not have reached you, sent again."
	textResendsMost     = "Above are the oldest %d messages that may not have reached you, sent again; /resend once more sends what may be left."
)
