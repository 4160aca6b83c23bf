package escape

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Victims are what the probes try to reach. The caller, outside of the walls, has made them. What is left empty is not tried.
type Victims struct {
	SupervisorPID int    // the supervisor, as the caller numbers it
	VictimPID     int    // a process of the worker's own uid, with Secret in its environment and something open as 0
	PIDNamespace  string // the caller's; empty: within the walls the numbers mean the same
	Worker        int    // the worker whose descriptors 0 and 1 are the protocol, as seen within; 0: the parent

	Secret     string // what the victims hold: to have read it is the proof
	OtherHome  string // a file in another person's home, that holds Secret
	OwnOutside string // a file of the worker's uid, that holds Secret, in a folder above the workspace
	SecretFile string // a file of the state folder, that holds Secret

	TCP      string // "127.0.0.1:port"; says Secret to whoever connects
	Abstract string // the name, without its leading zero byte, of a socket that says Secret
	Socket   string // the path of a socket that says Secret
	SetUID   string // a program that is set-uid root and prints its effective uid

	Workspace string // the folder that is the worker's, as seen within; empty: the working directory
	Marker    string // a file in the workspace that X1's daemon keeps locked, as seen within
	Open      []int  // descriptors above 2 that the caller opened in the probing process on purpose
}

func (v Victims) worker() int {
	return cmp.Or(v.Worker, os.Getppid())
}

func (v Victims) workspace() string {
	return cmp.Or(v.Workspace, ".")
}

// PIDNamespace is the name of the caller's pid namespace, for Victims.PIDNamespace.
func PIDNamespace() (string, error) {
	name, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return "", fmt.Errorf("name the pid namespace: %w", err)
	}
	return name, nil
}

// field is a field of Victims: a string or a number.
type field struct {
	key    string
	text   *string
	number *int
}

func (v *Victims) fields() []field {
	return []field{
		{key: "supervisor", number: &v.SupervisorPID},
		{key: "victim", number: &v.VictimPID},
		{key: "pidns", text: &v.PIDNamespace},
		{key: "worker", number: &v.Worker},
		{key: "secret", text: &v.Secret},
		{key: "other-home", text: &v.OtherHome},
		{key: "own-outside", text: &v.OwnOutside},
		{key: "secret-file", text: &v.SecretFile},
		{key: "tcp", text: &v.TCP},
		{key: "abstract", text: &v.Abstract},
		{key: "socket", text: &v.Socket},
		{key: "setuid", text: &v.SetUID},
		{key: "workspace", text: &v.Workspace},
		{key: "marker", text: &v.Marker},
	}
}

// Encode makes one line of the victims, without a newline: quoted key=value words with a space between them.
func (v Victims) Encode() string {
	var words []string
	for _, f := range v.fields() {
		switch {
		case f.text != nil && *f.text != "":
			words = append(words, strconv.Quote(f.key+"="+*f.text))
		case f.number != nil && *f.number != 0:
			words = append(words, strconv.Quote(f.key+"="+strconv.Itoa(*f.number)))
		}
	}
	for _, fd := range v.Open {
		words = append(words, strconv.Quote("open="+strconv.Itoa(fd)))
	}
	return strings.Join(words, " ")
}

// Decode reads what Encode wrote. It refuses an unknown key, one that comes twice (except open) and a number below zero.
func Decode(line string) (Victims, error) {
	var v Victims
	seen := map[string]bool{}
	for line != "" {
		word, rest, err := unquote(line)
		if err != nil {
			return Victims{}, fmt.Errorf("decode victims: %w", err)
		}
		key, value, _ := strings.Cut(word, "=")
		if seen[key] && key != "open" {
			return Victims{}, fmt.Errorf("decode victims: %q comes twice", key)
		}
		if err := v.set(key, value); err != nil {
			return Victims{}, fmt.Errorf("decode victims: %q: %w", key, err)
		}
		seen[key], line = true, rest
	}
	return v, nil
}

func (v *Victims) set(key, value string) error {
	if value == "" {
		return errors.New("it has no value")
	}
	if key == "open" {
		fd, err := number(value)
		v.Open = append(v.Open, fd)
		return err
	}
	all := v.fields()
	i := slices.IndexFunc(all, func(f field) bool { return f.key == key })
	if i < 0 {
		return errors.New("there is no such key")
	}
	if all[i].text != nil {
		*all[i].text = value
		return nil
	}
	n, err := number(value)
	*all[i].number = n
	return err
}

// number is a pid or a descriptor. It is not below zero: kill(2) takes that as a group, or as everybody.
func number(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, err
	}
	return int(n), nil
}
