package spans

// MomentHelpText lists the moments that ParseMoment reads, for help texts.
const MomentHelpText = "yesterday 9:00, 9:00, 2h, 3 days ago, yesterday, 2026-11-20 or 2026-11-20 9:00"

// Errors about a moment that can't be read.
const (
	textNoMoment = "%q is no moment that I can read. Write one of: " + MomentHelpText + "."
	textFuture   = "%s has not come yet."
)

// timeLayout is the form of a moment in texts.
const timeLayout = "Mon 2 Jan 2006 15:04"
