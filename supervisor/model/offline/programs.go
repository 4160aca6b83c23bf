package offline

// programs is the family of what a worker's walls are for. A command is run as it is written, so it takes a sign of where
// it begins: a colon, or quotes around it.
func programs() []*intent {
	return []*intent{
		{name: "run", example: "run: ls -la", phrases: say(runPhrases), destroys: true, whole: true, do: runProgram("run_command", "command")},
		{name: "python", example: "run python: print(2 ** 64)", phrases: say(pythonPhrases), destroys: true, whole: true,
			do: runProgram("run_python", "code")},
	}
}

// runProgram runs what the person wrote with a tool that takes it as its argument called name, and shows what it said.
func runProgram(tool, name string) func(r *run, s slots) {
	return func(r *run, s slots) {
		program := s["content"] + s["quote"]
		if text, ok := r.result("run "+code(program), tool, args{name: program}); ok {
			r.say("It says:\n%s", fence(text))
		}
	}
}
