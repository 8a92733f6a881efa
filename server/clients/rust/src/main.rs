//! Drives a Unity Catalog server with delta-kernel-rs and its published Unity Catalog crates.
//!
//! usage: ucdelta SERVER TOKEN CATALOG SCHEMA
//!
//! One line per check; exits with 1 on the first mismatch and says OK at the end.
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use delta_kernel::arrow::array::{ArrayRef, Int64Array, ListBuilder, RecordBatch, StringArray, StringBuilder};
use delta_kernel::arrow::datatypes::{DataType as ArrowType, Field, Schema as ArrowSchema};
use delta_kernel::engine::arrow_data::ArrowEngineData;
use delta_kernel::object_store::local::LocalFileSystem;
use delta_kernel::schema::{ArrayType, DataType, StructField, StructType};
use delta_kernel::transaction::create_table::create_table;
use delta_kernel::transaction::{CommitResult, UpdateTableOperation};
use delta_kernel::{Engine, Snapshot};
use delta_kernel_default_engine::executor::tokio::TokioMultiThreadExecutor;
use delta_kernel_default_engine::{DefaultEngine, DefaultEngineBuilder};
use delta_kernel_unity_catalog::{
    build_uc_create_table_request, get_required_properties_for_disk, snapshot_builder_from_load_table, UCCommitter,
};
use unity_catalog_delta_client_api::{CommitReport, CreateStagingTableRequest, FileSizeHistogram, Operation, TableIdentifier};
use unity_catalog_delta_rest_client::{ClientConfig, UCDeltaTableClient, UCUpdateTableRestClient};
use url::Url;

const ENGINE: &str = "levee-clients/1";
const COMMITS: i64 = 4;

type Res<T> = Result<T, Box<dyn std::error::Error>>;

fn fail(what: &str) -> ! {
    println!("FAIL {what}");
    std::process::exit(1);
}

fn check<T: PartialEq + std::fmt::Debug>(what: &str, want: T, got: T) {
    if want != got {
        fail(&format!("{what}: want {want:?}, got {got:?}"));
    }
    println!("ok   {what} = {got:?}");
}

/// The one table of a run, and what is needed to reach it.
struct Table {
    config: ClientConfig,
    uc: UCDeltaTableClient,
    catalog: String,
    schema: String,
    name: String,
    id: String,
    engine: Arc<DefaultEngine<TokioMultiThreadExecutor>>,
}

impl Table {
    fn committer(&self) -> Res<Box<UCCommitter<UCUpdateTableRestClient>>> {
        let client = Arc::new(UCUpdateTableRestClient::new(self.config.clone())?);
        let name = TableIdentifier::new(&*self.catalog, &*self.schema, &*self.name);
        Ok(Box::new(UCCommitter::new(client, self.id.clone(), name)))
    }

    async fn latest(&self) -> Res<Arc<Snapshot>> {
        let loaded = self.uc.load_table(&self.catalog, &self.schema, &self.name).await?;
        Ok(snapshot_builder_from_load_table(&loaded)?.build(self.engine.as_ref())?)
    }

    async fn publish(&self) -> Res<()> {
        let committer = self.committer()?;
        self.latest().await?.publish(self.engine.as_ref(), committer.as_ref())?;
        Ok(())
    }

    /// Commits rows on top of a snapshot and returns the version they landed on.
    async fn append(&self, snapshot: Arc<Snapshot>, base: i64, rows: i64) -> Res<u64> {
        let mut txn = snapshot
            .update_table(UpdateTableOperation::Write, ENGINE, true)
            .build(self.engine.as_ref(), self.committer()?)?;
        let target = txn.write_state()?.write_context_builder().build()?;
        let files = self.engine.write_parquet(&ArrowEngineData::new(batch(base, rows)?), &target).await?;
        txn.add_files(files);
        match txn.commit(self.engine.as_ref())? {
            CommitResult::Committed(c) => Ok(c.commit_version()),
            CommitResult::Conflicted(c) => Err(format!("conflict at {}", c.conflict_version()).into()),
            CommitResult::Retryable(_) => Err("retryable".into()),
        }
    }

    fn rows(&self, snapshot: Arc<Snapshot>) -> Res<usize> {
        let scan = snapshot.scan_builder().build()?;
        let mut rows = 0;
        for data in scan.execute(self.engine.clone() as Arc<dyn Engine>)? {
            rows += data?.len();
        }
        Ok(rows)
    }
}

/// Rows with a nested column, because its type is spelled in more than one way on the wire.
fn batch(base: i64, rows: i64) -> Res<RecordBatch> {
    let mut tags = ListBuilder::new(StringBuilder::new()).with_field(Field::new("element", ArrowType::Utf8, true));
    for i in 0..rows {
        tags.values().append_value(format!("t{i}"));
        tags.append(true);
    }
    let tags: ArrayRef = Arc::new(tags.finish());
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values((0..rows).map(|i| base * 1000 + i)));
    let names: ArrayRef = Arc::new(StringArray::from_iter_values((0..rows).map(|i| format!("n{base}-{i}"))));
    let schema = Arc::new(ArrowSchema::new(vec![
        Field::new("id", ArrowType::Int64, true),
        Field::new("name", ArrowType::Utf8, true),
        Field::new("tags", tags.data_type().clone(), true),
    ]));
    Ok(RecordBatch::try_new(schema, vec![ids, names, tags])?)
}

/// Reserves a location, writes version 0 there and registers the table.
async fn create(config: ClientConfig, catalog: &str, schema: &str) -> Res<Table> {
    let uc = UCDeltaTableClient::new(config.clone())?;
    println!("config {:?}", uc.get_config(catalog, &["1.0"]).await?);
    let name = format!("rust_{}", SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos());
    let staging = uc.create_staging_table(catalog, schema, CreateStagingTableRequest { name: name.clone() }).await?;
    println!("staging {} {}", staging.table_id, staging.location);
    let root = Url::parse(&format!("{}/", staging.location.trim_end_matches('/')))?;
    if let Ok(folder) = root.to_file_path() {
        // the kernel lists the table's folder before it writes there
        std::fs::create_dir_all(folder)?;
    }
    let executor = Arc::new(TokioMultiThreadExecutor::new(tokio::runtime::Handle::current()));
    let engine = Arc::new(DefaultEngineBuilder::new(Arc::new(LocalFileSystem::new())).with_task_executor(executor).build());
    let table = Table { config, uc, catalog: catalog.into(), schema: schema.into(), name, id: staging.table_id, engine };

    let columns = Arc::new(StructType::try_new(vec![
        StructField::nullable("id", DataType::LONG),
        StructField::nullable("name", DataType::STRING),
        StructField::nullable("tags", DataType::from(ArrayType::new(DataType::STRING, true))),
    ])?);
    let created = create_table(root.as_str(), columns, ENGINE, true)
        .with_table_properties(get_required_properties_for_disk(&table.id))
        .build(table.engine.as_ref(), table.committer()?)?
        .commit(table.engine.as_ref())?;
    check("version 0 written", true, created.is_committed());
    let first = Snapshot::builder_for(root.as_str()).with_max_catalog_version(0).build(table.engine.as_ref())?;
    let request = build_uc_create_table_request(&first, table.engine.as_ref(), table.name.clone())?;
    let registered = table.uc.create_table(catalog, schema, request).await?;
    check("registered as", table.id.clone(), registered.metadata.table_uuid);
    Ok(table)
}

/// Commits version by version, publishing half-way, so that reads need published and staged files.
async fn commits(t: &Table) -> Res<()> {
    for v in 1..=COMMITS {
        let snapshot = t.latest().await?;
        check("snapshot before write", v as u64 - 1, snapshot.version());
        check("committed", v as u64, t.append(snapshot, v, 3).await?);
        if v == COMMITS / 2 {
            t.publish().await?;
        }
    }
    check("rows", (3 * COMMITS) as usize, t.rows(t.latest().await?)?);
    Ok(())
}

/// Two writers start from one snapshot: one wins the version, the other is refused.
async fn race(t: &Table) -> Res<()> {
    let (a, b) = (t.latest().await?, t.latest().await?);
    check("first writer", COMMITS as u64 + 1, t.append(a, 100, 1).await?);
    match t.append(b, 200, 1).await {
        Ok(v) => fail(&format!("second writer committed {v}")),
        Err(e) if e.to_string().contains("conflict") || e.to_string().contains("409") => println!("ok   second writer refused: {e}"),
        Err(e) => fail(&format!("second writer refused, but not for a conflict: {e}")),
    }
    check("version after the race", COMMITS as u64 + 1, t.latest().await?.version());
    Ok(())
}

/// Publishes everything and commits once more: that commit reports the newest published version.
async fn publish_and_go_on(t: &Table) -> Res<()> {
    t.publish().await?;
    t.append(t.latest().await?, 300, 1).await?;
    let loaded = t.uc.load_table(&t.catalog, &t.schema, &t.name).await?;
    check("latest-table-version", Some(COMMITS + 2), loaded.latest_table_version);
    check("unpublished", 1, loaded.commits.len());
    check("rows at the end", (3 * COMMITS) as usize + 2, t.rows(t.latest().await?)?);
    Ok(())
}

async fn credentials_and_metrics(t: &Table) -> Res<()> {
    let vended = t.uc.get_table_credentials(&t.catalog, &t.schema, &t.name, Operation::ReadWrite).await?;
    println!("credentials {}", vended.storage_credentials.len());
    let file_size_histogram =
        FileSizeHistogram { sorted_bin_boundaries: vec![0], file_counts: vec![1], total_bytes: vec![10], commit_version: COMMITS + 2 };
    let report = CommitReport { num_files_added: 1, num_bytes_added: 10, file_size_histogram, ..Default::default() };
    t.uc.report_metrics(&t.catalog, &t.schema, &t.name, &t.id, report).await?;
    Ok(())
}

#[tokio::main(flavor = "multi_thread")]
async fn main() -> Res<()> {
    let args: Vec<String> = std::env::args().collect();
    let [_, server, token, catalog, schema] = args.as_slice() else {
        fail("usage: ucdelta SERVER TOKEN CATALOG SCHEMA");
    };
    let config = ClientConfig::build(server, token).with_additional_user_agent([("LeveeClients", "1")]).build()?;
    let table = create(config, catalog, schema).await?;
    commits(&table).await?;
    race(&table).await?;
    publish_and_go_on(&table).await?;
    credentials_and_metrics(&table).await?;
    println!("OK");
    Ok(())
}
