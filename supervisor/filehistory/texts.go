package filehistory

import (
	"mews/protocol"
	"mews/supervisor/spans"
)

// timeLayout is the form of a moment in texts.
const timeLayout = "Mon 2 Jan 2006 15:04"

// Reasons why nothing is shown or restored.
const (
	textOff     = "I keep no earlier versions of your files: %s."
	textFailed  = "I could not do that: %s"
	textGone    = "these versions are no longer kept"
	textBadPath = "I need a path in your home, such as notes/plan.md."
	textUsage   = "Write “/history files”, “/history files PATH”, or “/history files --at \"yesterday 9:00\" PATH”. " +
		"A moment is: " + spans.MomentHelpText + "."
	textInGroup = "I show earlier versions of files only in our private chat."
)

// Answers of /history files.
const (
	textVersions       = "Versions of %s, newest first:\n"
	textHomeVersions   = "The last changes of your files, newest first:\n"
	textNoVersions     = "I have no version of %s. “/history files” lists the last changes."
	textNoChanges      = "I have no earlier versions of your files yet."
	textVersionLine    = "%d. %s, %s: %s\n"
	textChangeLine     = "- %s, %s: %s\n"
	textOneChange      = "%s (%s)"
	textAndMoreChanges = " and more"
	textHomeHint       = "\n“/history files PATH” lists the versions of a file. " +
		"“--at \"yesterday 9:00\"” shows everything as it was then."
	textDeleted       = "deleted"
	textFolder        = "folder changed"
	textLink          = "link"
	textNotKept       = "%s, not kept: %s"
	textShow          = "Look at %d"
	textCompare       = "Compare %d"
	textPutBackNumber = "Put back %d"
	textOlder         = "Older"

	textVersion      = "%s on %s:\n"
	textEmptyVersion = "%s was empty on %s."
	textLongVersion  = "%s on %s, as a file."
	textPrintIt      = " In a terminal, `mews home show` prints it."
	textSame         = "%s is the same now."
)

// Answers about restoring an earlier version.
const (
	textPreview        = "%s as it was on %s:\n"
	textWouldRestore   = "Gets its earlier version: %s."
	textWouldDelete    = "Was not there then, so I would delete: %s."
	textWouldNotKeep   = "Stays as it is, because I had not kept it: %s."
	textNothingDiffers = "Nothing has changed since."
	textCopyHint       = "A copy goes to %s."
	textUnkept         = "They stay, because I have not kept them, and could not get them back: %s."
	textPutBack        = "Put back"
	textAsCopy         = "As a copy"
	textLeave          = "Leave"

	textRestored       = "As it was on %s: %s."
	textCopied         = "The copy is in %s."
	textDeletedNow     = "Deleted, because it did not exist then: %s."
	textStaysNotKept   = "Stays as it is, because I had not kept it: %s."
	textCouldNotChange = "I could not change these files: %s."
	textEndedEarly     = "I stopped before the end: %s."
	textNothingPutBack = "Everything was like that already."
	textTakeBack       = "Take this back"
	textPutBackAnyway  = "Put back anyway"
	textLeftAlone      = "Left as it is."
	textTakenBack      = "As it was before: %s."
	textChangedSince   = "Left alone, because it has changed since: %s."
	textMayBeOther     = "Changed while a program ran, so I put it back only by name: %s."
	textNothingToTake  = "There was nothing to take back."
	textAtVersion      = "version %d" // the moment of a version whose time is not known
	textMoreFiles      = " and %s"
)

// Words of the ledger about a restore.
const (
	textWholeHome      = "your home"
	textRestoredDetail = "%s, as of %s"
	textCopyDetail     = "a copy of %s, as of %s"
)

// authorTexts are the words about each kind of author. %s is the program or tool. For a change from
// outside Mews, %s is the time at which the change was found.
var authorTexts = map[protocol.HistoryAuthorKind]string{
	protocol.HistoryAuthorTool: "assistant (%s)", protocol.HistoryAuthorProgram: "program %s",
	protocol.HistoryAuthorUndo: "an undo", protocol.HistoryAuthorRestore: "a restore",
	protocol.HistoryAuthorUser: "you (%s)", protocol.HistoryAuthorOther: "changed before %s",
}

// textOrOther follows the author of a change that another program may have made.
const textOrOther = " or another program"

// Texts of `mews home`.
const (
	textTerminalLine     = "%13s  %s  %-10s  %s\n" // the version, the time, the state and the author of a version
	textTerminalOlder    = "There are older versions: add --before %d.\n"
	textTerminalNone     = "No versions are kept.\n"
	textTerminalSame     = "Nothing differs.\n"
	textTerminalPreview  = "Nothing was changed. Add --yes to restore.\n"
	textTerminalCounts   = "%s: %s\n"
	textTerminalRestored = "restored"
	textTerminalWould    = "would be restored"
	textTerminalDeleted  = "deleted, because it did not exist then"
	textTerminalDelete   = "would be deleted, because it did not exist then"
	textTerminalNotKept  = "not kept, so unchanged"
	textTerminalFailed   = "could not be changed"
	textTerminalEarly    = "The restore ended early: %s\n"
	textNoBytes          = "These bytes are not here any more."
	textNoRestore        = "This restore has ended. `mews activity` lists what it changed."
	textNoAction         = "%q is no action of mews home."
	textNoMomentGiven    = "Name a version with --version, or a moment with --at."
)

// Notices.
const (
	textBaseline = "I now keep earlier versions of your files: %s of %s. Not kept: %s. " +
		"“/history files” shows the versions."
	textReasonCount   = "%s (%s)"
	textAdminRestored = "An admin restored an earlier version of %s (%s). “/history files” shows the versions."
	textNoRepository  = "I keep no earlier versions of files in %s, and the folder is no git repository. " +
		"I can't take back changes of programs there. Make a repository there to keep versions yourself."
)
