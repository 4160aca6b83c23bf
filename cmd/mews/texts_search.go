package main

// Texts of search and history.
const (
	flagHistoryUser   = "the conversations of the user of this `NAME` (admins only)"
	flagFrom          = "from this `TIME` on: 2026-11-20, 2026-11, yesterday or 7d"
	flagTo            = "until the end of this `TIME`: 2026-11-20, 2026-11, yesterday"
	flagSearchIn      = "search only `WHAT`: history or home; without it, both"
	flagHistoryFormat = "`FORMAT` of the output: text, markdown, or jsonl, a line of JSON for each message"
	flagHistoryOutput = "write to the new `FILE`; without it, to standard output"

	textNoFormat = "mews history: there is no format %q; there are text, markdown and jsonl\n"
)
