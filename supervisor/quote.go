package supervisor

// Quote is what of an earlier message its reader is reminded of.
type Quote struct {
	By   string // who said it; "" is nobody who needs a name
	Part string // what was chosen of it; "" is nothing
	Text string // all of it; "" is not known, or need not be said again
}
