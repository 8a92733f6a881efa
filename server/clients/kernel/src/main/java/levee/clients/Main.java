package levee.clients;

import io.delta.kernel.CommitRange;
import io.delta.kernel.Operation;
import io.delta.kernel.Snapshot;
import io.delta.kernel.defaults.engine.DefaultEngine;
import io.delta.kernel.engine.Engine;
import io.delta.kernel.exceptions.ConcurrentWriteException;
import io.delta.kernel.unitycatalog.UCCatalogManagedClient;
import io.delta.kernel.unitycatalog.UCTableIdentifier;
import io.delta.kernel.utils.CloseableIterable;
import io.delta.storage.commit.TableIdentifier;
import io.delta.storage.commit.uccommitcoordinator.UCClient;
import io.delta.storage.commit.uccommitcoordinator.UCDeltaClient;
import io.delta.storage.commit.uccommitcoordinator.UCDeltaModels;
import io.delta.storage.commit.uccommitcoordinator.UCDeltaTokenBasedRestClient;
import io.delta.storage.commit.uccommitcoordinator.UCTokenBasedRestClient;
import io.unitycatalog.client.ApiClient;
import io.unitycatalog.client.ApiClientBuilder;
import io.unitycatalog.client.ApiException;
import io.unitycatalog.client.api.CatalogsApi;
import io.unitycatalog.client.api.SchemasApi;
import io.unitycatalog.client.api.TablesApi;
import io.unitycatalog.client.auth.TokenProvider;
import io.unitycatalog.client.delta.api.DeltaConfigurationApi;
import io.unitycatalog.client.delta.api.DeltaTablesApi;
import io.unitycatalog.client.delta.api.DeltaTemporaryCredentialsApi;
import io.unitycatalog.client.delta.model.DeltaCredentialOperation;
import io.unitycatalog.client.delta.model.DeltaLoadTableResponse;
import io.unitycatalog.client.delta.model.DeltaRenameTableRequest;
import io.unitycatalog.client.delta.model.DeltaReportMetricsRequest;
import io.unitycatalog.client.delta.model.DeltaReportMetricsRequestReport;
import io.unitycatalog.client.delta.model.DeltaReportMetricsRequestReportCommitReport;
import io.unitycatalog.client.delta.model.DeltaReportMetricsRequestReportCommitReportFileSizeHistogram;
import io.unitycatalog.client.model.CreateCatalog;
import io.unitycatalog.client.model.CreateSchema;
import io.unitycatalog.client.model.CreateStagingTable;
import io.unitycatalog.client.model.StagingTableInfo;
import io.unitycatalog.client.model.TableInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;

/**
 * Drives a Unity Catalog server with Delta Kernel and the published Unity Catalog client.
 *
 * <pre>
 * v1      SERVER TOKEN READER CATALOG SCHEMA [keep]      life of a table through the delta/v1 endpoints
 * preview SERVER TOKEN READER CATALOG SCHEMA [keep]      the same through staging-tables, tables, delta/preview/commits
 * read    SERVER TOKEN READER CATALOG SCHEMA TABLE ROWS  reads a table some other client wrote, and counts
 * </pre>
 *
 * READER is the token of one who may only read, and TOKEN one of the principal "owner"; it is empty where the server asks for
 * no token. With keep the table stays, and its name and number of rows are printed. One line per check; exits 1 on the
 * first mismatch.
 */
public final class Main {
  static final int COMMITS = 4;
  static final int WRITERS = 3;

  final String uri, catalog, schema;
  final Map<String, String> auth; // the settings of a TokenProvider
  final boolean v1;
  final ApiClient api;
  final UCClient uc;
  final UCCatalogManagedClient tables;
  final Engine engine = DefaultEngine.create(new Configuration());

  // known once the table is reserved or loaded
  String table, id, location;

  // what the table must hold now
  long version, rows;

  Main(boolean v1, String uri, Map<String, String> auth, String catalog, String schema) {
    this.v1 = v1;
    this.uri = uri;
    this.auth = auth;
    this.catalog = catalog;
    this.schema = schema;
    api = ApiClientBuilder.create().uri(uri).tokenProvider(TokenProvider.create(auth)).build();
    uc = v1
        ? new UCDeltaTokenBasedRestClient(settings(), null)
        : new UCTokenBasedRestClient(uri, TokenProvider.create(auth), Map.of("LeveeClients", "1"));
    tables = new UCCatalogManagedClient(uc);
  }

  Map<String, String> settings() {
    Map<String, String> all = new TreeMap<>(Map.of("uri", uri, "appVersions.LeveeClients", "1"));
    auth.forEach((k, v) -> all.put("auth." + k, v));
    return all;
  }

  static Map<String, String> token(String token) {
    return Map.of("type", "static", "token", token);
  }

  public static void main(String[] a) {
    // both ways out are exits: the clients keep threads that would hold the process
    try {
      run(a);
      say("OK");
      System.exit(0);
    } catch (Throwable t) {
      t.printStackTrace();
      fail("stopped by an exception");
    }
  }

  static void run(String[] a) throws Exception {
    Main m = new Main(!a[0].equals("preview"), a[1], token(a[2]), a[4], a[5]);
    if (a[0].equals("read")) {
      m.readForeign(a[6], Long.parseLong(a[7]));
    } else {
      m.life(a[2], a[3], a.length > 6 && a[6].equals("keep"));
    }
  }

  void life(String token, String reader, boolean keep) throws Exception {
    allowExisting(() -> new CatalogsApi(api).createCatalog(new CreateCatalog().name(catalog)));
    allowExisting(() -> new SchemasApi(api).createSchema(new CreateSchema().name(schema).catalogName(catalog)));
    say("metastore " + uc.getMetastoreId());
    if (v1) say("config " + new DeltaConfigurationApi(api).getConfig(catalog, "1.0"));
    create();
    commits();
    race();
    crowd();
    changeProperties();
    if (!reader.isEmpty()) {
      byOAuth(token);
      byReader(reader);
      byNobody(token.substring(1));
      byNobody("x");
    }
    publishAndGoOn();
    if (!v1) throughV1();
    if (keep) {
      say("kept " + table + " " + rows);
    } else if (v1) {
      endV1();
    } else {
      check("delete", 200, status(() -> new TablesApi(api).deleteTable(fullName())));
    }
    uc.close();
  }

  /** Reserves a location, writes version 0 there and registers the table; the committer sends the registration. */
  void create() throws Exception {
    table = "kernel_" + Long.toString(System.nanoTime(), 36);
    Map<String, String> props = new TreeMap<>();
    if (v1) {
      UCDeltaModels.StagingTableInfo st = ((UCDeltaClient) uc).createStagingTable(identifier());
      id = st.getTableId().toString();
      location = st.getLocation();
      Set<String> features = new TreeSet<>(st.getRequiredProtocol().getReaderFeatures());
      features.addAll(st.getRequiredProtocol().getWriterFeatures());
      features.forEach(f -> props.put("delta.feature." + f, "supported"));
      st.getRequiredProperties().forEach((k, v) -> { if (v != null) props.put(k, v); });
    } else {
      StagingTableInfo st = new TablesApi(api).createStagingTable(
          new CreateStagingTable().catalogName(catalog).schemaName(schema).name(table));
      id = st.getId();
      location = st.getStagingLocation();
    }
    say("staging " + id + " " + location);
    tables.buildCreateTableTransaction(id, location, Rows.SCHEMA, Rows.ENGINE, managed())
        .withTableProperties(props).build(engine).commit(engine, CloseableIterable.emptyIterable());
    TableInfo info = new TablesApi(api).getTable(fullName(), null, null);
    check("classic GET table id", id, info.getTableId());
    check("classic GET columns", 2, info.getColumns().size());
  }

  /** Commits version by version, publishing half-way, so that reads need published and staged files. */
  void commits() throws Exception {
    for (int i = 1; i <= COMMITS; i++) {
      Snapshot s = latest();
      check("snapshot before write", version, s.getVersion());
      version = Rows.append(engine, s, i, 3);
      rows += 3;
      check("committed", (long) i, version);
      if (i == COMMITS / 2) latest().publish(engine);
    }
    checkLatest("after the commits");
    check("time travel rows", 3L, Rows.count(engine, at(Optional.of(1L))));
  }

  /** Two writers start from one snapshot: one wins the version, the other is refused and starts again. */
  void race() throws Exception {
    Snapshot a = latest(), b = latest();
    check("first writer", version + 1, Rows.append(engine, a, 100, 1));
    try {
      Rows.append(engine, b, 200, 1);
      fail("second writer was not refused");
    } catch (RuntimeException e) {
      if (!lostRace(e)) throw e;
      say("ok   second writer refused: " + e.getMessage().split("\n")[0]);
    }
    check("second writer, again", version + 2, Rows.append(engine, latest(), 200, 1));
    version += 2;
    rows += 2;
    checkLatest("after the race");
  }

  /** Writers at full speed, each publishing what it sees: no commit may be lost, doubled or overwritten. */
  void crowd() throws Exception {
    AtomicInteger conflicts = new AtomicInteger();
    List<Callable<Void>> writers = new ArrayList<>();
    for (int w = 0; w < WRITERS; w++) {
      long base = 1000 * (w + 1);
      writers.add(() -> {
        for (int i = 0; i < COMMITS; i++) conflicts.addAndGet(appendStubbornly(base + i));
        return null;
      });
    }
    ExecutorService pool = Executors.newFixedThreadPool(WRITERS);
    for (Future<Void> f : pool.invokeAll(writers)) f.get();
    pool.shutdown();
    say("conflicts " + conflicts);
    version += WRITERS * COMMITS;
    rows += WRITERS * COMMITS;
    checkLatest("after the crowd");
  }

  /** Appends one row, starting again from the newest snapshot for as long as others win; returns how often they did. */
  int appendStubbornly(long base) throws Exception {
    for (int conflicts = 0; ; conflicts++) {
      Snapshot s = latest();
      s.publish(engine);
      try {
        Rows.append(engine, latest(), base, 1);
        return conflicts;
      } catch (RuntimeException e) {
        // a lost race is somebody else's progress, so this cannot go on for ever
        if (!lostRace(e)) throw e;
      }
    }
  }

  /**
   * Kernel rebases a refused commit only on what it finds published. Where the winner's commit is not
   * published yet it finds nothing, and then says so with a failed precondition instead of a conflict.
   */
  static boolean lostRace(RuntimeException e) {
    return e instanceof ConcurrentWriteException
        || String.valueOf(e.getMessage()).contains("should be greater than the previous commit attempt version");
  }

  void changeProperties() throws Exception {
    latest().buildUpdateTableTransaction(Rows.ENGINE, Operation.MANUAL_UPDATE)
        .withTablePropertiesAdded(Map.of("driver.key", "driver-value")).build(engine)
        .commit(engine, CloseableIterable.emptyIterable());
    version++;
    check("property in the log", "driver-value", latest().getTableProperties().get("driver.key"));
    check("property in the catalog", "driver-value",
        new TablesApi(api).getTable(fullName(), null, null).getProperties().get("driver.key"));
  }

  /** Publishes everything and commits once more: that commit reports the newest published version. */
  void publishAndGoOn() throws Exception {
    latest().publish(engine);
    version = Rows.append(engine, latest(), 300, 1);
    rows++;
    CommitRange all = tables.loadCommitRange(engine, id, location, managed(),
        Optional.of(0L), Optional.empty(), Optional.empty(), Optional.empty());
    check("commit range end", version, all.getEndVersion());
    checkLatest("at the end");
  }

  /** The same table through the delta/v1 endpoints: there is one log, whichever way leads to it. */
  void throughV1() throws Exception {
    Main other = new Main(true, uri, auth, catalog, schema);
    other.readForeign(table, rows);
    version = Rows.append(engine, other.latest(), 400, 1);
    rows++;
    checkLatest("after a commit through delta/v1");
    version = Rows.append(engine, latest(), 500, 1);
    rows++;
    other.readForeign(table, rows);
    other.uc.close();
  }

  /** The same table as somebody else sees it. */
  Main as(Map<String, String> auth) {
    Main other = new Main(v1, uri, auth, catalog, schema);
    other.table = table;
    other.id = id;
    other.location = location;
    other.version = version;
    other.rows = rows;
    return other;
  }

  /** The token as the secret of an OAuth client, for which the client gets itself a short-lived one. */
  void byOAuth(String token) throws Exception {
    Main other = as(Map.of("type", "oauth", "oauth.uri", uri + "/oauth2/token", "oauth.clientId", "owner", "oauth.clientSecret", token));
    version = Rows.append(engine, other.latest(), 600, 1);
    rows++;
    checkLatest("after a commit by OAuth");
    other.uc.close();
  }

  void byReader(String token) throws Exception {
    Main other = as(token(token));
    other.checkLatest("for a reader");
    check("owner", "owner", new TablesApi(other.api).getTable(fullName(), null, null).getOwner());
    refused("reader's commit", 403, () -> Rows.appendOnce(engine, other.latest(), 700, 1));
    refused("reader's delete", 403, () -> new TablesApi(other.api).deleteTable(fullName()));
    refused("reader's staging", 403, () -> new TablesApi(other.api).createStagingTable(
        new CreateStagingTable().catalogName(catalog).schemaName(schema).name(table + "_no")));
    if (v1) {
      refused("reader's delta staging", 403, () -> ((UCDeltaClient) other.uc).createStagingTable(other.identifier()));
      DeltaTablesApi delta = new DeltaTablesApi(other.api);
      refused("reader's rename", 403, () -> {
        delta.renameTable(catalog, schema, table, new DeltaRenameTableRequest().newName(table + "_no"));
        return null;
      });
      DeltaTemporaryCredentialsApi keys = new DeltaTemporaryCredentialsApi(other.api);
      keys.getTableCredentials(DeltaCredentialOperation.READ, catalog, schema, table);
      refused("reader's keys to write", 403, () -> keys.getTableCredentials(DeltaCredentialOperation.READ_WRITE, catalog, schema, table));
    }
    checkLatest("after the reader");
    other.uc.close();
  }

  void byNobody(String token) throws Exception {
    Main other = as(token(token));
    refused("load with a wrong token", 401, other::latest);
    refused("list with a wrong token", 401, () -> new TablesApi(other.api).listTables(catalog, schema, null, null));
    other.uc.close();
  }

  /** The client throws an exception of its own, and it tells the status. */
  static void refused(String what, int status, Callable<?> c) {
    try {
      c.call();
    } catch (Exception e) {
      for (Throwable t = e; t != null; t = t.getCause()) {
        if (t instanceof ApiException a && a.getCode() == status || String.valueOf(t.getMessage()).contains("HTTP " + status)) {
          say("ok   " + what + " refused: " + e.getClass().getSimpleName() + " " + String.valueOf(e.getMessage()).split("\n")[0]);
          return;
        }
      }
      e.printStackTrace();
    }
    fail(what + " was not refused with " + status);
  }

  /** What Kernel itself does not call: load, credentials, metrics, rename and drop of the delta/v1 endpoints. */
  void endV1() throws Exception {
    DeltaTablesApi delta = new DeltaTablesApi(api);
    DeltaLoadTableResponse loaded = delta.loadTable(catalog, schema, table);
    check("loadTable version", version, loaded.getLatestTableVersion());
    check("loadTable unpublished commits", 1, loaded.getCommits().size());
    check("loadTable columns", 2, loaded.getMetadata().getColumns().getFields().size());
    say("etag " + loaded.getMetadata().getEtag());
    say("credentials " + new DeltaTemporaryCredentialsApi(api)
        .getTableCredentials(DeltaCredentialOperation.READ_WRITE, catalog, schema, table).getStorageCredentials().size());
    delta.reportMetrics(catalog, schema, table, metrics());
    delta.tableExists(catalog, schema, table);
    delta.renameTable(catalog, schema, table, new DeltaRenameTableRequest().newName(table + "_r"));
    check("old name gone", 404, status(() -> { delta.tableExists(catalog, schema, table); return null; }));
    check("same table under the new name", id, delta.loadTable(catalog, schema, table + "_r").getMetadata().getTableUuid().toString());
    delta.deleteTable(catalog, schema, table + "_r");
    check("deleted", 404, status(() -> delta.loadTable(catalog, schema, table + "_r")));
  }

  DeltaReportMetricsRequest metrics() {
    var histogram = new DeltaReportMetricsRequestReportCommitReportFileSizeHistogram()
        .sortedBinBoundaries(List.of(0L)).fileCounts(List.of(1L)).totalBytes(List.of(10L)).commitVersion(version);
    var report = new DeltaReportMetricsRequestReportCommitReport()
        .numFilesAdded(1L).numBytesAdded(10L).numFilesRemoved(0L).numBytesRemoved(0L).fileSizeHistogram(histogram);
    return new DeltaReportMetricsRequest().tableId(UUID.fromString(id))
        .report(new DeltaReportMetricsRequestReport().commitReport(report));
  }

  void readForeign(String name, long want) throws Exception {
    table = name;
    UCDeltaModels.TableInfo info = ((UCDeltaClient) uc).loadTable(identifier());
    id = info.getTableId().toString();
    location = info.getLocation();
    Snapshot s = latest();
    say("version " + s.getVersion());
    check("rows of " + fullName(), want, Rows.count(engine, s));
  }

  void checkLatest(String when) throws Exception {
    Snapshot s = latest();
    check("version " + when, version, s.getVersion());
    check("rows " + when, rows, Rows.count(engine, s));
  }

  Snapshot latest() {
    return at(Optional.empty());
  }

  Snapshot at(Optional<Long> version) {
    return tables.loadSnapshot(engine, id, location, managed(), version, Optional.empty());
  }

  UCTableIdentifier managed() {
    return new UCTableIdentifier(catalog, schema, table);
  }

  TableIdentifier identifier() {
    return new TableIdentifier(new String[] {catalog, schema}, table);
  }

  String fullName() {
    return catalog + "." + schema + "." + table;
  }

  static void allowExisting(Callable<?> c) throws Exception {
    int got = status(c);
    if (got != 200 && got != 409) check("create catalog or schema", 200, got);
  }

  static int status(Callable<?> c) throws Exception {
    try {
      c.call();
      return 200;
    } catch (ApiException e) {
      return e.getCode();
    }
  }

  static void check(String what, Object want, Object got) {
    if (!Objects.equals(want, got)) fail(what + ": want " + want + ", got " + got);
    say("ok   " + what + " = " + got);
  }

  static void fail(String what) {
    say("FAIL " + what);
    System.exit(1);
  }

  static void say(String s) {
    System.out.println(s);
  }
}
