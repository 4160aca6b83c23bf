//go:build race

package apptest

const raceDetector = true
