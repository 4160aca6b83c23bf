package main

// Texts of `mews voice test`.
const (
	textHeard        = "heard: %s\nlanguage: %s · length %d:%02d · took %.1f s (%.2f times its length)\n"
	textHeardNothing = "nothing: nobody speaks in it, or it is too quiet"
	textNoLanguage   = "not known"
)
