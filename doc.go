// Package catalog is a Unity Catalog for Delta Lake tables, as a library. It names tables
// and says where they live, hands out short-lived keys to their storage, and for managed
// tables decides which commit wins. Package server puts it on HTTP and cmd/levee makes a
// program of that; whoever wants neither calls the methods of [Catalog].
//
// # Commits
//
// A writer of a managed table puts the file of its next version below
// _delta_log/_staged_commits and asks the catalog to ratify it ([Catalog.AddCommit], or
// [Catalog.UpdateTable] if metadata changes with it). Of all files offered for a version
// one is ratified; the others' writers are told to look at the table again. Some time after,
// a writer copies ratified files to _delta_log/<version>.json, which is called backfill or
// publishing, and reports it ([Catalog.Backfill]). A reader loads the table
// ([Catalog.LoadTable]) and gets the latest version and the commits not yet backfilled, which
// together with _delta_log is all there is to read. At most [Limits].Unbackfilled commits may
// wait.
//
// What the catalog knows is names: that version 7 is the file so-and-so. It opens none of a
// table's files, unless [Config].Files lets it look whether a client is right in what it says
// of them: that version 0 is written, that a version is published.
//
// # Guarantees
//
// What a method reports as done is durable, as a whole, when it returns; storage/memory alone
// forgets at exit. What it refuses has changed nothing, CommitStateUnknown aside. What it
// returns is the state of one instant: metadata, latest version and commits of a table belong
// together.
//
// The versions of a table have no gaps, and none has two files, however many writers,
// processes and retries there are. A table's ID names it for ever and is asserted by each
// update, so that a request for a table that was dropped does not hit the next one of its
// name. A table's ETag changes with its metadata and its name, never with a commit of data.
//
// Reads may always be repeated, and so may a commit: the same version from the same file is
// recognised, applied once and answered with the table, for as long as [Limits] says that
// files of old versions are remembered. Repeated creates are refused with AlreadyExists,
// repeated deletes with NoSuchTable and its like: load, and compare the ID. An update without
// a commit is applied again, unless it requires the ETag that it was made for.
//
// # Errors
//
// A refusal is a [*types.Error] and has a code, which errors.Is finds:
// errors.Is(err, types.NoSuchTable). Each method lists its own; whatever writes may also
// answer UpdateRequirementConflict, when other requests kept getting in the way,
// TooManyRequests and CommitStateUnknown, and whatever there is Unavailable. They ask of the caller:
//
//   - BadRequest, InvalidParameterValue, UnsupportedTableFormat, FailedPrecondition: another
//     request. The message names the place; the same request will be refused again.
//   - NoSuchCatalog, NoSuchSchema, NoSuchTable, NotFound: another name. The code is that of
//     the first level that is missing.
//   - AlreadyExists: another name, or to be content with what exists.
//   - CommitVersionConflict, UpdateRequirementConflict: load the table, rebuild the change on
//     what it is now, try again.
//   - ResourceExhausted: backfill, then send the same request again.
//   - TooManyRequests, Unavailable: wait, then send the same request again. Nothing happened.
//   - CommitStateUnknown: send the same request again. The first may or may not have been
//     carried out; the answer to the second tells. (A version so old that its file is
//     forgotten is answered so each time: it was ratified, from this file or another.)
//   - NotAuthorized, PermissionDenied: authenticate, or ask for the right.
//   - NotImplemented: nothing of the kind is to be had from this catalog.
//
// The context's own error comes back if it ends a request, and storage.ErrClosed from a closed
// store. Any other error without a code is a fault of the store, of a vendor or of this package: load, to
// see what has become of the request, or send it again if it is a commit.
//
// # Rights
//
// Without [Config].Authorizer everybody may do everything. With [Grants], who may do what follows from owners and from
// privileges that were granted: on a securable or on anything above it, to a principal or to a group. Who makes a
// request, and in which groups, travels in the context ([WithPrincipal]); the creator of something owns it, and the
// owner of the metastore ([Catalog.SetAdmin]) is its admin. grant.go has the whole table. A catalog or
// schema that the caller may not use is told as missing, with all beneath it; in one that may be used, what is missing
// is NoSuchTable, and what the caller has no right to PermissionDenied. Lists leave out what the caller may not see.
//
// Keys to files are handed out to the owner of a table and to those with SELECT, for writing with SELECT and
// MODIFY; outside of managed storage only where an external location covers the table, so that nobody gets at a
// bucket by naming it.
//
// # One request
//
// A method is, as a rule, one transaction on a [storage.Store]: it checks the request as far as
// that needs no state, looks up the chain of objects from the root to its subject, applies
// rules that are pure functions of what was found, and writes the outcome. The store computes
// nothing, and the rules read neither clock nor store nor file. Vendors of credentials
// ([credentials.Vendor]), readers and removers of files ([Files], [Remover]) are called outside
// of transactions; a request that depends on a file runs its transaction again afterwards.
// For the files of a request, in order, see CONTRIBUTING.md.
//
// # Embedding
//
// A catalog is made of a store and options that may stay zero:
//
//	store, err := sqlite.Open("catalog.db") // or memory.New()
//	if err != nil {
//		return err
//	}
//	defer store.Close()
//	c, err := catalog.New(catalog.Config{Store: store, ManagedRoot: "file:///var/lake"})
//
// The examples below are complete;
// examples/embed writes the files of a table, too.
package catalog
