package patch

const (
	textNoDiff     = "The text contains no changes. Give a diff in the format of `git diff`."
	textNoFindings = "The review found no problems.\n"
	textNoneInRead = "The review found no problems in the parts that it could read.\n"
	textSkipped    = "Skipped: %s\n"
	textUnread     = "NOT REVIEWED: %s\n"
	textUnposted   = "NOT POSTED: %s\n"
	textCost       = "Cost: %s\n"
)
