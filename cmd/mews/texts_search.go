package main

// Texts of search and history.
const (
	flagHistoryUser   = "what was said with the user of this `NAME` (admins only)"
	flagFrom          = "from this `TIME` on: 2026-11-20, 2026-11, yesterday or 7d"
	flagTo            = "until the end of this `TIME`: 2026-11-20, 2026-11, yesterday"
	flagSearchIn      = "`WHAT` is searched: history, or home; both where nothing is said"
	flagHistoryFormat = "`FORMAT` of what is written: text, markdown, or jsonl, a line of JSON for each message"
	flagHistoryOutput = "the new `FILE` into which it is written"

	textNoFormat = "mews history: there is no format %q; there are text, markdown and jsonl\n"
)
