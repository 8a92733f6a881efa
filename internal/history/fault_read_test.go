package history_test

import (
	"fmt"

	"github.com/leveelake/catalog/types"
)

// readRows are about the operations that only read: a fault is never taken for an answer, and
// the same request again is answered.
func readRows() []faultRow {
	row := readRow
	return []faultRow{
		row("GetCatalog", func(e *faultEnv) (any, error) { return e.c.GetCatalog(background, "c") }),
		row("GetSchema", func(e *faultEnv) (any, error) { return e.c.GetSchema(background, faultSchema) }),
		row("ListCatalogs", func(e *faultEnv) (any, error) {
			list, _, err := e.c.ListCatalogs(background, types.Page{})
			return list, err
		}),
		row("ListSchemas", func(e *faultEnv) (any, error) {
			list, _, err := e.c.ListSchemas(background, "c", types.Page{})
			return list, err
		}),
		row("ListTables", func(e *faultEnv) (any, error) {
			list, _, err := e.c.ListTables(background, faultSchema, true, types.Page{})
			return list, err
		}),
		row("LoadTable", func(e *faultEnv) (any, error) { return e.c.LoadTable(background, faultTable) }),
		row("GetTable", func(e *faultEnv) (any, error) { return e.c.GetTable(background, faultTable) }),
		row("TableExists", func(e *faultEnv) (any, error) { return "it does", e.c.TableExists(background, faultTable) }),
		row("ProtocolConfig", func(e *faultEnv) (any, error) { return e.c.ProtocolConfig(background, "c", "1.0") }),
		row("PreviewCommits", func(e *faultEnv) (any, error) {
			return e.c.PreviewCommits(background, types.PreviewQuery{TableID: e.table.ID, Location: e.table.Location})
		}),
		row("TableCredentials", func(e *faultEnv) (any, error) {
			return e.c.TableCredentials(background, faultTable, types.Read)
		}),
		row("TableCredentialsByID", func(e *faultEnv) (any, error) {
			return e.c.TableCredentialsByID(background, e.table.ID, types.Read)
		}),
		row("StagingTableCredentials", func(e *faultEnv) (any, error) {
			return e.c.StagingTableCredentials(background, e.staged.ID)
		}),
		row("PathCredentials", func(e *faultEnv) (any, error) {
			return e.c.PathCredentials(background, "file:///elsewhere/x", types.Read)
		}),
		row("TableMetrics", func(e *faultEnv) (any, error) { return e.c.TableMetrics(background, faultTable) }),
	}
}

// readRow is a row about an operation whose answer is not empty.
func readRow(method string, do func(e *faultEnv) (any, error)) faultRow {
	return faultRow{method: method, before: withCommit, do: func(e *faultEnv) error {
		got, err := do(e)
		if err != nil {
			return err
		}
		if text := fmt.Sprint(got); text == "[]" || text == "" {
			e.Errorf("%s answers %q", method, text)
		}
		return nil
	}}
}
