// Package spawnwire is the protocol between the supervisor and mews-spawner: a few verbs over a
// Unix socket of type SOCK_SEQPACKET, one message a packet. (macOS lacks this type: there the
// socket is of type SOCK_STREAM, and each packet comes after its length in four bytes.)
//
//	supervisor to spawner    spawn{id, uid, gid, root, path, make_home, history_root, history_path, profile, memory, pids, binds}, with
//	                         two descriptors
//	                         kill{id, signal}
//	                         end_programs{id, kind, limit}
//	                         alive{state, text}, which has no answer
//	spawner to supervisor    ready{version, tier, why, limits, from, to}, once, first
//	                         started{id, pid} or refused{id, reason, shortage}, one for each spawn
//	                         limit_hit{id, kind, limit, times}, when a worker has hit a limit, and once for each end_programs
//	                         exited{id, pid, status}, one for each started
//
// The supervisor numbers its workers, upwards and never twice. The spawner knows them only by these
// numbers: it never signals a process because a message named its pid. A spawn carries the worker's
// end of its socketpair, which becomes its descriptors 0 and 1, and the writing end of a pipe for
// its standard error. Before exited is sent, all processes of the worker are gone.
//
// When the socket closes, the spawner kills every worker, waits until all their processes are gone,
// and ends. An unknown or incomplete message breaks the wire: the reader ends the connection.
//
// The form is binary: one byte for the kind, integers in little endian, a string as its length in
// two bytes and its bytes. The package needs neither encoding/json nor net, so that the spawner,
// which may be privileged, links neither.
package spawnwire

// Version is the version of this wire. There is no negotiation: the binaries are built and
// installed together. In every version a ReadyMessage is of kind 3 and its version is its first
// field.
const Version = 9

// Bounds of one message, in bytes. A receiver has room for MaxPacketBytes; a longer packet breaks
// the wire.
const (
	MaxPathBytes   = 4095 // Linux's PATH_MAX without the closing zero
	MaxWordBytes   = 64   // most bytes of a profile, a tier or a name
	MaxTextBytes   = 1024 // most bytes of a reason for people
	MaxStatusBytes = 200  // most bytes of the service's status
	MaxBindMounts  = 8    // most folders of one worker besides the home
	MaxPacketBytes = (MaxBindMounts + 2) * (2*MaxPathBytes + 1024)
	MaxDescriptors = 2 // most descriptors with one message
)
