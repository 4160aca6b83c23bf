package supervisor

// SpanForms are the spans that ParseSpan reads, for help texts.
const SpanForms = "today, yesterday, last hour, 7d, 2026-11-20, 2026-11, or two of them as 2026-11-01..2026-11-07"

// What is said of a time that can't be read.
const (
	textNoDate        = "%q is no time that I can read. Write one of: " + SpanForms + "."
	textWrongSince    = "--since %q: want so long ago, such as 24h or 7d, or a day such as 2026-11-22"
	textSpanBackwards = "%s..%s ends before it begins."
)
