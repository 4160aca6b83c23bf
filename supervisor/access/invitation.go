package access

import (
	"time"

	"mews/supervisor"
)

// Invitation is an invite to be given away. Its code is kept nowhere else.
type Invitation struct {
	Code string
	Link string // sends the code to the bot; "" where the bot's name is not known
	// why there is no bot, and what to do, in whole sentences; "" where there is one
	Botless string
	Files   []supervisor.File // pictures of the link
	Added   bool              // the person is new
	Lasts   time.Duration     // how long the code can be used
	Enrols  bool              // whoever uses it is given a second factor
}
