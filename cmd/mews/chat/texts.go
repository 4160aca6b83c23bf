package chat

// What a terminal shows of its own.
const (
	textGreeting = "Mews %s. You are %s; your folder is %s.\n"
	textModel    = "Model: %s. /help lists the commands.\nCtrl-C clears what you type, then stops the answer; Ctrl-D leaves.\n"
	textWalls    = "Walls: %s\n"
	textHints    = "Try: list my files · take a note: call Ann on Friday · run: ls -la · what can you do?\n" +
		"For a real model: OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_MODEL=qwen3 make run\n"
	textBack          = "(Mews is back.)\n"
	textGone          = "(Mews has gone away. What you have sent is kept; I wait for it to come back. If it was stopped, `%s` starts it.)\n"
	textChoose        = "(Type its number to choose one; any other line is a message as ever.)\n"
	textRestarted     = "(That was interrupted; once more.)\n"
	textNothingRuns   = "(Nothing is running. Ctrl-D leaves.)\n"
	textNotSent       = "Not sent: %s What you wrote is in the history: ↑.\n"
	textTooManyUnsent = "Too many lines wait to be sent already."
)

// What a pipe says of its own, after "mews: ".
const (
	textNotSentPipe = "not sent: "
	textHeld        = "kept, and waits for a code: say it as a line, or in `mews chat`; what was kept is answered then"
	textPipeFailed  = "of %s, %d could not be sent and %d had no full answer"
)

// textFile stands for a file.
const textFile = "[%s, %s: files can be seen on Telegram, not here]"
