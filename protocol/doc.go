// Package protocol is the wire between the supervisor and a worker: its messages, their strict
// decoding, and the connection that carries them.
//
// # Framing
//
// The wire is JSON-RPC 2.0 over a stream socket, which is the worker's standard input and output.
// One message is one line: a JSON object in UTF-8, at most 1 MiB (Options.MaxLine), ended by a
// newline (0x0A) that occurs nowhere else. Both sides call, notify and answer. There are no
// batches. Params is an object or absent; a method without parameters sends {}; a method without a
// result answers null. The end of the stream between two lines means that the peer has gone. The
// end of the stream within a line is an error, and the half line is dropped.
//
// A reader holds at most one line and the bytes read along with it. It refuses a line that is too
// long before it has read all of it.
//
// # Strictness
//
// A reader refuses: unknown, duplicate and case-variant keys; keys that are equal once their
// escapes are resolved; invalid UTF-8; unpaired surrogates; numbers that float64 cannot hold; null
// for a value that cannot be nil; nesting deeper than 64 (the envelope is the first level);
// anything after the value. This holds in the envelope, in params and in results. A json.RawMessage
// (a tool's arguments, a schema) may have any key once and may be 48 deep; ValidateRawJSON checks
// such a value. A side checks its own lines by the same rules before it sends them. So a bad value
// is an error of the code that made it.
//
// # Calls
//
// The id of a call is a positive integer. Each side counts up for its own calls, so ids rise within
// a lane; the ids of the two sides are independent. A call is answered once, with a result or an
// error. Answers come in any order. A side answers at most 64 calls at once (Options.MaxCalls) and
// refuses one more at once with CodeBusy.
//
// cancel{id} is a notification by which a caller cancels a call. The context of the call's handler
// ends. The call is still answered: with CodeCancelled, or with its result (turn.start ends with
// TurnEndStopped). A cancel for a call that is not open is ignored, because the answer may have
// crossed it. The caller waits 5 s (Options.CancelGrace) for the answer.
//
// The connection itself answers ping, even if all handlers are busy: an answer shows that the other
// side reads and writes.
//
// # Order and lanes
//
// The lines of a lane arrive in the order in which they were queued: every turn.event before the
// end of its turn. There are two lanes, and the method decides which one a line takes. The bulk
// lane has blob.* calls, their answers and their cancels; the main lane has everything else. A bulk
// line leaves only while the main lane is empty. A line that was begun is finished, so bulk delays
// the main lane by one chunk at most.
//
// Calls are handled at the same time and in no order. Only blob.* calls are handled one after the
// other in the order of arrival, so that a blob's chunks may follow each other before the first is
// answered.
//
// # Back-pressure
//
// A reader never waits for its own writer. Lines wait in a bounded queue (4 MiB,
// Options.QueueBytes; a quarter of that for the bulk lane), and a sender waits for room in it. The
// reader's own short answers may use another quarter. A peer that asks without reading uses that
// up, and the connection ends with ErrPeerStalled. It also ends so if the peer does not read 64 KiB
// of a line within 10 s (Options.WriteTimeout).
//
// # Errors
//
// An error has a text and one of the codes of Error. A text under CodeFailed may be shown to a
// user. A handler's error that is not an *Error is sent as "internal error", without its text.
// CodeInvalidParams is for a wrong parameter, and its text names the parameter: "turn.start:
// limits.steps: want a number, got a string".
//
// A side is hostile or broken if it sends one of these: a line that is not strict JSON; an envelope
// that is neither call, notification nor response; an id a second time; an answer to a call that is
// not open. The connection then ends with ErrProtocolBroken.
//
// # Phases
//
// The supervisor calls hello first; the worker answers no other method before it. Both sides must
// have the same Version. Then the worker is ready: the supervisor may start turns and operations,
// several at once. A turn runs from turn.start to the answer of that call, and an operation from
// operation.start to its answer. Every message about one of them carries its id, and is valid only
// while it runs. A call that may be made for both names either the turn or the operation. The
// supervisor trusts no field for the identity of the worker: the connection is the identity. If a
// worker calls a known method in the wrong phase, or exceeds its limit, the supervisor ends it. An
// unknown method is answered with CodeMethodNotFound, and a worker that keeps calling unknown
// methods is ended.
//
// Closing a connection drops all queued lines. A worker that has answered stop therefore waits
// until the supervisor closes the connection, which then has the answer.
//
// # Methods
//
//	supervisor to worker
//	  hello            Hello to HelloResult                    the first call
//	  walls.try        TryWallsParams to TryWallsResult        in place of hello: a worker tries to escape
//	  turn.start       TurnStart to TurnEnd                    its result ends the turn
//	  operation.start  OperationStart to OperationEnd          its result ends the operation
//	  terminals.list   no parameters to TerminalList           at any time after hello
//	  disk.growth      no parameters to DiskGrowth             at any time after hello
//	  disk.thin        no parameters, no result                at any time after hello
//	  disk.hold        no parameters, no result                at any time after hello
//	  stop             no parameters, no result                cancel turns and operations, answer, end
//
//	worker to supervisor
//	  tools.changed    ToolsChangedParams, no result           at any time after hello
//	  model.stream     ModelStreamParams to ModelStreamResult  in a turn, one at a time
//	  step.commit      StepCommitParams to StepCommitResult    in a turn
//	  turn.event       TurnEvent, a notification               in a turn
//	  blob.begin       BlobBeginParams to BlobBeginResult      in a turn or operation
//	  blob.write       BlobWriteParams, no result              in a turn or operation; at most 64 KiB, two unanswered
//	  blob.commit      BlobCommitParams to BlobRef             in a turn or operation
//	  blob.read        BlobReadParams to BlobReadResult        in a turn or operation
//	  chat.send        ChatSendParams to ChatSendResult        in a turn, one at a time; may wait for the user
//	  operation.piece  OperationPiece, no result               in an operation that transcribes, one at a time
//	  operation.progress  OperationProgress, a notification    in an operation that transcribes
//
//	both
//	  cancel           CancelParams, a notification            taken by the connection
//	  ping             no parameters, no result                answered by the connection
//
// A turn of kind review or triage has its own worker without a home. That worker may call
// model.stream (each time with a separate window: ModelStreamParams.Child), blob.read of the
// material that turn.start names, review.check and review.report. Any other call ends it.
//
// If a host call is neither here nor in the transcript, the comment of its constant has an example.
//
// Bytes that are too many for a line, or do not belong on one, are a blob. It is opened, written in
// chunks at rising offsets and committed. From then on the SHA-256 of its bytes is its name. A blob
// that is not committed ends with its turn or operation.
//
// A picture is such a blob, named together with its media type and its size in pixels (Image). It
// may be in a tool's result, which has eight at most, or in a message of the user. If a result
// names another user's blob, or bytes that are no picture, the supervisor ends the worker.
//
// No line carries messages that the user sends while a turn runs. The supervisor owns the
// transcript and makes each request to the model from it. When a model.stream asks, it adds such
// messages after the message that the call names in after. ModelStreamResult.AddedMessages
// tells the worker how many there were. After them the model may repeat earlier calls, because the
// user wants that. So no crash can leave the two sides with different transcripts.
//
// The worker's tools may change after hello (tools.changed). An operation is any work except a
// turn. After a crash a started operation keeps its id. OperationKind has the kinds.
//
// # A transcript
//
// The transcript below has two turns and two operations. S marks the supervisor's lines and W the
// worker's. Lines that are too long for this page continue, indented. The first turn searches and
// writes a file; the output of the search was cut, and all of it is a blob. The second turn goes on
// after a crash, sends a file, and is stopped by the user. Then the worker has a new tool, and the
// home is archived; the archive's bytes are shortened here. A recording is transcribed; its first
// piece was done before a crash. At its end the worker calls a method that does not exist, and is
// stopped.
//
//	{"S":{"jsonrpc":"2.0","id":1,"method":"walls.try","params":{"victims":{"secret":"not for workers","socket":"/run
//	    /docker.sock"}}}}
//	{"W":{"jsonrpc":"2.0","id":1,"result":{"findings":[{"row":"N10","what":"connect to a socket in the file system",
//	    "outcome":"stopped","detail":"connect: no such file or directory (ENOENT)"}]}}}
//	{"S":{"jsonrpc":"2.0","id":2,"method":"hello","params":{"version":4,"user":"alice","home":"/home","timezone":"Eu
//	    rope/Madrid","files":{"exclude":[".trash/**"]}}}}
//	{"W":{"jsonrpc":"2.0","id":2,"result":{"version":4,"build":"dev","tools":[{"name":"search_files","description":"
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
//	{"W":{"jsonrpc":"2.0","id":14,"method":"tools.changed","params":{"hash":"fd4b583a276cb25e6139e342fdd28895112c6a5
//	    91f32f179bfd6cf41c9b363d8"}}}
//	{"S":{"jsonrpc":"2.0","id":14,"error":{"code":-32001,"message":"the list of tools is not known here"}}}
//	{"W":{"jsonrpc":"2.0","id":15,"method":"tools.changed","params":{"hash":"fd4b583a276cb25e6139e342fdd28895112c6a5
//	    91f32f179bfd6cf41c9b363d8","tools":[{"name":"get_weather","description":"Tell the weather.","schema":{"type"
//	    :"object"},"effect":"none"},{"name":"search_files","description":"Find lines.","schema":{"type":"object"},"e
//	    ffect":"none"},{"name":"write_file","description":"Write a file.","schema":{"type":"object"},"effect":"once"
//	    }]}}}
//	{"S":{"jsonrpc":"2.0","id":15,"result":null}}
//	{"S":{"jsonrpc":"2.0","id":6,"method":"operation.start","params":{"operation":3,"kind":"archive","parameters":{"
//	    max_bytes":1073741824}}}}
//	{"W":{"jsonrpc":"2.0","id":16,"method":"blob.begin","params":{"operation":3}}}
//	{"S":{"jsonrpc":"2.0","id":16,"result":{"blob":2}}}
//	{"W":{"jsonrpc":"2.0","id":17,"method":"blob.write","params":{"operation":3,"blob":2,"offset":0,"data":"ZmlsZXMv
//	    dG9kby5tZCAuLi4gbGVmdC1vdXQudHh0IC4uLg=="}}}
//	{"S":{"jsonrpc":"2.0","id":17,"result":null}}
//	{"W":{"jsonrpc":"2.0","id":18,"method":"blob.commit","params":{"operation":3,"blob":2}}}
//	{"S":{"jsonrpc":"2.0","id":18,"result":{"sha256":"d2cbf03e5df287ab3c17d178c499fe16a12a61c48244c4b30652d04beed0c5
//	    ba","size":34}}}
//	{"W":{"jsonrpc":"2.0","id":6,"result":{"result":{"blob":{"sha256":"d2cbf03e5df287ab3c17d178c499fe16a12a61c48244c
//	    4b30652d04beed0c5ba","size":34},"files":1,"bytes":5,"left_out":[{"path":"run/agent.sock","reason":"it is nei
//	    ther a file nor a folder nor a link"}]}}}}
//	{"S":{"jsonrpc":"2.0","id":7,"method":"operation.start","params":{"operation":4,"kind":"transcribe","parameters"
//	    :{"path":"uploads/2026-11-20/131905-voice.ogg","seconds":200,"engine":{"engine":"whisper","program":"whisper
//	    -cli","model":"/opt/models/ggml-base.bin","language":"auto"}},"pieces":[{"text":"We need milk.","language":"
//	    en"}]}}}
//	{"W":{"jsonrpc":"2.0","id":19,"method":"operation.piece","params":{"operation":4,"piece":1,"of":2,"seconds":81}}
//	    }
//	{"S":{"jsonrpc":"2.0","id":19,"result":null}}
//	{"W":{"jsonrpc":"2.0","method":"operation.progress","params":{"operation":4,"seconds":160}}}
//	{"W":{"jsonrpc":"2.0","id":20,"method":"operation.piece","params":{"operation":4,"piece":2,"of":2,"done":{"text"
//	    :"And bread.","language":"en"}}}}
//	{"S":{"jsonrpc":"2.0","id":20,"result":null}}
//	{"W":{"jsonrpc":"2.0","id":7,"result":{"result":{"text":"We need milk. And bread.","language":"en","seconds":200
//	    }}}}
//	{"W":{"jsonrpc":"2.0","id":21,"method":"shell.open","params":{}}}
//	{"S":{"jsonrpc":"2.0","id":21,"error":{"code":-32601,"message":"no method \"shell.open\""}}}
//	{"S":{"jsonrpc":"2.0","id":8,"method":"terminals.list","params":{}}}
//	{"W":{"jsonrpc":"2.0","id":8,"result":{"terminals":[{"id":1,"program":"bash","turn":7,"seconds":240}]}}}
//	{"S":{"jsonrpc":"2.0","id":9,"method":"disk.growth","params":{}}}
//	{"W":{"jsonrpc":"2.0","id":9,"result":{"programs":1,"bytes":7340032,"files":12,"written":8388608}}}
//	{"S":{"jsonrpc":"2.0","id":10,"method":"disk.thin","params":{}}}
//	{"W":{"jsonrpc":"2.0","id":10,"result":null}}
//	{"S":{"jsonrpc":"2.0","id":11,"method":"disk.hold","params":{}}}
//	{"W":{"jsonrpc":"2.0","id":11,"result":null}}
//	{"S":{"jsonrpc":"2.0","id":12,"method":"stop","params":{}}}
//	{"W":{"jsonrpc":"2.0","id":12,"result":null}}
package protocol
