// Package protocol is the wire between the supervisor and a worker: its messages, their strict decoding, and the
// connection that carries them.
//
// # Framing
//
// JSON-RPC 2.0 over a stream socket that is the worker's standard input and output. One message is one line: a JSON
// object in UTF-8, ended by a newline (0x0A) that occurs nowhere else, at most 1 MiB (Options.MaxLine) without it. Both
// sides call, notify and answer. There are no batches. Params is an object or absent; a method without parameters sends
// {}; a method without a result answers null. The stream's end between two lines is a peer that went; within a line it
// is an error, and the half line is nothing.
//
// A reader holds at most one line and what came with it; it finds a line too long before it has read the rest.
//
// # Strictness
//
// Unknown, duplicate and case-variant keys, keys equal once their escapes are resolved, invalid UTF-8, unpaired
// surrogates, numbers that float64 cannot hold, null where nothing can be nil, nesting deeper than 64 (the envelope is
// the first level) and anything after the value are refused, in the envelope and in params and results. Inside a
// json.RawMessage (a tool's arguments, a schema) every key goes, once; it may be 48 deep, and Valid checks it. A side
// holds its own lines to the same rules before it sends them, so that a bad value is an error to the code that made it.
//
// # Calls
//
// The id of a call is a positive integer. Each side counts up for its own calls, so that within a lane ids rise; 1 of
// the one side has nothing to do with 1 of the other. A call is answered once, with a result or an error, in any order.
// At most 64 (Options.MaxCalls) calls of a side are answered at once; one more is refused with CodeBusy, at once.
//
// cancel{id} is a notification with which a caller takes a call back. The context of its handler ends, and the call is
// still answered: with CodeCancelled, or with what it came to (turn.start ends with WhyStopped). For a call that is not
// open it is ignored, since the answer may have crossed it. The caller waits 5 s (Options.CancelGrace) for that answer.
//
// ping is answered by the connection itself, whatever the handlers do: it shows that the other side reads and writes.
//
// # Order and lanes
//
// The lines of a lane arrive in the order in which they were queued: every model.delta before the result of its
// model.stream, every turn.event before the end of its turn. There are two lanes, and a line's method decides: blob.*
// calls, the answers to them and their cancels are bulk, and leave only while nothing else waits; all others are main.
// A line once begun is finished, which bounds what bulk costs the others to one chunk.
//
// Calls are handled side by side, so that of two that are open at once neither is the first. Only blob.* calls are
// handled one after the other in the order of arrival: a blob's chunks may follow each other unanswered.
//
// # Back-pressure
//
// A reader never waits for its own writer. What is to be sent waits in a bounded queue (4 MiB, Options.QueueBytes; a
// quarter of that for the bulk lane) and whoever sends waits for room. The reader's own short answers have a reserve of
// another quarter; a peer that asks and does not read exhausts it, and the connection ends with ErrStalled. So it does
// when the peer does not take 64 KiB of a line within 10 s (Options.WriteTimeout).
//
// # Errors
//
// An error has one of the codes of Error and a text. A text under CodeFailed may be shown to a person; the text of any
// error that is not an *Error is withheld, and "internal error" is sent in its place. A parameter that is wrong is
// CodeInvalidParams and names its place: "turn.start: limits.steps: want a number, got a string".
//
// A side that sends a line that is no strict JSON, an envelope that is none of the three, an id again, or an answer to
// what was not asked or was answered already, is hostile or broken: the connection ends with ErrProtocol.
//
// # Phases
//
// The supervisor calls hello first, and the worker answers nothing else before it; both must have the same Version.
// Then the worker is idle until turn.start, and in turn until it answers that call. A method that is marked "in turn"
// carries the turn's id, and is valid only between that call and its answer. The supervisor trusts no field for who is
// speaking: the connection is the identity. A method known but out of phase, or over its limit, ends the worker; one
// that is unknown is answered with CodeMethodNotFound, and a worker that keeps asking for such is ended.
//
// Closing a connection drops what is still queued. A worker that has answered stop therefore waits for the supervisor
// to close, which it does once it has the answer.
//
// # Methods
//
//	supervisor to worker
//	  hello          Hello to HelloResult                  the first call
//	  walls.try      TryWalls to TriedWalls                in place of hello: a worker that is nobody's tries to get out
//	  turn.start     TurnStart to TurnEnd                  a call whose result ends the turn
//	  stop           no parameters, no result              cancel the turns, answer, end
//	  model.delta    ModelDelta, a notification            during model.stream
//
//	worker to supervisor
//	  model.stream   ModelStream to ModelStreamed          in turn, one at a time
//	  step.commit    StepCommit to StepCommitted           in turn
//	  turn.event     TurnEvent, a notification             in turn
//	  blob.begin     BlobBegin to BlobBegun                in turn
//	  blob.write     BlobWrite, no result                  in turn, at most 64 KiB of data, two unanswered a blob
//	  blob.commit    BlobCommit to BlobRef                 in turn
//	  blob.read      BlobRead to BlobData                  in turn
//	  chat.send      ChatSend to ChatSent                  in turn, one at a time; may wait for the person
//
//	both
//	  cancel         Cancel, a notification                taken by the connection
//	  ping           no parameters, no result              answered by the connection
//
// What is too big for a line, or does not belong on one, is a blob: opened, written in chunks at rising offsets,
// committed, and from then on named by the SHA-256 of its bytes. One that is not committed ends with its turn.
//
// A picture is such a blob with its media type and its pixels beside its name (Image), in a result of at most eight or in
// a message of the person's. A result that names a blob of somebody else's, or what is no picture, ends the worker.
//
// There is no line for what the person sends while a turn runs. The supervisor owns the transcript and makes each request to
// the model of it: it puts such a message there when a model.stream asks, behind the message that this names in after. The
// worker is told how many there were (ModelStreamed.Taken), for what the model does over again then it does at the person's
// word; and no crash can leave the two sides with two opinions of what was said.
//
// # A transcript
//
// Two turns, as they go over the wire; S is the supervisor's line and W the worker's, and a line too long for this page
// goes on, indented, without anything in between. The first turn looks for something and writes a file; the search's
// output was cut, and the whole of it is a blob. The second goes on after a crash, sends a file, and is stopped by the
// person. At its end the worker asks for what does not exist, and is stopped itself.
//
//	{"S":{"jsonrpc":"2.0","id":1,"method":"walls.try","params":{"victims":{"secret":"not for workers","socket":"/run
//	    /docker.sock"}}}}
//	{"W":{"jsonrpc":"2.0","id":1,"result":{"findings":[{"row":"N10","what":"connect to a socket in the file system",
//	    "outcome":"stopped","detail":"connect: no such file or directory (ENOENT)"}]}}}
//	{"S":{"jsonrpc":"2.0","id":2,"method":"hello","params":{"version":1,"user":"alice","home":"/home","timezone":"Eu
//	    rope/Madrid","files":{"exclude":[".trash/**"]}}}}
//	{"W":{"jsonrpc":"2.0","id":2,"result":{"version":1,"build":"dev","tools":[{"name":"search_files","description":"
//	    Find lines.","schema":{"type":"object"},"effect":"none"},{"name":"write_file","description":"Write a file.",
//	    "schema":{"type":"object"},"effect":"once"}]}}}
//	{"S":{"jsonrpc":"2.0","id":3,"method":"ping","params":{}}}
//	{"W":{"jsonrpc":"2.0","id":3,"result":null}}
//	{"S":{"jsonrpc":"2.0","id":4,"method":"turn.start","params":{"turn":7,"kind":"chat","channel":"terminal","limits
//	    ":{"steps":50,"seconds":900,"output":24},"step":0,"last":41}}}
//	{"W":{"jsonrpc":"2.0","id":1,"method":"model.stream","params":{"turn":7,"after":41,"system":{"hash":"4353f3c90a5
//	    95c67b33a25e1b6026c0c4609cd42aeb1663c74437bfbbab2cb20"},"tools":{"hash":"c0d2565f9d781b2d8e0f45cfe0aa376d855
//	    23224550b96d1fcc0690768c50fee"}}}}
//	{"S":{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"the system text is not known here"}}}
//	{"W":{"jsonrpc":"2.0","id":2,"method":"model.stream","params":{"turn":7,"after":41,"system":{"hash":"4353f3c90a5
//	    95c67b33a25e1b6026c0c4609cd42aeb1663c74437bfbbab2cb20","text":"You are the assistant of alice."},"tools":{"h
//	    ash":"c0d2565f9d781b2d8e0f45cfe0aa376d85523224550b96d1fcc0690768c50fee","names":["search_files","write_file"
//	    ]}}}}
//	{"S":{"jsonrpc":"2.0","method":"model.delta","params":{"turn":7,"seq":1,"text":"I look first, "}}}
//	{"S":{"jsonrpc":"2.0","method":"model.delta","params":{"turn":7,"seq":2,"text":"then I write."}}}
//	{"S":{"jsonrpc":"2.0","id":2,"result":{"message":{"id":42,"role":"assistant","parts":[{"text":"I look first, the
//	    n I write."},{"call":{"id":"c1","name":"search_files","arguments":{"text":"milk"}}},{"call":{"id":"c2","name
//	    ":"write_file","arguments":{"path":"todo.md","text":"milk\n"}}}]}}}}
//	{"W":{"jsonrpc":"2.0","method":"turn.event","params":{"turn":7,"kind":"tool.began","call":"c1","tool":"search_fi
//	    les","text":"milk"}}}
//	{"W":{"jsonrpc":"2.0","id":3,"method":"blob.begin","params":{"turn":7}}}
//	{"S":{"jsonrpc":"2.0","id":3,"result":{"blob":1}}}
//	{"W":{"jsonrpc":"2.0","id":4,"method":"blob.write","params":{"turn":7,"blob":1,"offset":0,"data":"YS5tZDoxOm1pbG
//	    sKYi5tZDozOm1pbGsKYy5tZDo5Om1pbGsK"}}}
//	{"S":{"jsonrpc":"2.0","id":4,"result":null}}
//	{"W":{"jsonrpc":"2.0","id":5,"method":"blob.commit","params":{"turn":7,"blob":1}}}
//	{"S":{"jsonrpc":"2.0","id":5,"result":{"sha256":"2d728e12d45c1b1497950de82828c8e8c9557ef87b4300a99c177c1f8c9cba7
//	    3","size":36}}}
//	{"W":{"jsonrpc":"2.0","id":6,"method":"step.commit","params":{"turn":7,"call":"c1","state":"done","result":{"cal
//	    l":"c1","name":"search_files","text":"a.md:1:milk\n...","rest":{"sha256":"2d728e12d45c1b1497950de82828c8e8c9
//	    557ef87b4300a99c177c1f8c9cba73","size":36}}}}}
//	{"S":{"jsonrpc":"2.0","id":6,"result":{"message":43}}}
//	{"W":{"jsonrpc":"2.0","method":"turn.event","params":{"turn":7,"kind":"tool.ended","call":"c1","tool":"search_fi
//	    les","text":"3 matches in 3 files"}}}
//	{"W":{"jsonrpc":"2.0","id":7,"method":"step.commit","params":{"turn":7,"call":"c2","state":"begun"}}}
//	{"S":{"jsonrpc":"2.0","id":7,"result":{}}}
//	{"W":{"jsonrpc":"2.0","method":"turn.event","params":{"turn":7,"kind":"tool.began","call":"c2","tool":"write_fil
//	    e","text":"todo.md"}}}
//	{"W":{"jsonrpc":"2.0","id":8,"method":"step.commit","params":{"turn":7,"call":"c2","state":"done","result":{"cal
//	    l":"c2","name":"write_file","text":"wrote 5 bytes","changes":[{"kind":"write","target":"todo.md"}]}}}}
//	{"S":{"jsonrpc":"2.0","id":8,"result":{"message":44}}}
//	{"W":{"jsonrpc":"2.0","method":"turn.event","params":{"turn":7,"kind":"tool.ended","call":"c2","tool":"write_fil
//	    e"}}}
//	{"W":{"jsonrpc":"2.0","id":9,"method":"model.stream","params":{"turn":7,"after":44,"system":{"hash":"4353f3c90a5
//	    95c67b33a25e1b6026c0c4609cd42aeb1663c74437bfbbab2cb20"},"tools":{"hash":"c0d2565f9d781b2d8e0f45cfe0aa376d855
//	    23224550b96d1fcc0690768c50fee"}}}}
//	{"S":{"jsonrpc":"2.0","method":"model.delta","params":{"turn":7,"seq":1,"text":"Done: milk is on your list."}}}
//	{"S":{"jsonrpc":"2.0","id":9,"result":{"message":{"id":45,"role":"assistant","parts":[{"text":"Done: milk is on
//	     your list."}]}}}}
//	{"W":{"jsonrpc":"2.0","id":4,"result":{"why":"done","steps":2}}}
//	{"S":{"jsonrpc":"2.0","id":5,"method":"turn.start","params":{"turn":8,"kind":"chat","channel":"terminal","limits
//	    ":{"steps":50,"seconds":900,"output":24},"step":1,"last":47,"pending":[{"call":{"id":"c3","name":"write_file
//	    ","arguments":{"path":"a.md","text":"x"}},"begun":true},{"call":{"id":"c4","name":"send_file","arguments":{"
//	    path":"found.txt"}}}],"recent":[{"id":"c3","name":"write_file","arguments":{"path":"a.md","text":"x"}},{"id"
//	    :"c4","name":"send_file","arguments":{"path":"found.txt"}}]}}}
//	{"W":{"jsonrpc":"2.0","id":10,"method":"blob.read","params":{"turn":8,"sha256":"2d728e12d45c1b1497950de82828c8e8
//	    c9557ef87b4300a99c177c1f8c9cba73","offset":24,"length":65536}}}
//	{"S":{"jsonrpc":"2.0","id":10,"result":{"data":"Yy5tZDo5Om1pbGsK","size":36}}}
//	{"W":{"jsonrpc":"2.0","id":11,"method":"chat.send","params":{"turn":8,"call":"c4","blob":{"sha256":"2d728e12d45c
//	    1b1497950de82828c8e8c9557ef87b4300a99c177c1f8c9cba73","size":36},"name":"found.txt","caption":"What I found.
//	    "}}}
//	{"S":{"jsonrpc":"2.0","id":11,"result":{}}}
//	{"W":{"jsonrpc":"2.0","id":12,"method":"step.commit","params":{"turn":8,"call":"c4","state":"done","result":{"ca
//	    ll":"c4","name":"send_file","text":"found.txt was sent."}}}}
//	{"S":{"jsonrpc":"2.0","id":12,"result":{"message":48}}}
//	{"W":{"jsonrpc":"2.0","id":13,"method":"model.stream","params":{"turn":8,"after":48,"system":{"hash":"4353f3c90a
//	    595c67b33a25e1b6026c0c4609cd42aeb1663c74437bfbbab2cb20"},"tools":{"hash":"c0d2565f9d781b2d8e0f45cfe0aa376d85
//	    523224550b96d1fcc0690768c50fee"}}}}
//	{"S":{"jsonrpc":"2.0","method":"cancel","params":{"id":5}}}
//	{"W":{"jsonrpc":"2.0","method":"cancel","params":{"id":13}}}
//	{"S":{"jsonrpc":"2.0","id":13,"error":{"code":-32002,"message":"model.stream: cancelled"}}}
//	{"W":{"jsonrpc":"2.0","id":5,"result":{"why":"stopped","steps":1}}}
//	{"W":{"jsonrpc":"2.0","id":14,"method":"shell.open","params":{}}}
//	{"S":{"jsonrpc":"2.0","id":14,"error":{"code":-32601,"message":"no method \"shell.open\""}}}
//	{"S":{"jsonrpc":"2.0","id":6,"method":"stop","params":{}}}
//	{"W":{"jsonrpc":"2.0","id":6,"result":null}}
package protocol
