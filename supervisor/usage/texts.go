package usage

// Texts of a sum.
const (
	textNothing      = "nothing"
	textCached       = " (%d %% from a cache)"
	textLine         = "%s, %s%s tokens in%s, %s out, %s"
	textAbout        = "about "
	textNoPrice      = "price not known"
	textSomeUnpriced = "%s and %s of unknown price"
)

// What an admin reads in the log of texts that nobody can pay for.
const textTalksNowhere = "%s talks nowhere, so nothing can be paid for them."
