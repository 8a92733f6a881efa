package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/leveelake/catalog"
)

// sweepPause is how long the files of a dropped table may stay, and how long it takes
// until what could not be removed is tried again, which is longer each time.
const (
	sweepPause, maxSweepPause = 2 * time.Second, time.Hour
	expirePause               = time.Hour
)

// sweep removes files of dropped tables, and expires staging tables, until ctx is done.
func (s serveCmd) sweep(ctx context.Context, c *catalog.Catalog, log *slog.Logger) {
	expired := time.Time{} // when that was done
	for pause := sweepPause; ; {
		if s.StagingAge > 0 && time.Since(expired) > expirePause {
			n, err := c.ExpireStaging(ctx, s.StagingAge)
			if n > 0 {
				log.InfoContext(ctx, "staging tables expired", "number", n)
			}
			if err == nil {
				expired = time.Now()
			} else if ctx.Err() == nil {
				log.WarnContext(ctx, "staging tables are not expired yet", "err", err)
			}
		}
		switch err := c.Sweep(ctx); {
		case ctx.Err() != nil:
			return
		case err != nil:
			log.WarnContext(ctx, "files of dropped tables are not removed yet", "err", err)
			pause = min(2*pause, maxSweepPause)
		default:
			pause = sweepPause
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}
