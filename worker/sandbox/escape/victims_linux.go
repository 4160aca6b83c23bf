package escape

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"mews/protocol"
)

// Victims are what the probes try to reach. The caller, outside of the walls, has made them. What
// is left empty is not tried.
type Victims struct {
	SupervisorPID int // the supervisor, as the caller numbers it
	// a process of the worker's own uid, with Secret in its environment and something open as 0
	VictimPID    int
	PIDNamespace string // the caller's; empty: within the walls the numbers mean the same
	// the worker whose descriptors 0 and 1 are the protocol, as seen within; 0: the parent
	Worker int

	Secret    string // what the victims hold: to have read it is the proof
	OtherHome string // a file in another person's home, that holds Secret
	// a file of the worker's uid, that holds Secret, in a folder above the workspace
	OwnOutside string
	SecretFile string // a file of the state folder, that holds Secret

	TCP      string // "127.0.0.1:port"; says Secret to whoever connects
	Abstract string // the name, without its leading zero byte, of a socket that says Secret
	Socket   string // the path of a socket that says Secret
	SetUID   string // a program that is set-uid root and prints its effective uid

	// the folder that is the worker's, as seen within; empty: the working directory
	Workspace string
	Marker    string // a file in the workspace that X1's daemon keeps locked, as seen within
	Open      []int  // descriptors above 2 that the caller opened in the probing process on purpose
}

func (v Victims) worker() int {
	return cmp.Or(v.Worker, os.Getppid())
}

func (v Victims) workspace() string {
	return cmp.Or(v.Workspace, ".")
}

// Encode makes one line of the victims, without a newline.
func (v Victims) Encode() string { return encode(v) }

// Decode reads what Victims.Encode wrote.
func Decode(line string) (Victims, error) {
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
	line, _ := json.Marshal(value) // texts and numbers, which JSON can always write
	return string(line)
}
