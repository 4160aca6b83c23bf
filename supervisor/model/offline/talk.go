package offline

import (
	"slices"
	"strings"
)

const (
	// whatIAm is said wherever a person may take this model for more than it is.
	whatIAm = "I am the offline model of Mews: a fixed list of rules that runs without any network. I am not an AI " +
		"and know nothing of the world; I can only do small things with the files of your folder."
	// howToConnect is the way out.
	howToConnect = "To talk to a real model, set OPENAI_BASE_URL and OPENAI_MODEL (for an Ollama on this machine: " +
		"OPENAI_BASE_URL=http://127.0.0.1:11434/v1, and OPENAI_MODEL the name of a model it has; OPENAI_API_KEY where " +
		"the service wants one), or name one under `models:` in mews.yaml. Then start Mews again."
)

// talk is the family of what needs no tool.
func talk() []*intent {
	return []*intent{
		{name: "connect", phrases: say(connectPhrases), do: func(r *run, _ slots) { r.say(howToConnect) }},
		{
			name:    "identity",
			phrases: say(identityPhrases),
			do: func(r *run, _ slots) {
				r.say(whatIAm)
				r.say("Say `help` for what I understand.")
				r.say(howToConnect)
			},
		},
		{name: "help", phrases: say(helpPhrases), do: sayHelp},
		{name: "recall", phrases: say(recallPhrases), do: recallPerson},
		{name: "say again", phrases: say(sayAgainPhrases), do: recallOwn},
		{name: "echo", phrases: say(echoPhrases),
			needs: []need{{slot: "content", kind: "content", ask: "What should I say after you?"}},
			do:    func(r *run, s slots) { r.say("%s", s["content"]) }},
		{name: "how are you", phrases: say(howAreYouPhrases), do: func(r *run, _ slots) {
			r.say("I am a list of rules, so I am always the same: ready. Say `help` for what I understand.")
		}},
		{name: "greeting", phrases: say(greetingPhrases), do: func(r *run, _ slots) {
			r.say("Hello! I am the offline model of Mews: a list of rules, not an AI. I can list, read, find, write, move " +
				"and delete files in your folder, take notes and keep a to-do list. Say `help` to see how.")
		}},
		{name: "thanks", phrases: say(thanksPhrases), do: func(r *run, _ slots) { r.say("You are welcome.") }},
		{
			name:    "bye",
			phrases: say(byePhrases),
			do:      func(r *run, _ slots) { r.say("Goodbye. Your files stay where they are.") },
		},
		{name: "acknowledge", phrases: say(acknowledgePhrases), do: func(r *run, _ slots) {
			r.say("All right. Tell me what to do next, or say `help` for what I understand.")
		}},
	}
}

// howTo answers questions about the rules themselves. It comes after all others.
func howTo() *intent {
	return &intent{name: "how to", phrases: say(howToPhrases), do: explain}
}

func unknownIntent() *intent {
	return &intent{name: "unknown", do: func(r *run, _ slots) {
		r.say("I did not understand that. " + whatIAm)
		r.say("%s", summary)
		r.say(howToConnect)
	}}
}

func unclearIntent() *intent {
	return &intent{name: "unclear", do: func(r *run, _ slots) {
		r.say("I did nothing, because I cannot tell where the text ends and the next order begins. Please put the text " +
			"in double quotes, or send the two one after the other.")
	}}
}

// cancelIntent is the person's way out of a question, and of an order not to do something.
func cancelIntent() *intent {
	return &intent{name: "cancel", phrases: say(cancelPhrases), do: func(r *run, _ slots) {
		r.say("All right, I leave everything as it is.")
	}}
}

// summary is the help in a breath.
const summary = "What I understand: list, read, find, search, write, append to, edit, move and delete files, take notes, keep " +
	"a to-do list, and tell the time. Say `help` for how to put it."

// sayHelp shows an example of every intent that has one, in the table's order.
func sayHelp(r *run, _ slots) {
	r.say("I am the offline model: a list of rules, not an AI. These are examples of what I understand:")
	var lines []string
	for _, it := range r.book.intents {
		if it.example != "" {
			lines = append(lines, "- "+it.name+": `"+it.example+"`")
		}
	}
	r.say("%s", strings.Join(lines, "\n"))
	r.say("Two things at once are fine: `create list.txt with milk and then show it`. When something is missing I ask.")
	r.say(howToConnect)
}

// recallPerson repeats what the person said before this message.
func recallPerson(r *run, _ slots) {
	i := r.past.lastUser(len(r.past))
	if i < 0 {
		r.say("This is your first message that I can see.")
		return
	}
	r.say("You said:\n%s", fence(r.past[i].Text()))
}

// recallOwn repeats the model's last answer.
func recallOwn(r *run, _ slots) {
	said := r.past.lastSaid(0, len(r.past))
	if said == "" {
		r.say("I have not said anything yet.")
		return
	}
	r.say("%s", said)
}

// explain answers "how do I ..." with the example of what is asked about, and does nothing of it.
func explain(r *run, s slots) {
	about := strings.Fields(strings.ToLower(s["rest"]))
	var lines []string
	for _, it := range r.book.intents {
		if it.example != "" && it.isAbout(about) {
			lines = append(lines, "- "+it.name+": `"+it.example+"`")
		}
	}
	if len(lines) == 0 {
		r.book.unknown.do(r, s)
		return
	}
	r.say("Say it like this:\n%s", strings.Join(lines, "\n"))
}

// isAbout says whether one of the words is the verb of the intent's example, or stands in its name.
func (it *intent) isAbout(words []string) bool {
	verb, _, _ := strings.Cut(it.example, " ")
	known := append(strings.Fields(it.name), verb)
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(known, strings.Trim(w, ".,?!")) })
}
