package offline

// cannot is the family of what people ask of an assistant and rules cannot do. Each says so, and the nearest thing that
// they can.
func cannot() []*intent {
	return []*intent{
		refusal("reminders", remindersPhrases,
			"I cannot remind you of anything at a given time. I can put it on your to-do list: say `todo: "+
				"call Bob`."),
		refusal("programs", programsPhrases,
			"I run a command as it is written, and only where I can't mistake what it is: say `run: make test`, or put it in "+
				"quotes."),
		refusal("the internet", theInternetPhrases,
			"I have no network: I cannot search the web, open pages or tell the weather or the news."),
		refusal("understanding text", understandingTextPhrases,
			"That takes a real model: I have rules for files, and no understanding of what is in them."),
		refusal("messages", messagesPhrases,
			"I cannot send anything to anybody. I only write files in your folder."),
		refusal("pictures", picturesPhrases, "I cannot make or look at pictures, and I cannot hear or speak."),
		refusal("copies", copiesPhrases, "I cannot copy files. I can move one: `move a.txt to archive/a.txt`."),
		refusal("folders", foldersPhrases,
			"I cannot make an empty folder, but a folder is made with the first file in it: say `create "+
				"projects/readme.md with hello`."),
		refusal("undoing", undoingPhrases,
			"I cannot undo things. What I deleted was moved, not destroyed: the answer to the deletion says "+
				"where to, and `move <that path> to <the old name>` brings it back."),
		refusal("everything at once", everythingAtOncePhrases,
			"I only delete files that are named one by one, so that nothing goes by mistake. Say `delete "+
				"old.txt`, with the file's name."),
	}
}

// refusal is an intent that cannot be done.
func refusal(name string, phrases []string, sentence string) *intent {
	return &intent{name: name, phrases: say(phrases), do: func(r *run, _ slots) {
		r.say("%s", sentence)
		r.say("I am the offline model, a list of rules. " + howToConnect)
	}}
}
