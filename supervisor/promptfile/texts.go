package promptfile

// What a person reads where their file can't be put back.
const textFailed = "%s could not be put back: %s"
