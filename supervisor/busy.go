package supervisor

// Busy is what becomes of a text that is sent while a turn of its conversation runs. Commands run at once in any case.
type Busy string

const (
	BusySteer   Busy = "steer"   // the turn takes it in before its next call of the model; where there is none, as BusyQueue
	BusyQueue   Busy = "queue"   // it waits, and has a turn of its own
	BusyRestart Busy = "restart" // it stops the turn, and the next one answers with all that was said
)
