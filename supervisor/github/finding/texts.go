package finding

// Texts of comments and summaries, around the text of the model.
const (
	textImage  = "(image)"
	textLink   = "(link removed)"
	textSecret = "(secret removed)"

	textReordered       = "Characters that change the order in which this line is shown"
	textReorderedDetail = "The line has bidirectional control characters: what a reviewer sees is not what a compiler reads. Take them out, or write them as escapes."

	textHead    = "**Review of `%s`:** %s."
	textNothing = "no findings"

	textNothingNew = "nothing new, only %s"
	textBeside     = "%s, plus %s"

	textNotRead   = "**Not reviewed:** `%s`. %s"
	textMore      = "- and %d more"
	textSkipped   = "Skipped: %s."
	textUnread    = "Not reviewed: %s."
	textLeft      = "Left out: %s."
	textFoot      = "Cost %s. This review is automatic; write `@%s stop` to end reviews here."
	textNews      = "New at `%s`: %s. The summary in the first review is kept up to date."
	textUnpriced  = "unknown"
	textUnfounded = "with a wrong quote"
)

// earlier is the key in counted for findings of earlier heads.
const earlier = "earlier"

// counted has the singular and the plural of counted nouns.
var counted = map[string][2]string{
	"critical":               {"critical finding", "critical findings"},
	"warning":                {"warning", "warnings"},
	"suggestion":             {"suggestion", "suggestions"},
	earlier:                  {"finding of earlier commits", "findings of earlier commits"},
	string(OmittedUnfounded): {"finding " + textUnfounded, "findings " + textUnfounded},
	string(OmittedRepeated):  {"finding that was reported before", "findings that were reported before"},
	string(OmittedStyle):     {"remark on style", "remarks on style"},
}
