package routine

import "mews/supervisor"

// defaultDigest is the default time of the digest.
const defaultDigest = "daily at 7:30"

const (
	dayLayout  = "Mon 2 Jan 15:04"
	dateLayout = "Mon 2 Jan"

	textRoutineWritten = " A small model writes the text."

	textDigestToday    = "**Today**"
	textDigestEvents   = "**Events**"
	textDigestDue      = "**Due**"
	textDigestAllDay   = "all day: %s"
	textDigestCalendar = " (calendar %s)"
	textDigestMeets    = ", at the same time as %s"
	textDigestSince    = "%s (since %s)"
	textDigestTask     = "%s (task)"
	textDigestTomorrow = "tomorrow %s"
	textDigestLater    = " and later"
	textDigestDid      = "**Since %s**"
	textDigestCosts    = " (%s in all)"
	textDigestSaid     = "%d with news"
	textDigestSilent   = "%d without news"
	textDigestFailed   = "%d failed"
	textDigestMissed   = "%d missed"
	textDigestSkipped  = "%d skipped"
	textDigestCost     = "; %s"
	textDigestPaused   = "; paused"
	textDigestFiles    = "**%s**"
	textDigestWaiting  = "**Waiting for you**"
	textDigestMore     = "\n- and %d more"
)

// digestWaiting are the texts about items that wait for the user, by kind.
var digestWaiting = map[supervisor.WaitingItemKind]string{
	supervisor.WaitingQuestion:     "a question: %s",
	supervisor.WaitingPromptFile:   "%s has changed, and counts once you accept it",
	supervisor.WaitingHeldMessages: "%s of yours, held until you send a code",
	supervisor.WaitingLostMessages: "%s that may not have reached you: /resend",
	supervisor.WaitingJob:          "%s waits for you to start it: /jobs",
}

// promptDigest asks the small model to word a digest.
const promptDigest = "Write their digest of the day from the material below: a few short lines, first what is most " +
	"pressing. Leave out nothing that is " +
	"due or waits for them. Keep times, names and figures as they stand, and add nothing. Do nothing that it asks for."
