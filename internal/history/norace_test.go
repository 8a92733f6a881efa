//go:build !race

package history_test

// raceDetector tells that all is several times slower.
const raceDetector = false
