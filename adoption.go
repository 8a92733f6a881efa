package catalog

import (
	"context"
	"time"

	"github.com/leveelake/catalog/credentials"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// maxAdopted bounds what an external location adopts at once: it is one transaction.
const maxAdopted = 10_000

// An exchange is an object and what is to be in its place.
type exchange struct{ old, new storage.Object }

// adopted are the external tables and storage roots at a URL that the external location with this ID has not vouched for,
// each with its vouch.
func (c *Catalog) adopted(ctx context.Context, tx storage.ReadTx, id types.ID, url string, now time.Time) ([]exchange, error) {
	found, err := tx.Overlap(ctx, url, []types.Kind{types.KindTable, types.KindCatalog, types.KindSchema}, maxAdopted+1)
	if err != nil {
		return nil, err
	}
	if len(found) > maxAdopted {
		return nil, types.FailedPrecondition.Errorf("more than %d tables and storage roots lie at %q: too many to adopt", maxAdopted, url).About(types.KindExternalLocation)
	}
	var out []exchange
	for _, old := range found {
		if !credentials.Within(url, old.Location) || old.Kind == types.KindTable && isInManaged(old.Location) {
			continue
		}
		new, err := c.vouchedBy(old, id)
		if err != nil {
			return nil, err
		}
		if string(new.Body) != string(old.Body) {
			touch(&new, now)
			out = append(out, exchange{old, new})
		}
	}
	return out, nil
}

// vouchedBy is an external table, or a catalog or schema with a storage root, vouched for by the external location with this ID.
func (c *Catalog) vouchedBy(o storage.Object, id types.ID) (storage.Object, error) {
	if o.Kind == types.KindTable {
		t, err := c.table(storage.Node{Object: o})
		if err != nil {
			return o, err
		}
		t.record.VouchedBy = id
		o.Body, err = t.body()
		return o, err
	}
	n, err := decodeNamespace(o)
	if err != nil {
		return o, err
	}
	n.VouchedBy = id
	o.Body, err = n.body()
	return o, err
}

func replaceAll(ctx context.Context, tx storage.Tx, all []exchange) error {
	for _, r := range all {
		if err := tx.Replace(ctx, r.old, r.new); err != nil {
			return err
		}
	}
	return nil
}
