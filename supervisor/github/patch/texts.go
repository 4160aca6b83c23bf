package patch

const (
	textNoDiff     = "There is no change in that. Give a diff in the format of `git diff`."
	textNoFindings = "Nothing was found.\n"
	textNoneInRead = "Nothing was found in what could be read.\n"
	textSkipped    = "Skipped: %s\n"
	textUnread     = "NOT REVIEWED: %s\n"
	textUnposted   = "NOT POSTED: %s\n"
	textCost       = "Cost: %s\n"
)
