package monitor

import (
	"os"
	"strconv"
	"strings"
)

// MachineMemory is the memory of this machine, in bytes.
type MachineMemory struct {
	Total, Available int64 // all memory, and what programs can still get
	Swap             int64 // all swap; 0 means none
}

// ReadMachineMemory returns the memory of this machine. The zero value means that the system does
// not tell it (proc_meminfo(5)).
func ReadMachineMemory() (m MachineMemory) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return m
	}
	wanted := map[string]*int64{"MemTotal": &m.Total, "MemAvailable": &m.Available, "SwapTotal": &m.Swap}
	for line := range strings.Lines(string(text)) {
		name, rest, _ := strings.Cut(line, ":")
		if to, fields := wanted[name], strings.Fields(rest); to != nil && len(fields) > 0 {
			n, _ := strconv.ParseInt(fields[0], 10, 64) // the kernel writes a number
			*to = n << 10
		}
	}
	return m
}

// minFreePercent is the share of all memory that a machine should have left.
const minFreePercent = 5

// IsLow reports whether the machine has little memory left. Unknown memory is not low.
func (m MachineMemory) IsLow() bool { return m.Total > 0 && m.Available*100 < m.Total*minFreePercent }
