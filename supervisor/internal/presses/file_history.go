package presses

import "fmt"

// FileHistoryPrefix is the beginning of the presses of buttons about earlier versions of files.
const FileHistoryPrefix = "fh:"

// FormatFileHistoryPress returns the press of a button about an earlier version. The numbers depend
// on the action.
func FormatFileHistoryPress(action string, first, second int64) string {
	return fmt.Sprint(FileHistoryPrefix, action, " ", first, " ", second)
}

// ParseFileHistoryPress splits a press without its prefix. The press may be forged, so the numbers
// must be checked.
func ParseFileHistoryPress(press string) (action string, first, second int64, ok bool) {
	n, err := fmt.Sscanf(press, "%s %d %d", &action, &first, &second)
	return action, first, second, err == nil && n == 3 && first >= 0 && second >= 0
}
