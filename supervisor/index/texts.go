package index

// What people read where a search may have missed something.
const (
	textNotOpen     = "The index is still being opened, so nothing can be found yet."
	textReading     = "%d %% of your messages have been read into the index so far."
	textHomeUnread  = "The files of your folder have not been read into the index yet: they are once your assistant has something to do."
	textHomeReading = "The files of your folder are being read into the index: so far %d of them can be found."
	textHomeExcess  = "Your folder has more than %d text files: %d of them are not in the index, and cannot be found."
	textFull        = "The disk is full: the newest messages cannot be found yet."
	textByWords     = "This search went by words alone: the model for meanings does not answer."
	textNoMoney     = "This search went by words alone: no money is left for the model for meanings."
	textMeaning     = "%d %% of what there is can be found by its meaning so far, and all of it by its words."
)
