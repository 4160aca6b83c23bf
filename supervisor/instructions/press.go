package instructions

// Presses of a file's buttons: an action, followed by the key of the waiting text.
const (
	pressPrefix  = "p:"
	pressAccept  = "accept"
	pressPutBack = "back"
)
