package webhook

// Answers to callers. GitHub and other services show them in a webhook's list of deliveries.
const (
	textTaken      = "taken"
	textKnown      = "taken before"
	textIgnored    = "ignored: %s"
	textUnsigned   = "the signature or the secret is missing, or is not the right one"
	textBusy       = "too many deliveries at once"
	textFull       = "no room is left for deliveries"
	textNotKept    = "Mews could not store the delivery"
	textTooLong    = "the body is too long"
	textNotInTime  = "the body did not come in time"
	textNotJSON    = "the content type is not application/json: choose that for the webhook"
	textIncomplete = "a header is missing or too long"
	textUnreadable = "the payload is not one of GitHub's"
	textNoJSON     = "the body is no JSON"
	textTooOften   = "more than 30 messages a minute"
	textNobody     = "Mews has no user who can read the message"
)

// The reason why a delivery about another repository is ignored.
const textOtherRepo = "repository not configured"

// The text about refused callers, for admins, in the audit log.
const textRefused = "%d requests to %s without the right signature or secret, the last from %s"

// A hook's message: the hook's name and the text.
const textMessage = "**%s**\n\n%s"
