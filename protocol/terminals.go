package protocol

// MethodTerminals asks a worker which of its terminals run: a program in one goes on when the turn
// that opened it has ended. It has no parameters, and its result is a TerminalList.
const MethodTerminals = "terminals.list"

// TerminalList is the result of terminals.list.
type TerminalList struct {
	Terminals []Terminal `json:"terminals,omitempty"` // in the order in which they were opened
}

// Terminal is a program that runs in a terminal.
type Terminal struct {
	ID      int    `json:"id"`
	Program string `json:"program"` // on one line
	Turn    int64  `json:"turn"`    // that opened it
	Seconds int64  `json:"seconds"` // since then
}
