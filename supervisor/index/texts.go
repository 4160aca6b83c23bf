package index

// Texts about what a search may have missed.
const (
	textNotOpen     = "The index is still opening. Please search again in a moment."
	textReading     = "The index has read %d %% of your messages so far."
	textHomeUnread  = "The files of your folder are not in the index yet. They will be read when your assistant works next."
	textHomeReading = "The index is reading the files of your folder. So far %d of them can be found."
	textHomeExcess  = "Your folder has more than %d text files. %d of them are not in the index and cannot be found."
	textFull        = "The disk is full: the newest messages cannot be found yet."
	textByWords     = "This search used only words, because the model that searches by meaning does not answer."
	textNoMoney     = "This search used only words, because no money is left for the model that searches by meaning."
	textMeaning     = "The search can find %d %% of your messages and files by their meaning so far. It can find " +
		"all of them by their words."
)
