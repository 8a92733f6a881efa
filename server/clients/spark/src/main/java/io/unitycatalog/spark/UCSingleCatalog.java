package io.unitycatalog.spark;

import io.unitycatalog.client.ApiClient;
import io.unitycatalog.client.ApiClientBuilder;
import io.unitycatalog.client.ApiException;
import io.unitycatalog.client.api.SchemasApi;
import io.unitycatalog.client.api.TablesApi;
import io.unitycatalog.client.auth.TokenProvider;
import io.unitycatalog.client.model.CreateSchema;
import java.util.HashMap;
import java.util.Map;
import org.apache.spark.sql.catalyst.analysis.NoSuchNamespaceException;
import org.apache.spark.sql.catalyst.analysis.NoSuchTableException;
import org.apache.spark.sql.connector.catalog.Column;
import org.apache.spark.sql.connector.catalog.Identifier;
import org.apache.spark.sql.connector.catalog.NamespaceChange;
import org.apache.spark.sql.connector.catalog.SupportsNamespaces;
import org.apache.spark.sql.connector.catalog.Table;
import org.apache.spark.sql.connector.catalog.TableCatalog;
import org.apache.spark.sql.connector.catalog.TableChange;
import org.apache.spark.sql.connector.expressions.Transform;
import org.apache.spark.sql.delta.catalog.DeltaCatalog;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.CaseInsensitiveStringMap;

/**
 * A Spark catalog for tests: Delta's own, with a small delegate for what Delta leaves to the catalog.
 *
 * <p>delta-spark holds the whole delta/v1 client. Of the catalog that is configured it asks that its
 * class has exactly this name, and of the delegate that its class lies under io.unitycatalog. So the
 * tables go the way delta-spark goes in production, and only namespaces, lists and drops are ours.
 */
public class UCSingleCatalog extends DeltaCatalog {
  @Override
  public void initialize(String name, CaseInsensitiveStringMap options) {
    setDelegateCatalog(new Delegate(name, options));
    super.initialize(name, options);
  }

  static final class Delegate implements TableCatalog, SupportsNamespaces {
    final String name;
    final TablesApi tables;
    final SchemasApi schemas;

    Delegate(String name, CaseInsensitiveStringMap options) {
      this.name = name;
      Map<String, String> auth = new HashMap<>();
      options.forEach((k, v) -> { if (k.startsWith("auth.")) auth.put(k.substring("auth.".length()), v); });
      TokenProvider token = TokenProvider.create(auth);
      ApiClient client = ApiClientBuilder.create().uri(options.get("uri")).tokenProvider(token).build();
      tables = new TablesApi(client);
      schemas = new SchemasApi(client);
    }

    interface Call<T> {
      T run() throws ApiException;
    }

    static <T> T rest(Call<T> call) {
      try {
        return call.run();
      } catch (ApiException e) {
        throw new RuntimeException("HTTP " + e.getCode() + " " + e.getResponseBody(), e);
      }
    }

    @Override
    public void initialize(String name, CaseInsensitiveStringMap options) {}

    @Override
    public String name() {
      return name;
    }

    @Override
    public String[] defaultNamespace() {
      return new String[] {"default"};
    }

    @Override
    public Identifier[] listTables(String[] namespace) {
      return rest(() -> tables.listTables(name, namespace[0], null, null)).getTables().stream()
          .map(t -> Identifier.of(namespace, t.getName())).toArray(Identifier[]::new);
    }

    /** Delta loads its tables itself; whatever it asks us for is none of them. */
    @Override
    public Table loadTable(Identifier table) throws NoSuchTableException {
      throw new NoSuchTableException(table);
    }

    @Override
    public Table createTable(Identifier t, StructType schema, Transform[] partitions, Map<String, String> properties) {
      throw new UnsupportedOperationException("only catalog-managed Delta tables");
    }

    @Override
    public Table createTable(Identifier t, Column[] columns, Transform[] partitions, Map<String, String> properties) {
      throw new UnsupportedOperationException("only catalog-managed Delta tables");
    }

    @Override
    public Table alterTable(Identifier table, TableChange... changes) {
      throw new UnsupportedOperationException("alterTable");
    }

    @Override
    public boolean dropTable(Identifier table) {
      try {
        tables.deleteTable(name + "." + table.namespace()[0] + "." + table.name());
        return true;
      } catch (ApiException e) {
        if (e.getCode() == 404) return false;
        throw new RuntimeException("HTTP " + e.getCode() + " " + e.getResponseBody(), e);
      }
    }

    @Override
    public void renameTable(Identifier from, Identifier to) {
      throw new UnsupportedOperationException("renameTable");
    }

    @Override
    public String[][] listNamespaces() {
      return rest(() -> schemas.listSchemas(name, null, null)).getSchemas().stream()
          .map(s -> new String[] {s.getName()}).toArray(String[][]::new);
    }

    @Override
    public String[][] listNamespaces(String[] namespace) {
      return namespace.length == 0 ? listNamespaces() : new String[0][];
    }

    @Override
    public Map<String, String> loadNamespaceMetadata(String[] namespace) throws NoSuchNamespaceException {
      try {
        schemas.getSchema(name + "." + namespace[0]);
        return new HashMap<>();
      } catch (ApiException e) {
        if (e.getCode() == 404) throw new NoSuchNamespaceException(namespace);
        throw new RuntimeException("HTTP " + e.getCode() + " " + e.getResponseBody(), e);
      }
    }

    @Override
    public void createNamespace(String[] namespace, Map<String, String> metadata) {
      rest(() -> schemas.createSchema(new CreateSchema().name(namespace[0]).catalogName(name)));
    }

    @Override
    public void alterNamespace(String[] namespace, NamespaceChange... changes) {
      throw new UnsupportedOperationException("alterNamespace");
    }

    @Override
    public boolean dropNamespace(String[] namespace, boolean cascade) {
      rest(() -> schemas.deleteSchema(name + "." + namespace[0], cascade));
      return true;
    }
  }
}
