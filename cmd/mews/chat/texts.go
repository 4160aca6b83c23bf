package chat

// What a terminal shows of its own.
const (
	textGreeting = "Mews %s. You are %s; your folder is %s.\n"
	textModel    = "Model: %s. /help lists the commands.\nCtrl-C clears what you type, then stops the answer; Ctrl-D leaves.\n" +
		"A file that you drop here, or name with /attach, goes with your next line.\n"
	textWalls = "Walls: %s\n"
	textHints = "Try: list my files · take a note: call Ann on Friday · run: ls -la · what can you do?\n" +
		"For a real model: OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_MODEL=qwen3 make run\n"
	textBack          = "(Mews is back.)\n"
	textGone          = "(Mews has gone away. What you have sent is kept; I wait for it to come back. If it was stopped, `%s` starts it.)\n"
	textAsks          = "? " // before a question
	textRestarted     = "(That was interrupted; once more.)\n"
	textNothingRuns   = "(Nothing is running. Ctrl-D leaves.)\n"
	textNotSent       = "Not sent: %s What you wrote is in the history: ↑.\n"
	textAttached      = "(Attached: %s.)\n"
	textWordsFor      = "(Enter sends what is attached, with the words that you type; Ctrl-C drops it.)\n"
	textDropped       = "(Nothing is attached any more.)\n"
	textAttachUsage   = "/attach FILE sends a file with the words behind it, or with the next line: /attach ~/report.pdf what is this about?\n"
	textLeftBefore    = "You left before the file had arrived."
	textTooManyUnsent = "Too many lines wait to be sent already."
)

// What a pipe says of its own, after "mews: ".
const (
	textNotSentPipe = "not sent: "
	textNoAttach    = "a pipe sends the files that --attach names, and takes no path from its lines"
	textHeld        = "kept, and waits for a code: say it as a line, or in `mews chat`; what was kept is answered then"
	textPipeFailed  = "of %s, %d could not be sent and %d had no full answer"
)

// Why a file can't be sent.
const (
	textNoFile         = "There is no file %s. Tab completes a path behind /attach."
	textFileFailed     = "I can't read %s: %v."
	textFileIsFolder   = "%s is a folder, and only files can be sent. Pack it first, for example with `zip -r %[2]s.zip %[2]s`."
	textFileNotRegular = "%s is no ordinary file."
	textFileTooLarge   = "%s has %s, and at most %d MiB can be sent. Put it into your folder, and name it there."
)

// textPixels are a picture's width and height.
const textPixels = "%d x %d pixels"

// What stands for a file that was sent: its name, size and pixels, and where it lies.
const (
	textFile   = "[%s: files can be seen on Telegram, not here]"
	textFileAt = "[%s: %s]"
)

// textsChoose stand below what can be chosen, by whether it may be answered in words.
var textsChoose = map[bool]string{
	false: "(Type its number to choose one; any other line is a message as ever.)\n",
	true:  "(Answer with a number, or in words.)\n",
}
