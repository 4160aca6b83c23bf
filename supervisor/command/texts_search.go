package command

// /search and /history.
const (
	textSearchUsage = "Write “/search WORDS”. “/history 2026-11-20” shows what was said on a day."
	textNextButton  = "The next 10"
)
