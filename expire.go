package catalog

import (
	"context"
	"time"

	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/types"
)

// ExpireStaging gives up the staging tables that were reserved age ago or earlier and never
// became tables, and returns how many. Their locations stay taken; with Config.Remover,
// the next [Catalog.Sweep] removes what was written there. A client that still wants one
// finds none (NoSuchTable) and stages again. It may run at any time.
func (c *Catalog) ExpireStaging(ctx context.Context, age time.Duration) (int, error) {
	if age < 0 {
		return 0, types.InvalidParameterValue.Errorf("the age is %s; it must not be negative", age)
	}
	before := c.now().Add(-age)
	old, err := view(ctx, c, func(tx storage.ReadTx) ([]types.ID, error) {
		chain, err := tx.Lookup(ctx, nil, storage.Want{})
		if err != nil || len(chain) == 0 {
			return nil, err
		}
		var old []types.ID
		err = eachSchema(ctx, tx, chain[0].ID, func(schema types.ID) error {
			staged, err := tx.List(ctx, storage.ListQuery{Parent: schema, Kind: types.KindStagingTable}, storage.Want{})
			for _, n := range staged {
				if !n.Created.After(before) {
					old = append(old, n.ID)
				}
			}
			return err
		})
		return old, err
	})
	if err != nil {
		return 0, err
	}
	expired := 0
	for _, id := range old {
		gone, err := c.expire(ctx, id)
		if err != nil {
			return expired, err
		}
		if gone {
			expired++
		}
	}
	return expired, nil
}

// eachSchema visits the schemas of all catalogs.
func eachSchema(ctx context.Context, tx storage.ReadTx, metastore types.ID, visit func(schema types.ID) error) error {
	catalogs, err := tx.List(ctx, storage.ListQuery{Parent: metastore, Kind: types.KindCatalog}, storage.Want{})
	if err != nil {
		return err
	}
	for _, n := range catalogs {
		schemas, err := tx.List(ctx, storage.ListQuery{Parent: n.ID, Kind: types.KindSchema}, storage.Want{})
		if err != nil {
			return err
		}
		for _, s := range schemas {
			if err := visit(s.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// expire drops a staging table, unless it has become a table meanwhile.
func (c *Catalog) expire(ctx context.Context, id types.ID) (bool, error) {
	now := c.now()
	return update(ctx, c, func(tx storage.Tx) (bool, error) {
		chain, err := tx.Get(ctx, id, storage.Want{})
		if err != nil || len(chain) == 0 || last(chain).Kind != types.KindStagingTable {
			return false, err
		}
		return true, c.drop(ctx, tx, chain, chain[len(chain)-1:], now)
	})
}
