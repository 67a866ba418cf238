// Plays a whole match of each game against bots: node build/play.js URL SEED
import { randomUUID } from "node:crypto";
import { argv } from "node:process";
import { setTimeout } from "node:timers/promises";
import createClient from "openapi-fetch";
import type { components, paths } from "./build/blattwerk.js";
import { MATCHES, MINUTES, choose } from "./moves.js";

type Schemas = components["schemas"];
type NewTable = Schemas["NewTable"];

const client = createClient<paths>({ baseUrl: argv[2] ?? "http://127.0.0.1:8000" });
const key = () => ({ "Idempotency-Key": `"${randomUUID()}"` });

/** What an operation answered; a problem is an error. */
function answered<Data>(answer: { data?: Data; error?: unknown; response: Response }): Data {
  if (answer.data === undefined) {
    throw new Error(`${answer.response.status} ${answer.response.url}: ${JSON.stringify(answer.error)}`);
  }
  return answer.data;
}

async function play(match: NewTable): Promise<void> {
  const until = Date.now() + MINUTES * 60_000;
  const created = answered(await client.POST("/v1/tables", { params: { header: key() }, body: match }));
  const at = { path: { table: created.table } };
  answered(await client.POST("/v1/tables/{table}/start", { params: at, body: { round: 1 } }));
  let moves = 0;
  for (;;) {
    const view = answered(await client.GET("/v1/tables/{table}", { params: at }));
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
    answered(await client.POST("/v1/tables/{table}/moves", { params: at, body: choose(view, decision) }));
    moves += 1;
  }
}

const account = answered(await client.POST("/v1/players", { params: { header: key() }, body: { name: "Ada" } }));
client.use({
  onRequest({ request }) {
    request.headers.set("Authorization", `Bearer ${account.token}`);
    return request;
  },
});
for (const match of Object.values(MATCHES)) await play(match);
