package supervisor

// Busy is what becomes of a text that is sent while a turn of its conversation runs. Commands run
// at once in any case.
type Busy string

const (
	// the turn takes it in before its next call of the model; where there is none, as BusyQueue
	BusySteer Busy = "steer"
	BusyQueue Busy = "queue" // it waits, and has a turn of its own
	// it stops the turn, and the next one answers with all that was said
	BusyRestart Busy = "restart"
)
