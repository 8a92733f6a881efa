//go:build !linux

package rawlog

import "os"

// dataFile syncs as this system can.
type dataFile struct{ *os.File }
