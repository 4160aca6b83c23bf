package schedule

import "fmt"

// madeByInbound names a command or a press that makes a job.
func madeByInbound(inbound int64) string { return fmt.Sprintf("inbound/%d", inbound) }

// madeByCall names a tool call that makes a job.
func madeByCall(turn int64, call string) string { return fmt.Sprintf("call/%d/%s", turn, call) }
