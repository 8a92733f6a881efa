package auth

import (
	"os"
	"testing"
)

// Seen has f believe that it has seen the file as it is now.
func Seen(t testing.TB, f *FileTokens, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	f.seen = info
}
