package diff

// Reasons why a file or a part of it is not reviewed.
const (
	reasonGenerated = "generated"
	reasonVendored  = "vendored"
	reasonLock      = "lock file"
	reasonMinified  = "minified"
	reasonBinary    = "binary"
	reasonSubmodule = "submodule"
	reasonHidden    = "marked -diff in .gitattributes"
	reasonTooLong   = "a line is too long"
)

// textLinesLeftOut stands for the lines of a function that are not shown.
const textLinesLeftOut = "(%d lines left out)\n"
