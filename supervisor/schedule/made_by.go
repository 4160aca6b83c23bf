package schedule

import "fmt"

// madeByInbound identifies the command or press that makes a job.
func madeByInbound(inbound int64) string { return fmt.Sprintf("inbound/%d", inbound) }

// madeByCall identifies the tool call that makes a job.
func madeByCall(turn int64, call string) string { return fmt.Sprintf("call/%d/%s", turn, call) }
