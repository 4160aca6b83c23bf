package usage

// Texts about usage.
const (
	textNothing      = "nothing"
	textCached       = " (%d %% from a cache)"
	textLine         = "%s, %s%s tokens in%s, %s out, %s"
	textAbout        = "about "
	textFree         = "free"
	textNoPrice      = "price not known"
	textSomeUnpriced = "%s and %s of unknown price"
)

// textNoConversation is logged for admins if a user has no conversation whose budget can pay.
const textNoConversation = "%s has no conversation whose budget can pay for a model."
