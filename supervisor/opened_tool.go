package supervisor

import "time"

// OpenedTool is a tool of a family that is open in a conversation.
type OpenedTool struct {
	Name   string
	Call   string    // of find_tools, which has opened it; "" of one that was opened otherwise
	Kept   bool      // the person wants it to stay open
	UsedAt time.Time // when it was called last, or opened
}
