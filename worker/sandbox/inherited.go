package sandbox

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// Variables that tell a worker the numbers of its inherited descriptors. The worker does not pass
// them on to its programs.
const (
	historyVariable   = "MEWS_HISTORY"
	toolRulesVariable = "MEWS_TOOL_RULES"
)

// Descriptors that a worker inherits from stage one.
const (
	historyFD   = 4 // the open folder of the file history
	toolRulesFD = 5 // the Landlock rules of the tool layer, which lack the file history's folder
)

// Inherited are the descriptors that stage one has left open for its worker.
type Inherited struct {
	// History is the open folder for the file history of the worker's home. nil means that there is
	// none. No program has a path to it.
	History *os.File
	// ToolRules are the Landlock rules for the worker's programs, for NewToolStarter. nil means
	// that the tier has no such rules, or that there is no history.
	ToolRules *os.File
}

// TakeInherited takes over the descriptors from stage one, and closes them on execve(2). Call it
// before the process starts a program.
func TakeInherited() (Inherited, error) {
	var i Inherited
	folder, err := takeDescriptor(historyVariable, historyFD)
	if err != nil {
		return i, err
	}
	if i.ToolRules, err = takeDescriptor(toolRulesVariable, toolRulesFD); err != nil {
		return i, err
	}
	if folder == nil {
		return i, nil
	}
	if Tier(os.Getenv(TierVariable)) == TierLandlock && i.ToolRules == nil {
		const format = "%s is set without %s: programs would reach the history"
		return i, fmt.Errorf(format, historyVariable, toolRulesVariable)
	}
	i.History, err = reopenFolder(folder)
	return i, err
}

// takeDescriptor takes over the descriptor that a variable names. nil means that the variable is
// not set.
func takeDescriptor(variable string, want int) (*os.File, error) {
	value, ok := os.LookupEnv(variable)
	if !ok {
		return nil, nil
	}
	if value != strconv.Itoa(want) {
		return nil, fmt.Errorf("%s=%q: want %d", variable, value, want)
	}
	syscall.CloseOnExec(want)
	return os.NewFile(uintptr(want), variable), os.Unsetenv(variable)
}
