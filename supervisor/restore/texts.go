package restore

// Texts about a restore, for the person at the terminal.
const (
	textWorks         = "Another restore or drill uses %s. Wait for its end."
	textBadJournal    = "%s is no regular file of the backup's owner or of root. Move it away if it is not yours"
	textBigJournal    = "%s has more than %d bytes"
	textRefused       = "Nothing was written, because the backup can't be restored: %v."
	textNotEmpty      = "Nothing was written: %s already has files of Mews. Restore into an empty folder."
	textHomeNotEmpty  = "The home of %s is not empty: %s. Move its files away, and run the command again."
	textOtherRestore  = "A restore into %s was interrupted. Finish it first: `mews restore %s`."
	textUnfinished    = "A restore into %s was interrupted. Finish it first: `mews restore %s`."
	textNoHome        = "The backup %s has no home of %s."
	textNeedsIdentity = "The home of %s is sealed. Name the file with its key: `--identity FILE`."
	textWrongIdentity = "The key in the identity file does not open the home of %s. Nothing was written."
	textRestoresHome  = "Restoring the home of %s: %d files."
	textHomeFailed    = "The home of %s is not restored: %v. Repeat it later: `mews restore BACKUP --user %s`."
	textPerhapsDone   = "The home of %s has files, and an interrupted restore began it. If files miss, look into %s."
	textNoUser        = "%s is no user any more. The archive of the home stays in %s."
	textDeleteAgain   = "%s was deleted after the backup. Delete the data again: `mews user delete %s`."
	textFactAgain     = "%s has forgotten a fact at %s. It is forgotten again when the service starts."
	textSpanAgain     = "%s has forgotten messages at %s. They are forgotten again when the service starts."
	textForgetAgain   = "%s has forgotten a %s at %s. It is back, so it must be forgotten again."

	textDone        = "Restored the backup of %s, made by version %s.\n"
	textHomeDone    = "Home of %s: %d files, %s.\n"
	textLeftOutHome = "Left out of the home of %s: %s\n"
	textNoJournal   = "There is no after.log beside the backup. Later removals and requests to " +
		"forget are not known.\n"
	textSkipped   = "%d lines of after.log were cut short, and are not repeated.\n"
	textNoSealKey = "The backup has no key of the second factors, so that all second factors have ended.\n"
	textNext      = "Now start the service. Nothing is sent or done again by itself: see the messages about the " +
		"restore.\n"
	// TextInvite shows the invite of a user whose second factor has ended.
	TextInvite = "Invite for %s: %s\n"
	// TextNoInvite says that an invite failed.
	TextNoInvite = "There is no invite for %s: %v. Make one: `mews user invite %s`.\n"
	// TextUserDone says that a home was restored.
	TextUserDone = "Restored the home of %s: %d files.\n"
	// TextDrill says that a backup was tried, and TextDrillSealed that some archives stayed closed.
	TextDrill       = "The backup %s can be restored: %d homes, and the database is whole.\n"
	TextDrillSealed = "%d sealed homes were not opened. Name the file with the key: `--identity FILE`.\n"
	TextNoIdentity  = "The backup %s is sealed. Name the file with its key: `--identity FILE`."
	TextNoState     = "There is no state folder %s, and root can't know whose it is. Make it: `mews install`."
	TextUnreadable  = "%s can't be read as the user id %d, which owns %s. Give it the backup: `chown -R %d %s`."
	TextNoRoom      = "%s has %s free, and the backup needs %s."
	TextDrillFailed = "The backup %s can't be restored: %s"
)

// Texts in the restored database.
const (
	textWhyUnknown = "the service was restored from a backup"
	textUnanswered = "The service was restored from a backup. The result of this call is not known."
)

// Texts of the messages about a restore, for users.
const (
	textNoticeHead = "Mews was restored from a backup of %s. I do not know what happened after that."
	textNoticeMore = "More from before the restore."
	textTurns      = "\n\nI may not have answered:\n%s"
	textDeliveries = "\n\nThis may not have reached you:\n%s"
	textDropped    = "\n\nI did not do this. Send it again if you need it:\n%s"
	textFires      = "\n\nThis was due, and I do not know whether I have told you:\n%s"
	textReminders  = "\n\nReminders of your files that were due:\n%s"
	textHeld       = "\n\nThis waited for the end of your quiet hours:\n%s"
	textEnded      = "\n\nLogins, invites and permanent permissions have ended."
	textResend     = "Send again"
	textAdminHead  = "\n\nFor admins: what was spent this month after the backup is not known. " +
		"So the month counts as spent."
	textAdminMonth  = "Use the budget again"
	textAdminUnsure = "\n\nThere was no after.log: check who may speak, and what was forgotten."
	textMonthOn     = "The budget of the month counts again, from what the backup knows."
	textMonthWas    = "The budget of the month counts already."
	textNeverBefore = "This service was never restored."
	textRestoredAt  = "This service was restored at %s."
)
