package catalog

import (
	"bytes"
	"encoding/json"
	"maps"
	"strconv"
	"strings"

	"github.com/leveelake/catalog/types"
)

// setProperties sets and removes properties. A derived one may only be set to what it is.
func (t *table) setProperties(set map[string]string, remove []string) error {
	var current types.Properties
	for _, k := range sortedKeys(set) {
		if !isDerived(k) {
			continue
		}
		if current.Len() == 0 {
			t.shown = nil // the request may have changed what it follows from
			current = t.properties()
		}
		if now, ok := current.Lookup(k); !ok || now != set[k] {
			return types.InvalidParameterValue.Errorf("set-properties: %s is derived by the catalog and cannot be set", k)
		}
	}
	for _, k := range remove {
		if isDerived(k) {
			return types.InvalidParameterValue.Errorf("remove-properties: %s is derived by the catalog and cannot be removed", k)
		}
	}
	t.record.Properties = maps.Clone(t.record.Properties)
	if t.record.Properties == nil {
		t.record.Properties = map[string]string{}
	}
	for k, v := range set {
		if !isDerived(k) && !isSecret(k) {
			t.record.Properties[k] = v
		}
	}
	for _, k := range remove {
		delete(t.record.Properties, k)
	}
	return nil
}

// dropDerived removes properties that a client once stored and the catalog now derives.
func (t *table) dropDerived() {
	t.record.Properties = maps.Clone(t.record.Properties)
	for k := range t.record.Properties {
		if isDerived(k) || isSecret(k) {
			delete(t.record.Properties, k)
		}
	}
}

// Derived properties are made from the protocol, the domains and the commits of a table.
// Clients see them, but cannot set them.
const (
	derivedMinReader     = "delta.minReaderVersion"
	derivedMinWriter     = "delta.minWriterVersion"
	derivedFeature       = "delta.feature."
	derivedClustering    = "clusteringColumns"
	derivedHighWaterMark = "delta.rowTracking.rowIdHighWaterMark"
	derivedLastVersion   = "delta.lastUpdateVersion"
	derivedLastTimestamp = "delta.lastCommitTimestamp"
)

func isDerived(key string) bool {
	switch key {
	case derivedMinReader, derivedMinWriter, derivedClustering, derivedHighWaterMark, derivedLastVersion, derivedLastTimestamp:
		return true
	}
	return strings.HasPrefix(key, derivedFeature)
}

// isSecret tells of the Hadoop settings, keys and tokens among them, that some engines
// send along as table properties. They are never stored.
func isSecret(key string) bool {
	key = strings.ToLower(key)
	for _, prefix := range []string{"fs.", "option.fs.", "spark.hadoop.fs."} {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}

// intProperty reads a property that is a number; nil if it is absent.
func intProperty(properties map[string]string, key string) (*int64, error) {
	text, ok := properties[key]
	if !ok {
		return nil, nil
	}
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return nil, types.InvalidParameterValue.Errorf("properties[%s] is %q; it must be a number", key, text)
	}
	return &v, nil
}

// properties returns the client's properties and the derived ones over them.
func (t *table) properties() types.Properties {
	if t.shown == nil {
		t.shown = new(types.NewProperties(t.record.shown()))
	}
	if mark := t.memory.RowIDHighWaterMark; mark != nil {
		return t.shown.With(derivedHighWaterMark, strconv.FormatInt(*mark, 10))
	}
	return *t.shown
}

// shown returns properties as far as they follow from r.
func (r *record) shown() map[string]string {
	out := map[string]string{}
	maps.Copy(out, r.Properties)
	if p := r.Protocol; p != nil {
		out[derivedMinReader] = strconv.Itoa(p.MinReaderVersion)
		out[derivedMinWriter] = strconv.Itoa(p.MinWriterVersion)
		for _, list := range [][]string{p.ReaderFeatures, p.WriterFeatures} {
			for _, f := range list {
				out[derivedFeature+f] = "supported"
			}
		}
	}
	if r.Clustering != nil {
		paths := r.Clustering.ClusteringColumns
		if paths == nil {
			paths = [][]string{}
		}
		out[derivedClustering] = string(plainJSON(paths))
	}
	for key, v := range map[string]*int64{derivedLastVersion: r.LastCommitVersion, derivedLastTimestamp: r.LastCommitTimestamp} {
		if v != nil {
			out[key] = strconv.FormatInt(*v, 10)
		}
	}
	return out
}

// plainJSON is v's JSON without HTML escapes; v must be of a kind that always has one.
func plainJSON(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
