// Plays a whole match of each game against bots with the functions that @hey-api/openapi-ts makes: node build/play_sdk.js URL SEED
import { randomUUID } from "node:crypto";
import { argv } from "node:process";
import { setTimeout } from "node:timers/promises";
import { client } from "./build/hey/client.gen.js";
import { createPlayer, createTable, getTable, makeMove, startRound } from "./build/hey/sdk.gen.js";
import type { NewTable } from "./build/hey/types.gen.js";
import { MATCHES, MINUTES, choose } from "./moves.js";

const key = () => ({ "Idempotency-Key": `"${randomUUID()}"` });
const throwOnError = true;

async function play(match: NewTable): Promise<void> {
  const until = Date.now() + MINUTES * 60_000;
  const { data: created } = await createTable({ headers: key(), body: match, throwOnError });
  const path = { table: created.table };
  await startRound({ path, body: { round: 1 }, throwOnError });
  let moves = 0;
  for (;;) {
    const { data: view } = await getTable({ path, throwOnError });
    if (view.status === "finished") {
      console.log(JSON.stringify({ game: view.game, moves, places: view.seats.map((seat) => seat.place) }));
      return;
    }
    if (Date.now() > until) throw new Error(`${view.game} did not end: ${view.status} after ${moves} moves`);
    const decision = view.you?.decision ?? null;
    if (decision === null) {
      await setTimeout(10);
      continue;
    }
    await makeMove({ path, body: choose(view, decision), throwOnError });
    moves += 1;
  }
}

client.setConfig({ baseUrl: argv[2] ?? "http://127.0.0.1:8000" });
const { data: account } = await createPlayer({ headers: key(), body: { name: "Ada" }, throwOnError });
client.setConfig({ auth: account.token });
await Promise.all(Object.values(MATCHES).map(play));
