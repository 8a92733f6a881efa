package types

import (
	"math"
	"strings"
	"unicode/utf8"
)

// A Protocol is the Delta protocol of a table: the versions and features that a
// client must support to read or write it (Delta protocol, "Protocol Evolution").
type Protocol struct {
	MinReaderVersion int      `json:"min-reader-version"`
	MinWriterVersion int      `json:"min-writer-version"`
	ReaderFeatures   []string `json:"reader-features,omitempty"`
	WriterFeatures   []string `json:"writer-features,omitempty"`
}

// Features are table features without versions, as in the suggested protocol of a
// staging table.
type Features struct {
	ReaderFeatures []string `json:"reader-features,omitempty"`
	WriterFeatures []string `json:"writer-features,omitempty"`
}

// Config answers which protocol version of the Delta API the catalog and a client
// both speak, and what is served in it.
type Config struct {
	Endpoints       []string `json:"endpoints"` // "METHOD /v1/…", relative to /delta
	ProtocolVersion string   `json:"protocol-version"`
}

// UnmarshalJSON reads a protocol. Both versions are required, and no name of a feature
// may be null or blank.
func (p *Protocol) UnmarshalJSON(data []byte) error { return unmarshal(p, data, readProtocol) }

func readProtocol(data []byte, at *path) (Protocol, error) {
	o := open(data, at)
	p := Protocol{
		MinReaderVersion: need(o, "min-reader-version", readVersion),
		MinWriterVersion: need(o, "min-writer-version", readVersion),
		ReaderFeatures:   given(o, "reader-features", listOf(readNonBlank)),
		WriterFeatures:   given(o, "writer-features", listOf(readNonBlank)),
	}
	return p, o.err
}

// UnmarshalJSON reads features; no name may be null or blank.
func (f *Features) UnmarshalJSON(data []byte) error { return unmarshal(f, data, readFeatures) }

func readFeatures(data []byte, p *path) (Features, error) {
	o := open(data, p)
	f := Features{
		ReaderFeatures: given(o, "reader-features", listOf(readNonBlank)),
		WriterFeatures: given(o, "writer-features", listOf(readNonBlank)),
	}
	return f, o.err
}

// UnmarshalJSON reads an answer to GET config; both fields are required.
func (c *Config) UnmarshalJSON(data []byte) error { return unmarshal(c, data, readConfig) }

func readConfig(data []byte, p *path) (Config, error) {
	o := open(data, p)
	c := Config{
		Endpoints:       need(o, "endpoints", listOf(readString)),
		ProtocolVersion: need(o, "protocol-version", readString),
	}
	return c, o.err
}

// Validate checks a protocol that was built in Go by the rules that its JSON is read by:
// one against them could be written, but not read back. Refusals are
// [InvalidParameterValue] and name the place in the protocol, which itself stands at the
// place at.
func (p Protocol) Validate(at string) error {
	place := &path{root: at}
	for _, v := range []struct {
		name    string
		version int
	}{{"min-reader-version", p.MinReaderVersion}, {"min-writer-version", p.MinWriterVersion}} {
		if v.version < 0 || v.version > math.MaxInt32 {
			place.push(v.name)
			return place.wrong("%d is not a version", v.version)
		}
	}
	for _, list := range []struct {
		name     string
		features []string
	}{{"reader-features", p.ReaderFeatures}, {"writer-features", p.WriterFeatures}} {
		place.push(list.name)
		for i, f := range list.features {
			place.pushIndex(i)
			switch {
			case strings.TrimSpace(f) == "":
				return place.wrong("blank")
			case !utf8.ValidString(f):
				return place.wrong("%s is not valid UTF-8", quote(f))
			}
			place.pop()
		}
		place.pop()
	}
	return nil
}
