package webtools

// Texts of fetches, for people and models.
const (
	textFetchArguments = "%s: these arguments can't be read. Give url, and save if you want to keep the page."
	textMayFetch       = "May I open this page on %s? Its address may carry something that I have read.\n`%s`"
)
