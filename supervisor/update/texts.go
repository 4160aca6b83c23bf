package update

const (
	textNotConfigured = "the configuration names no feed of releases: set update.feed to an https address or a folder"
	textNoFeed        = "read the feed %s: %w. Check update.feed and the network, then try again"
	textFeedStatus    = "the feed answered %[1]s with %[2]s. Check update.feed"
	textBadRedirect   = "the feed redirects to %s; want https, and at most 5 redirects"
	textBadNumber     = "%s holds no number: %w. Delete that file"
)
