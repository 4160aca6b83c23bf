// Package filehistory keeps the earlier versions of a home's files.
package filehistory
