package access

import "fmt"

// Refusals and challenges of the gate.
const (
	textNoUser         = "There is no user %q here."
	textSuspended      = "%s is suspended here, and nobody can speak as %s until an admin has ended that."
	textTooManyWaiting = "This message was not taken: %d of yours wait already, and no more can. Send it again in " +
		"a few minutes."
	textAlsoRefused = " Not taken either, and without a reply of their own: %s before it."
	textNextRefused = " What you send right behind it is not taken either, and not each one gets a reply from " +
		"now on."
	textTooFast = "This was not taken, because you send faster than I can take it: %d at once, and then %g " +
		"a second. Try again in a moment. " +
		"/stop is always taken."

	textLocked = "Locked. Send the six digits that your authenticator app shows, or a recovery code. What you " +
		"sent is kept, and is " +
		"answered then."
	textLockedElsewhere = "What you sent in another chat waits, because it is locked there. Send me, here in our " +
		"private chat, the " +
		"six digits that your authenticator app shows, or a recovery code. Then what you sent is answered there."
	textLockedNoChat         = "Locked, and no code can be sent here. Send this in our private chat."
	textLockedOut            = " No code is taken before %s: too many were wrong."
	textSendCodeAlone        = "A code has to stand alone. "
	textPressLocked          = "Locked. Send your code, then press again."
	textPressLockedElsewhere = "Locked. Write a message here, send your code in our private chat when I ask for " +
		"it there, then press again."
	textTooManyHeld = "This was not taken: too much of yours waits for a code already. Send a code " +
		"first, then send this again."
	textCodeLate = "That code came too late: what it was for was not done, and the code is used up. " +
		"Ask again for what you wanted."
	textRecoveryAmongWords = "Locked, and this was not taken: it seems to have a recovery code in it. Send the " +
		"code alone, in our private " +
		"chat; then send the rest again."

	textEnrolling = "Your second factor is not set up yet. Add the secret that you were given to your " +
		"authenticator app, and send me " +
		"the six digits that it shows, here. Then send this again."
	textNoFactor = "You need a second factor to speak here, and have none yet. Ask an admin for an invite, or to run " +
		"`mews totp enroll %s`. Then send this again."
	textLookupFailed = "This can't be taken now, because Mews can't look up whether you have sent your code. Send " +
		"it again " +
		"later. An admin can see why in the log, or with `mews doctor`."
	textUnreadableFactor = "Your chat stays locked: your second factor can't be read, so no code can be checked. " +
		"An admin can put " +
		"back the key file that it was sealed with, or take the factor away with `mews totp reset %s`."

	// textGateAlert is for admins.
	textGateAlert = "%s is locked out, because Mews could not %s: %v. It lasts until that works again; `mews " +
		"doctor` may name " +
		"the cause."
)

// Answers to a code.
const (
	textUnlocked  = "Unlocked for %s, or until you have sent nothing for %s. /lock locks at once."
	textConfirmed = "Confirmed."
	textEnrolled  = "From now on a code is asked for."

	textFactorSetUp     = "Your second factor is set up. "
	textNothingToVerify = "You have no second factor yet, so no code can be checked. Set one up first."
	textDuringLockout   = "No code is taken before %s, not even a right one."
	textNotCode         = "That is not a code. Send the six digits that your authenticator app shows."
	textUsedCode        = "That code was used already. Wait until your app shows another one, half a minute at most."
	textClockBack       = "No code can be taken: the last one was of a later time than it is here now, %s. The " +
		"clock of the machine that " +
		"Mews runs on was set back, or was wrong before. An admin can set it right; a recovery code works all the same."
	textWrong          = "Wrong code. %s left; then no code is taken for %s."
	textWrongAndLocked = "Wrong code, for the %dth time. No code is taken before %s. If that was not you, tell an " +
		"admin: somebody uses " +
		"your account."
	textExposedRecovery = "That was a recovery code, sent where others may read it. It opened nothing, and is " +
		"used up. %s Codes are for " +
		"our private chat."
	textUnexpectedCode = "I am not waiting for a code here, so it did nothing, and it is used up. "
	textSpentCode      = "That code was used already, or has run out. I am not waiting for one here, so it did nothing."
	textNextCode       = "If I ask for one, send me the next that your app shows."
)

// textRecoveryLeft tells a user how many recovery codes are left after they have used one.
func textRecoveryLeft(n int) string {
	switch n {
	case 0:
		return "It was your last recovery code: ask an admin for new ones soon."
	case 1:
		return "You have 1 recovery code left; this one can't be used again."
	}
	return fmt.Sprintf("You have %d recovery codes left; this one can't be used again.", n)
}

// Refusals for processes on this machine.
const (
	textSpeakAsUnknown = "There is no user %q. There are: %s."
	textSpeakAsDenied  = "Only an admin may speak as %q; this account is not one."
	textNameUser       = "Say as whom to speak, with --user NAME. There are: %s."
	textNoAccount      = "No user of Mews has this account (user id %d). An admin can add it: `account:` under " +
		"`users:` in the configuration."
	textManyUsers = "This account is that of several users; say which with --user NAME: %s."

	textNoSeal = "No second factor can be set up now: the key that would seal it can't be used. An admin can see " +
		"why in the log, or " +
		"with `mews doctor`."
)

// Texts that are kept or sent while a gate is closed.
const (
	// TextHeldReset answers held messages if their user's second factor is reset.
	TextHeldReset = "This waited for a code, and your second factor was reset: it was not taken. Send it again."
	// TextEditLocked refuses an edit, made while the gate is closed, of a message that has passed
	// it.
	TextEditLocked = "Locked: I have not taken your change of this message. Send your code, then change it again."
	// TextCode replaces a code, whose text is never kept.
	TextCode = "(a code)"
)
