package types

import (
	"math"
	"strconv"
	"strings"
	"time"
)

func readString(data []byte, p *path) (string, error) {
	if err := p.want(data[0], "a string", `"`); err != nil {
		return "", err
	}
	return unquote(data), nil
}

// readNonEmpty reads a string that is not empty.
func readNonEmpty(data []byte, p *path) (string, error) {
	s, err := readString(data, p)
	if err == nil && s == "" {
		err = p.wrong("empty")
	}
	return s, err
}

// readNonBlank reads a string that is not blank.
func readNonBlank(data []byte, p *path) (string, error) {
	s, err := readString(data, p)
	if err == nil && strings.TrimSpace(s) == "" {
		err = p.wrong("blank")
	}
	return s, err
}

func readBool(data []byte, p *path) (bool, error) {
	return data[0] == 't', p.want(data[0], "true or false", "tf")
}

func readInt64(data []byte, p *path) (int64, error) {
	if err := p.want(data[0], "an integer", "-0123456789"); err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(string(data), 10, 64)
	if err != nil {
		return 0, p.bad("want an integer of 64 bits, got %s", clip(string(data)))
	}
	return n, nil
}

// readVersion reads a version of the protocol.
func readVersion(data []byte, p *path) (int, error) {
	n, err := readInt64(data, p)
	switch {
	case err != nil:
		return 0, err
	case n > math.MaxInt32 || n < math.MinInt32:
		return 0, p.bad("want an integer of 32 bits, got %d", n)
	case n < 0:
		return 0, p.wrong("%d is negative", n)
	}
	return int(n), nil
}

// readTime reads epoch milliseconds.
func readTime(data []byte, p *path) (time.Time, error) {
	ms, err := readInt64(data, p)
	if err != nil {
		return time.Time{}, err
	}
	return time.UnixMilli(ms).UTC(), nil
}

func readID(data []byte, p *path) (ID, error) {
	s, err := readString(data, p)
	if err != nil {
		return "", err
	}
	id, ok := lowerUUID(s)
	if !ok {
		return "", p.bad("%s is not a UUID", quote(s))
	}
	return id, nil
}

// oneOf reads a name that must be one of a few.
func oneOf[T ~string](names ...T) reader[T] {
	return func(data []byte, p *path) (T, error) {
		s, err := readString(data, p)
		if err != nil {
			return "", err
		}
		for _, name := range names {
			if string(name) == s {
				return name, nil
			}
		}
		return "", p.bad("want one of %s, got %s", names, quote(s))
	}
}

// maxItems bounds the memory that a list or a map of tiny items takes; see maxMembers.
const maxItems = 100_000

// listOf reads an array; what it returns is never nil.
func listOf[T any](read reader[T]) reader[[]T] {
	return func(data []byte, p *path) ([]T, error) {
		if err := p.want(data[0], "an array", "["); err != nil {
			return nil, err
		}
		out := []T{}
		c := cursor{data: data}
		for c.enter(); c.more(']'); {
			if len(out) == maxItems {
				return nil, p.bad("more than %d items", maxItems)
			}
			p.pushIndex(len(out))
			v, err := read(c.skip(), p)
			if err != nil {
				return nil, err
			}
			p.pop()
			out = append(out, v)
		}
		return out, nil
	}
}

// mapOf reads an object whose names are data too; what it returns is never nil.
func mapOf[T any](read reader[T]) reader[map[string]T] {
	return func(data []byte, p *path) (map[string]T, error) {
		if err := p.want(data[0], "an object", "{"); err != nil {
			return nil, err
		}
		out := map[string]T{}
		c := cursor{data: data}
		for c.enter(); c.more('}'); {
			if len(out) == maxItems {
				return nil, p.bad("more than %d items", maxItems)
			}
			name := c.key()
			p.pushKey(name)
			v, err := read(c.skip(), p)
			if err != nil {
				return nil, err
			}
			p.pop()
			out[name] = v
		}
		return out, nil
	}
}

// nullable lets null stand for nil in a list or a map, where absence is no other way
// to say it.
func nullable[T any](read reader[T]) reader[*T] {
	return func(data []byte, p *path) (*T, error) {
		if data[0] == 'n' {
			return nil, nil
		}
		v, err := read(data, p)
		return &v, err
	}
}
