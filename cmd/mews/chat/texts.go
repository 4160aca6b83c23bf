package chat

// Texts of the terminal.
const (
	textGreeting = "Mews %s. You are %s; your folder is %s.\n"
	textModel    = "Model: %s. /help lists the commands.\nCtrl-C clears your line. In an empty line it stops the answer. Ctrl-D leaves.\n" +
		"Tab completes a command. A file that you drop here, or name with /attach, goes with your next line.\n"
	textTelegram       = "On Telegram: @%s, https://t.me/%[1]s\n"
	textTelegramStarts = "On Telegram: connecting. /status shows whether Telegram works.\n"
	textWalls          = "Weak walls: %s\n"
	textHints          = "Try: list my files · take a note: call Ann on Friday · run: ls -la · what can you do?\n"
	textRealModel      = "For a real model: OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_MODEL=qwen3 make run\n"
	textRealModelFile  = "For a real model, name it under `models:` in %s; `mews help models` says how.\n"
	textBack           = "(Mews is back.)\n"
	textGone           = "(Mews does not answer. Your lines wait in this chat, which reconnects by itself. If Mews was stopped, `%s` starts it.)\n"
	textOtherTerminal  = "From another terminal: %s\n"
	textAsks           = "? " // mark before a question
	textRestarted      = "(The text above no longer counts. The answer starts again.)\n"
	textNothingRuns    = "(Nothing is running. Ctrl-D leaves.)\n"
	textNotSent        = "Not sent: %s Press ↑ to get your line back.\n"
	textTabCompletes   = " After /attach, Tab completes a path."
	textAttached       = "(Attached: %s.)\n"
	textWordsFor       = "(Enter sends the attached files with your line; Ctrl-C drops them.)\n"
	textDropped        = "(The attached files are dropped.)\n"
	textAttachUsage    = "/attach FILE sends a file with the words after it, or with your next line. Example: /attach ~/report.pdf what is this about?\n"
	textLeftBefore     = "You left before the file had arrived."
	textOnlyFiles      = "(only files)"
	textUnsent         = "%s not sent, because Mews does not answer. Send this again when it runs:\n  %s"
	textTooManyUnsent  = "Too many lines are waiting to be sent."
)

// Texts that the pipe prints after "mews: ".
const (
	textNotSentPipe = "not sent: "
	textNoAttach    = "/attach does not work in piped input. Name the files with --attach"
	textHeld        = "your line is kept until you send a code. Send the code as a line, or in `mews chat`"
	textNoAnswer    = "no answer came within %s. Your line is kept, and answered later"
	textAnswerHow   = "your assistant waits for your answer to the question above. Answer with `mews chat ANSWER`, " +
		"or in `mews chat`"
	textPipeFailed = "of %s, %d could not be sent and %d had no full answer"
)

// Errors about files to send.
const (
	textNoFile         = "There is no file %s."
	textFileFailed     = "I can't read %s: %v."
	textFileIsFolder   = "%s is a folder, and only files can be sent. Pack it first, for example with `zip -r %[2]s.zip %[2]s`."
	textFileNotRegular = "%s is not a regular file, and only regular files can be sent."
	textFileTooLarge   = "%s has %s, and at most %d MiB can be sent. " +
		"Put the file into your folder and mention its name."
)

// textPixels are a picture's width and height.
const textPixels = "%d x %d pixels"

// Lines about a sent file: its name, size and pixels, and its path.
const (
	textFile   = "[%s: files can be seen on Telegram, not here]"
	textFileAt = "[%s: %s]"
)

// textsChoose follow a list of choices. The key says whether words are an answer too.
var textsChoose = map[bool]string{
	false: "(Type a number to choose; any other line is a message.)\n",
	true:  "(Answer with a number, or in words.)\n",
}
