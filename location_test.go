package catalog

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/leveelake/catalog/types"
)

func TestParseLocation(t *testing.T) {
	for raw, want := range map[string]string{
		"s3://bkt/p":                       "s3://bkt/p",
		"s3://bkt/p/":                      "s3://bkt/p",
		"s3://bkt//p///q/":                 "s3://bkt/p/q",
		"s3://bkt/a/./b/../c":              "s3://bkt/a/c",
		"s3://bkt/":                        "s3://bkt",
		"s3://bkt/../..":                   "s3://bkt",
		"gs://b-k.t_1/x":                   "gs://b-k.t_1/x",
		"abfss://c@acc.dfs.core.net/x":     "abfss://c@acc.dfs.core.net/x",
		"abfs://c@acc/x":                   "abfss://c@acc/x",
		"abfss://c@ACC.dfs/X":              "abfss://c@acc.dfs/X",
		"file:///d//x/../y/":               "file:///d/y",
		"file:/d":                          "file:///d",
		"file://d":                         "file:///d",
		"file:////d":                       "file:///d",
		"/d/e/":                            "file:///d/e",
		"file:///":                         "file://",
		"file:///a%20b/%C3%A9":             "file:///a%20b/%C3%A9",
		"s3://bkt/é/日本":                    "s3://bkt/é/日本",
		"s3://bkt/a=b/c,d;e&f+g@h:i~j!(k)": "s3://bkt/a=b/c,d;e&f+g@h:i~j!(k)",
		"s3://bkt/%41%2E/%zz":              "s3://bkt/%41%2E/%zz",
		"s3://bkt/a b":                     "s3://bkt/a b",
		"s3://bkt/my__unitystorage_x/...":  "s3://bkt/my__unitystorage_x/...",
	} {
		got, err := parseLocation("location", raw)
		if err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", raw, got, err, want)
		}
		if again, err := parseLocation("location", got); err == nil && again != got {
			t.Errorf("%q is not stable: %q", got, again)
		}
	}
	for _, raw := range []string{
		"", " ", "relative", "rel/path", "./x", "file:x", "s3:", "s3:/b/x", "s3://", "s3:///x", "s3://b@c/x", "s3://u:p@b/x", "s3://b:1/x", "s3://../x",
		"abfss://acc/x", "abfss://@acc/x", "abfss://c@/x", "abfss://c@a@b/x", "gs://é/x",
		"s3a://b/x", "s3n://b/x", "wasb://b/x", "wasbs://b/x", "r2://b/x", "http://b/x", "https://b/x", "S3://b/x", "FILE:///x", "dbfs:/x", "hdfs://x/y", "://x",
		"s3://b/x?y", "s3://b/x#y", "s3://b/*", "s3://b/$x", "s3://b/{x}", `s3://b/\x`, "s3://b/'x", `s3://b/"x`, "s3://b/<x>", "s3://b/x|y", "s3://b/`x`", "s3://b/x\x00", "s3://b/x\n", "s3://b/x\u0085", "s3://b/\xff",
		"s3://b/%2F", "s3://b/a%2fb", "s3://b/%2e%2e/x", "s3://b/%2E/a", "s3://b/%5f%5Funitystorage", "file:///a b", "file:///d/a%41", "file:///d/%7e", "s3://b/" + strings.Repeat("a/", 1024),
	} {
		if got, err := parseLocation("location", raw); !errors.Is(err, types.InvalidParameterValue) {
			t.Errorf("%q: %q, %v", raw, got, err)
		}
	}
	for _, raw := range []string{"s3://b/__unitystorage", "s3://b/__unitystorage/x", "s3://b/x/__unitystorage/y/", "file:/a/./__unitystorage"} {
		if got, err := clientLocation("location", raw); !errors.Is(err, types.InvalidParameterValue) {
			t.Errorf("%q: %q, %v", raw, got, err)
		}
	}
}

func TestOverlaps(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{"s3://b/x", "s3://b/x", true},
		{"s3://b/x", "s3://b/x/y", true},
		{"s3://b/x", "s3://b", true},
		{"s3://b/x", "s3://b/xy", false},
		{"s3://b/x", "s3://b/x-1", false},
		{"s3://b/x", "s3://c/x", false},
		{"s3://b/x", "gs://b/x", false},
	} {
		if overlaps(test.a, test.b) != test.want || overlaps(test.b, test.a) != test.want {
			t.Errorf("%s and %s: want %v", test.a, test.b, test.want)
		}
	}
}

func FuzzParseLocation(f *testing.F) {
	f.Add("s3://b/x/../y")
	f.Add("file:/a/%20b")
	f.Add("abfss://c@a/x")
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := parseLocation("location", raw)
		if err != nil {
			if types.CodeOf(err) != types.InvalidParameterValue {
				t.Fatal(err)
			}
			return
		}
		if again, err := parseLocation("location", got); got != "file://" && (err != nil || again != got) {
			t.Fatalf("%q: %q, then %q, %v", raw, got, again, err)
		}
	})
}

func TestNegotiate(t *testing.T) {
	for in, want := range map[string]string{
		"1.0": "1.0", "1.1,2.3": "1.0", " 1.0 , 2.0 ": "1.0", "1.5": "1.0", "1.0,1.7": "1.0", "9.9,1.0": "1.0",
		"2.0": "", "0.9": "", "": "", " ": "", "abc": "", "1": "", "1.": "", ".1": "", "1.0.0": "", "1.0,": "", "1.0,x": "", "-1.0": "", "1.-1": "", "1e0.0": "", "99999999999.0": "", "+1.0": "",
	} {
		got, err := negotiate(in)
		if got != want || (want == "") != errors.Is(err, types.InvalidParameterValue) {
			t.Errorf("%q: %q, %v; want %q", in, got, err, want)
		}
	}
}

func TestCheckName(t *testing.T) {
	long := make([]byte, 255)
	for i := range long {
		long[i] = 'x'
	}
	for _, name := range []string{"t", "T", "-", "_", "@", "0", "a-b_c@D9", string(long)} {
		if err := (rules{nameLength: 255}).checkName("name", name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"", " ", "a.b", "a b", "a/b", "a%41", "é", "日本", "a'b", "a\tb", "a\x00", "a`b", `a"b`, "a\\b", "😀", string(long) + "x"} {
		if err := (rules{nameLength: 255}).checkName("name", name); !errors.Is(err, types.InvalidParameterValue) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func FuzzCheckName(f *testing.F) {
	for _, name := range []string{"t", "a.b", "é", "a/b", "a%41", " ", "", "@"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		err := (rules{nameLength: 255}).checkName("name", name)
		if err != nil && types.CodeOf(err) != types.InvalidParameterValue {
			t.Fatal(err)
		}
		// An accepted name stands for itself in a path, in a dotted name and in a URL.
		if err == nil && (url.PathEscape(name) != name || strings.ContainsAny(name, "./") || name == "" || len(name) > 255) {
			t.Fatalf("%q is accepted", name)
		}
	})
}
