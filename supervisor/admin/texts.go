package admin

import "mews/supervisor/sqlite"

// Answers to calls of admins.
const (
	textNoSuchUser       = "There is no user %q. There are: %s."
	textInvalidName      = "Nobody can have the name %q."
	textDeleteConfigured = "%s is in the configuration. Remove them there and run `mews reload`; then they " +
		"can be deleted."
	textWorkNotEnded = "%s was shut out, but their running work could not be ended, so nothing else was " +
		"deleted: %v. Run this again."
	textNotAllDeleted  = "%s was shut out, but not all of their data could be deleted: %v. Run this again."
	textHomeNotEmptied = "%s was shut out. Their folder %s could not be emptied, so their stored data was kept:\n%s\n" +
		"Fix that, and run this again."
	textAsRoot     = " Run this as root, or start Mews first."
	textNotServing = "No export can begin now, because Mews is starting or stopping. Try again in a " +
		"minute."
	textExportsBusy = "%d exports are running, and no more can run at once. None of them has ended " +
		"within %d seconds. Run this again in a minute."
	textDeletionBegun = "The deletion of %s has begun and not ended. `mews user delete %s` goes on with it.\n"
	textOtherFile     = "Nothing was changed. Mews runs with the configuration %s, not with %s. Run " +
		"`mews reload --config %s`, or restart Mews with the other file."
	textExportGone       = "This export has ended. Begin it again."
	textExportNotAudited = "This export has no entry in the audit log. %s"
	textFactorOff        = "%s uses no second factor: the configuration has `totp: off`."
	textFactorTaken      = "An admin has taken your second factor away, with its recovery codes, and ended your logins."
	textFactorNeeded     = " You need a new one to speak here: ask for an invite."
	textFactorOptional   = "They need no code until they set up a new second factor."
	textCantBeAdded      = "Nobody was added: %v."
	textNotAdded         = "%s was not added: %v."
	textAdded            = "%s is a user of Mews now (%s), with the folder %s."
	textAddedAgain       = "%s is a user of Mews again (%s), with the folder %s and their other stored data."
	textNoBot            = "Telegram is not set up here, so there is no bot to write to. Make a bot with " +
		"@BotFather, set its token as telegram.token_file in the configuration, and " +
		"start Mews again."
	textNothingToGiveBack = "There is no stored data of %s to give back. Leave out --again, or check the " +
		"name."
	textNoAccount    = "This machine has no account %q. Make it first, or leave out --account."
	textAccountTaken = "The account %s is %s's already."
	textSuspended    = "%s may not speak any more. %s ended, and their unused invites are void. Mews " +
		"refuses their messages. It finishes a running answer, but delivers the answer on " +
		"Telegram only when they may speak again: `mews user enable %s`."
	textRemoveConfigured = "%s is in the configuration. Remove them there and run `mews reload`; `mews user " +
		"disable %s` shuts them out until then."
	textRemovedWithoutData = "%s is no user of Mews any more. There is no data of them here."
	textRemoved            = "%s is no user of Mews any more. Their folder %s and their messages are still " +
		"there; `mews user delete %s` deletes them."
	textInviteSuspended = "%s may not speak for now. Run `mews user enable %s` first."
	textStaysSuspended  = "%s is suspended, and an invite would not change that. `mews user enable %s` does."
	textAddedNotInvited = "%s No invite could be made: %v."
	textAfterRestart    = "a new one, which Mews uses after a restart"
	textCantInvite      = "Nobody can be invited as %q: %v."
	textNotRunning      = "Mews is not running here. It reads its configuration when it starts."
	textNoHome          = "there is no such folder"
	textNothingKept     = "There is no data of %s here."
	textNameUsedBefore  = "An earlier user was called %s, and this data of them is still stored: %s. A new " +
		"user of that name would get it. If they are somebody else, run `mews user " +
		"delete %s` first, or take another name. If they are the same person, give it " +
		"back with `mews user add %s --again`."
)

// Answers about users who were added, enabled, unlocked or reset.
const (
	textThenInvite     = " Then `mews user invite %s` lets them talk there."
	textInviteThem     = " `mews user invite %s` lets them talk on Telegram."
	textEnabled        = "%s may speak again."
	textUnlocked       = "%s can send codes again."
	textNoFactor       = "%s has no second factor."
	textFactorGone     = "%s's second factor is gone, with its recovery codes and their logins. They are told so. "
	textFactorRequired = "They can't speak until they have another: `mews totp enroll %s`, or `mews user invite %s --enrol`."
)

// Answers about accounts on Telegram. An invite has connected each account to its user.
const (
	textDisconnected         = "The account %s does not speak as %s any more. Accounts left: %s."
	textNoSuchAccount        = "%s has no Telegram account %q. Their accounts: %s."
	textDisconnectConfigured = "The configuration gives the account %s to %s. Change it there, and run `mews reload`."
	textNoAccounts           = "none"
)

// Lines of the lists of users and of the audit log.
const (
	textPeopleHead     = "NAME\tROLE\tFROM\tTELEGRAM\tSECOND FACTOR\tUNLOCKED IN\tFOLDER\n"
	textMaySpeak       = "may speak"
	textMayNotSpeak    = "DISABLED: may not speak"
	textNoLimit        = "no limit"
	textLoginSince     = "login\t%s since %s\n"
	textFactorLine     = "%s\t%s\tunlocked in %s\n"
	textDeletionClosed = "  %s, with files that only their own account can read\n"
	textDeletionUnread = "  %s, %s in %s, and files that only their own account can read\n"
	textDeletionHome   = "  %s, %s in %s\n"
	// %s is a folder
	textDeletionHistory = "  %s, with earlier versions of their files\n"
	// %s is the number of copies, such as "2 copies"
	textDeletionCopies = "  %s of the database, made before an update, with other people's data too\n"
	textLogFits        = "%s, each matches the row before it\n"
	textLogEarly       = "%s without a digest: written by an old version of Mews, or changed to look so. " +
		"Only the head shows whether somebody changed such rows\n"
	textLogHead = "head  %s\nSomebody who can write the database can cut off the log's end, " +
		"or rewrite all of it. Only the head shows that: keep it elsewhere, and pass it with --head the next time.\n"
)

// textsLogFault describe the faults of the audit log.
var textsLogFault = map[sqlite.AuditFault]string{
	sqlite.AuditRowsMissing:      "The rows from {from} to {to} are missing.",
	sqlite.AuditLastRowsMissing:  "The rows from {from} to {to} are missing, at the log's end.",
	sqlite.AuditRowWithoutDigest: "Row {row} has no digest: Mews did not write it.",
	sqlite.AuditRowChanged:       "The digest of row {row} does not fit: somebody changed this row or an earlier row.",
	sqlite.AuditLogCutOff:        "The log ends before the head that you gave: rows are missing at its end.",
}
