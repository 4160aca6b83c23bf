package finding

// Texts of comments and summaries, around the text of the model.
const (
	textImage  = "(image)"
	textLink   = "(link removed)"
	textSecret = "(secret removed)"

	textReordered       = "Characters that change the order in which this line is shown"
	textReorderedDetail = "The line has bidirectional control characters: what a reviewer sees is not what a compiler reads. Take them out, or write them as escapes."

	textNothing = "no findings"

	textRead          = "**Read %d of %s** at `%s`: %s."
	textFound         = "Found before: %s."
	textTitleUnread   = "not reviewed"
	textNotRead       = "**Not reviewed:** `%s`. %s"
	textNotReadAgain  = "**Not reviewed again:** `%s`. %s"
	textNotPosted     = "**Not posted:** the comments on lines of `%s`. All findings are listed here."
	textNothingInRead = "no findings in what was read"
	textCountChanged  = "%d in changed lines"
	textCountMuted    = "%d muted"
	textCountFixed    = "%d fixed"
	textCountRefuted  = "%d refuted"

	textFile        = "file"
	textFiles       = "files"
	textUnreadFiles = "Not read: %s"
	textUnreadFile  = "- `%s`: %s"
	textUnreadPart  = "- `%s`, in part: %s"
	textUnlisted    = "- %s that GitHub does not list"
	textMoreItems   = "- and %d more\n"
	textMoreFiles   = "and %d more"

	textChanged = "These lines have changed, and were last reviewed at `%s`."
	textMutedBy = "Muted by %s."
	textFixedIn = "Fixed in `%s`."
	textRefuted = "Refuted: %s"

	textLeft      = "Left out: %s."
	textFoot      = "This review is automatic. Write `@%s stop` to end reviews here."
	textNews      = "New at `%s`: %s. The summary in the first review is kept up to date."
	textUnfounded = "with a quote that is not in the code"
)

// counted has the singular and the plural of counted nouns.
var counted = map[string][2]string{
	"critical":               {"critical finding", "critical findings"},
	"warning":                {"warning", "warnings"},
	"suggestion":             {"suggestion", "suggestions"},
	string(OmittedUnfounded): {"finding " + textUnfounded, "findings " + textUnfounded},
	string(OmittedRepeated):  {"finding that was reported before", "findings that were reported before"},
	string(OmittedStyle):     {"remark on style", "remarks on style"},
}
