package storagetest

import "github.com/leveelake/catalog/storage/memory"

// unguarded are optimistic stores that do not compare something.
func unguarded() []mutant {
	foundBy := map[guard][]string{
		everything:   {"race/OneWinnerPerVersion", "race/OneRevision", "race/Counter", "cascade/RenameRacesCommit", "cascade/StagingOnce"},
		chains:       {"race/SkewObjects", "race/SkewObjectAndLog"},
		lastOfChain:  {"race/SkewObjects", "race/SkewObjectAndLog"},
		logOfChain:   {"race/SkewObjectAndLog"},
		listRange:    {"race/List", "race/ListMove", "cascade/ListedThenDropped"},
		overlapRange: {"race/Overlap", "race/OverlapMove"},
		errorReads:   {"instant/ErrorOfOneInstant"},
		idleReads:    {"instant/ReadOnlyUpdate"},
	}
	readings := map[guard][]string{
		chains:      {"GetDelete"},
		lastOfChain: {"GetReplace", "LookupReplace"},
		logOfChain:  {"GetLog", "LookupLog"},
		ancestors:   {"AncestorReplace"},
		besides: {"BesideRevoke", "BesideReplace", "BesideGrant", "BesideKindsRevoke", "BesideKindsReplace", "BesideKindsDelete", "BesideKindsInsert",
			"ListBesideReplace", "ListBesideRevoke", "ListBesideInsert"},
		listMembers:    {"ListReplace"},
		listRange:      {"ListInsert", "ListDelete", "PageInsert", "PageDelete", "EmptyListInsert", "EmptyListKind"},
		listLogs:       {"ListLog"},
		overlapMembers: {"OverlapReplace"},
		overlapRange: {"OverlapInsertAt", "OverlapInsertAbove", "OverlapInsertBelow",
			"OverlapMoveAway", "OverlapMoveBelow", "OverlapMoveAbove", "OverlapDelete"},
	}
	var all []mutant
	for g, name := range guards() {
		tests := foundBy[guard(g)]
		for _, r := range readings[guard(g)] {
			for _, w := range followUps() {
				tests = append(tests, "held/"+r+"Then"+w.name)
			}
		}
		all = append(all, mutant{"does not compare " + name, func() Backend {
			return open(func() Store { return &optimistic{Store: memory.New(), without: guard(g)} })
		}, tests})
	}
	return all[1:]
}
