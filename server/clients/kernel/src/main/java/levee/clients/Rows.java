package levee.clients;

import static io.delta.kernel.internal.util.Utils.singletonCloseableIterator;

import io.delta.kernel.DataWriteContext;
import io.delta.kernel.Operation;
import io.delta.kernel.Scan;
import io.delta.kernel.Snapshot;
import io.delta.kernel.Transaction;
import io.delta.kernel.data.ColumnVector;
import io.delta.kernel.data.FilteredColumnarBatch;
import io.delta.kernel.data.Row;
import io.delta.kernel.defaults.internal.data.DefaultColumnarBatch;
import io.delta.kernel.defaults.internal.data.vector.DefaultGenericVector;
import io.delta.kernel.engine.Engine;
import io.delta.kernel.internal.InternalScanFileUtils;
import io.delta.kernel.internal.data.ScanStateRow;
import io.delta.kernel.types.LongType;
import io.delta.kernel.types.StringType;
import io.delta.kernel.types.StructType;
import io.delta.kernel.utils.CloseableIterable;
import java.util.Map;
import java.util.Optional;

/** Writes and reads the rows of the driver's table. */
final class Rows {
  static final StructType SCHEMA = new StructType().add("id", LongType.LONG).add("name", StringType.STRING);
  static final String ENGINE = "levee-clients/1";

  private Rows() {}

  /** Commits n new rows on top of s and returns the version they landed on. */
  static long append(Engine e, Snapshot s, long base, int n) throws Exception {
    return append(e, s.buildUpdateTableTransaction(ENGINE, Operation.WRITE).build(e), base, n);
  }

  /** Append that is not repeated when the catalog refuses it in a way that Kernel does not know. */
  static long appendOnce(Engine e, Snapshot s, long base, int n) throws Exception {
    return append(e, s.buildUpdateTableTransaction(ENGINE, Operation.WRITE).withMaxRetries(0).build(e), base, n);
  }

  private static long append(Engine e, Transaction txn, long base, int n) throws Exception {
    Row state = txn.getTransactionState(e);
    Object[] ids = new Object[n], names = new Object[n];
    for (int i = 0; i < n; i++) {
      ids[i] = base * 1000 + i;
      names[i] = "n" + base + "-" + i;
    }
    ColumnVector[] columns = {
      DefaultGenericVector.fromArray(LongType.LONG, ids), DefaultGenericVector.fromArray(StringType.STRING, names)
    };
    var batch = new FilteredColumnarBatch(new DefaultColumnarBatch(n, SCHEMA, columns), Optional.empty());
    DataWriteContext target = Transaction.getWriteContext(e, state, Map.of());
    var physical = Transaction.transformLogicalData(e, state, singletonCloseableIterator(batch), Map.of());
    var files = e.getParquetHandler().writeParquetFiles(target.getTargetDirectory(), physical, target.getStatisticsColumns());
    var actions = Transaction.generateAppendActions(e, state, files, target);
    return txn.commit(e, CloseableIterable.inMemoryIterable(actions)).getVersion();
  }

  /** Reads every row of s from its data files, deletion vectors applied. */
  static long count(Engine e, Snapshot s) throws Exception {
    Scan scan = s.getScanBuilder().build();
    Row state = scan.getScanState(e);
    long n = 0;
    try (var batches = scan.getScanFiles(e)) {
      while (batches.hasNext()) {
        try (var files = batches.next().getRows()) {
          while (files.hasNext()) n += countFile(e, state, files.next());
        }
      }
    }
    return n;
  }

  private static long countFile(Engine e, Row state, Row file) throws Exception {
    StructType columns = ScanStateRow.getPhysicalDataReadSchema(state);
    var data = e.getParquetHandler().readParquetFiles(
        singletonCloseableIterator(InternalScanFileUtils.getAddFileStatus(file)), columns, Optional.empty());
    long n = 0;
    try (var batches = Scan.transformPhysicalData(e, state, file, data.map(r -> r.getData()))) {
      while (batches.hasNext()) {
        try (var rows = batches.next().getRows()) {
          for (; rows.hasNext(); n++) {
            Row r = rows.next();
            if (r.isNullAt(0) || r.isNullAt(1)) throw new IllegalStateException("a null where none was written");
          }
        }
      }
    }
    return n;
  }
}
