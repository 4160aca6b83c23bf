package instructions

// The presses of prompt files' buttons: what is to be done, and the key of what waits.
const (
	pressPrefix  = "p:"
	pressAccept  = "accept"
	pressPutBack = "back"
)
