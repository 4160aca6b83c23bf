package escape

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"mews/protocol"
)

// Victims are the targets of the probes. The caller, outside of the walls, has made them. An empty
// target is not tried.
type Victims struct {
	SupervisorPID int // pid of the supervisor, as the caller sees it
	// pid of a process of the worker's own uid, with Secret in its environment and an open
	// descriptor 0
	VictimPID    int
	PIDNamespace string // pid namespace of the caller; empty means that pids are the same within the walls
	// pid of the worker, within its walls. The worker's descriptors 0 and 1 are the protocol. 0
	// means the parent process
	Worker int

	Secret    string // content of the victims: reading it proves the escape
	OtherHome string // a file with Secret in another user's home
	// a file of the worker's uid with Secret, in a folder above the workspace
	OwnOutside string
	SecretFile string // a file with Secret in the state folder

	// path outside of the walls of the folder of the worker's own file history, which holds Secret
	// in HistoryFile
	History string

	TCP      string // address "127.0.0.1:port" of a service that sends Secret to each client
	Abstract string // name, without its leading zero byte, of a socket that sends Secret
	Socket   string // path of a socket that sends Secret
	SetUID   string // a program that is set-uid root and prints its effective uid

	// path of the worker's folder within the walls; empty means the working directory
	Workspace string
	Marker    string // path within the walls of a file in the workspace that the daemon of row X1 keeps locked
	Open      []int  // descriptors above 2 that the caller opened in the probing process on purpose
}

func (v Victims) worker() int {
	return cmp.Or(v.Worker, os.Getppid())
}

func (v Victims) workspace() string {
	return cmp.Or(v.Workspace, ".")
}

// Encode formats the victims as one line, without a newline.
func (v Victims) Encode() string { return encode(v) }

// DecodeVictims reads a line of Victims.Encode.
func DecodeVictims(line string) (Victims, error) {
	var v Victims
	err := protocol.DecodeStrict([]byte(line), &v)
	if err == nil && min(v.SupervisorPID, v.VictimPID, v.Worker) < 0 {
		err = errors.New("a pid below 0 stands for several processes")
	}
	if err != nil {
		return Victims{}, fmt.Errorf("decode victims: %w", err)
	}
	return v, nil
}

func encode(value any) string {
	line, _ := json.Marshal(value) // JSON can always encode texts and numbers
	return string(line)
}
