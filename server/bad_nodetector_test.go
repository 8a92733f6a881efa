//go:build !race

package server_test

// underRace tells of the race detector, which makes long requests take minutes.
const underRace = false
