package services

// EscapeSuffix is a function that tests call with a table.
var EscapeSuffix = escapeSuffix
