//go:build race

package history_test

const raceDetector = true
