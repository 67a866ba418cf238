// Appends with Emmett's event store on PostgreSQL: so many loops at once, each on a stream of its own.
// node emmett.js SOCKET_FOLDER DATABASE CLIENTS WARM_SECONDS SECONDS BYTES; prints JSON.
const { randomUUID } = require("node:crypto");
const { getPostgreSQLEventStore } = require("@event-driven-io/emmett-postgresql");
const pg = require("pg");

const [host, database, clients, warm, length, bytes] = process.argv.slice(2);
const latencies = [];
let measuring = false;
let stopping = false;

async function append(store) {
  const stream = `match-${randomUUID()}`;
  const data = { seat: 2, card: "QS", rest: "x".repeat(Number(bytes)) };
  for (let version = 0n; !stopping; version += 1n) {
    const sent = performance.now();
    const expectedStreamVersion = version === 0n ? "STREAM_DOES_NOT_EXIST" : version;
    await store.appendToStream(stream, [{ type: "CardPlayed", data }], { expectedStreamVersion });
    if (measuring) latencies.push(performance.now() - sent);
  }
}

function percentile(share) {
  const sorted = Float64Array.from(latencies).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * Number(seconds)));

async function main() {
  const pool = new pg.Pool({ host, database, user: "blattwerk", max: Number(clients) });
  const connectionString = `postgresql://blattwerk@localhost/${database}?host=${encodeURIComponent(host)}`;
  const store = getPostgreSQLEventStore(connectionString, { connectionOptions: { pool } });
  await store.schema.migrate();
  const working = Array.from({ length: Number(clients) }, () => append(store));
  await pause(warm);
  measuring = true;
  const begun = performance.now();
  await pause(length);
  measuring = false;
  const seconds = (performance.now() - begun) / 1000;
  stopping = true;
  await Promise.all(working);
  console.log(
    JSON.stringify({ count: latencies.length, seconds, median_ms: percentile(0.5), p99_ms: percentile(0.99) })
  );
  process.exit(0);
}

main();
