package storage

import "strings"

// Prefixes returns the locations at which a normal-form location could lie or begin:
// location itself and each folder above it, the shortest first. s3://b/x/y has
// s3://b, s3://b/x and s3://b/x/y; file:///x has file:// and file:///x.
func Prefixes(location string) []string {
	start := strings.Index(location, "://")
	if start < 0 {
		return []string{location}
	}
	var out []string
	for i := start + len("://"); i < len(location); i++ {
		if location[i] == '/' {
			out = append(out, location[:i])
		}
	}
	return append(out, location)
}

// Below returns the open interval (from, to) of byte order that holds exactly the locations
// beneath location.
func Below(location string) (from, to string) {
	return location + "/", location + "0" // '0' follows '/'
}
