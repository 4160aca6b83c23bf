package protocol

// MethodTerminalsList asks a worker for its running terminals. A program in a terminal may outlive
// the turn that opened it. The method has no parameters, and its result is a TerminalList.
const MethodTerminalsList = "terminals.list"

// TerminalList is the result of terminals.list.
type TerminalList struct {
	Terminals []Terminal `json:"terminals,omitempty"` // running terminals, in the order of opening
}

// Terminal is a terminal whose program runs.
type Terminal struct {
	ID      int    `json:"id"`
	Program string `json:"program"` // program's command on one line
	Turn    int64  `json:"turn"`    // id of the turn that opened the terminal
	Seconds int64  `json:"seconds"` // age of the terminal in seconds
}
