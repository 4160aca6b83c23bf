package patch

const textNoDiff = "There is no change in that. A review wants a diff as `git diff` writes it."
