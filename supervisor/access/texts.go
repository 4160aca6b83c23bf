package access

import "fmt"

// Refusals and challenges of the gate.
const (
	textNoUser         = "There is no user %q here."
	textSuspended      = "%s is suspended here. Nobody can speak as %s until an admin lifts the suspension."
	textTooManyWaiting = "This message was not taken, because %d of your messages wait already. Send it " +
		"again in a few minutes."
	textAlsoRefused = " I also refused %s before it, without a reply."
	textNextRefused = " I also refuse messages right after it, and only some of them get a " +
		"reply."
	textTooFast = "I did not take this message, because you send too fast: I take %d messages at once, and then %g a " +
		"second. Try again in a moment. I always take /stop."

	textLocked = "Locked. Send the six digits that your authenticator app shows, or a recovery " +
		"code. Your message is kept, and answered then."
	textLockedElsewhere = "Your message in another chat waits, because that chat is locked. Send me, here " +
		"in our private chat, the six digits that your authenticator app shows, or a " +
		"recovery code. Then I answer your message there."
	textLockedNoChat         = "Locked, and I accept no codes here. Send your message in our private chat."
	textLockedOut            = " Too many codes were wrong, so I accept none before %s."
	textSendCodeAlone        = "Send the code alone, without other words. "
	textPressLocked          = "Locked. Send your code, then press the button again."
	textPressLockedElsewhere = "Locked. Write a message here. I then ask for your code in our private chat. " +
		"Send the code there, then press the button again."
	textTooManyHeld = "I did not take this message, because too many of your messages wait for a code. Send a " +
		"code first, then send this message again."
	textCodeLate = "That code came too late: nothing was done, and the code is used up. Ask again " +
		"for what you wanted."
	textRecoveryAmongWords = "Locked, and this was not taken: it seems to have a recovery code in it. Send " +
		"the code alone in our private chat; then send the rest again."

	textEnrolling = "Your second factor is not set up yet. Add the secret to your authenticator app, " +
		"and send me the six digits that it shows. Then send this again."
	textNoFactor = "You need a second factor to speak here, and have none yet. Ask an admin for an invite, or to run " +
		"`mews totp enroll %s`. Then send this again."
	textLookupFailed = "Mews can't take your message now, because it can't check whether you have sent your " +
		"code. Send the message again later. An admin can see why in the log, or with `mews " +
		"doctor`."
	textUnreadableFactor = "Your chat stays locked: your second factor can't be read, so no code can be " +
		"checked. An admin can restore the key file, or remove the factor with `mews " +
		"totp reset %s`."

	// textGateAlert is the alert to admins about a locked-out user.
	textGateAlert = "%s is locked out, because Mews could not %s: %v. They can speak again once " +
		"that works; `mews doctor` may name the cause."
)

// Answers to users who have sent a code.
const (
	textUnlocked  = "Unlocked for %s at most. If you send nothing for %s, I lock again. /lock locks at once."
	textConfirmed = "Confirmed."
	textEnrolled  = "From now on Mews asks for codes."

	textFactorSetUp     = "Your second factor is set up. "
	textNothingToVerify = "You have no second factor yet, so no code can be checked. Set one up first."
	textDuringLockout   = "I accept no code before %s, not even a right one."
	textNotCode         = "That is not a code. Send the six digits that your authenticator app shows."
	textUsedCode        = "That code was used already. Wait until your app shows another one, half a minute at most."
	textClockBack       = "No code can be taken, because the clock here shows %s, which is before your " +
		"last code. The clock was set back, or was wrong before. An admin can correct " +
		"it; a recovery code still works."
	textWrong          = "Wrong code. %s left. After that I accept no code for %s."
	textWrongAndLocked = "Wrong code, for the %dth time. No code is taken before %s. If that was not you, tell an " +
		"admin: somebody uses " +
		"your account."
	textExposedRecovery = "You sent a recovery code where others may read it. It unlocked nothing, and is " +
		"used up. %s Send codes only in our private chat."
	textUnexpectedCode = "I am not waiting for a code here. Your code did nothing, and is used up. "
	textSpentCode      = "That code was used already, or has expired. I am not waiting for a code here, " +
		"so it did nothing."
	textNextCode = "If I ask for a code, send me the next one that your app shows."
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
	textSpeakAsDenied  = "Only an admin may speak as %q; your account is not an admin's."
	textNameUser       = "Name the user to speak as, with --user NAME. There are: %s."
	textNoAccount      = "No user of Mews has this account (user id %d). An admin can add it: `account:` under " +
		"`users:` in the configuration."
	textManyUsers = "This account belongs to several users; choose one with --user NAME: %s."

	textNoSeal = "No second factor can be set up now, because the key that seals it can't be " +
		"used. An admin can see why in the log, or with `mews doctor`."
)

// Texts that are stored or sent while a gate is closed.
const (
	// TextResendAfterFactorReset answers held messages if their user's second factor is reset.
	TextResendAfterFactorReset = "This message waited for a code, but your second factor was reset. " +
		"So I did not take it. Send it again."
	// TextEditWhileLocked refuses an edit that comes while the gate is closed. The edited message
	// had passed the gate.
	TextEditWhileLocked = "Locked: your edit of this message was not taken. Send your code, then edit it " +
		"again."
	// TextCodePlaceholder replaces the text of a code, which is never stored.
	TextCodePlaceholder = "(a code)"
)
