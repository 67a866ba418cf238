// Plays a whole match of each game against bots: node build/play.js URL
import { randomUUID } from "node:crypto";
import { argv } from "node:process";
import { setTimeout } from "node:timers/promises";
import createClient from "openapi-fetch";
import type { components, paths } from "./build/blattwerk.js";
import { hearts, herzeln, romme, vonHerzen } from "./moves.js";

type Schemas = components["schemas"];
type NewTable = Schemas["NewTable"];
type Table = Schemas["Table"];
type MoveRequest = Schemas["MoveRequest"];

const MATCHES: { [Game in NewTable["game"]]: Extract<NewTable, { game: Game }> } = {
  hearts: { game: "hearts", bots: [1, 2], options: { players: 3, target_score: 1 } },
  herzeln: { game: "herzeln", bots: [1, 2], options: { players: 3 } },
  romme: { game: "romme", seats: 3, bots: [1, 2], options: { match_end: "rounds", rounds: 1 } },
  von_herzen: { game: "von_herzen", bots: [1, 2], options: { players: 3, complete_rounds: 1 } },
};
const MINUTES = 2;

const client = createClient<paths>({ baseUrl: argv[2] ?? "http://127.0.0.1:8000" });
const key = () => ({ "Idempotency-Key": `"${randomUUID()}"` });

/** What an operation answered; a problem is an error. */
function answered<Data>(answer: { data?: Data; error?: unknown; response: Response }): Data {
  if (answer.data === undefined) {
    throw new Error(`${answer.response.status} ${answer.response.url}: ${JSON.stringify(answer.error)}`);
  }
  return answer.data;
}

/** The move that answers the open decision: one of those that `legal` lists. */
function choose(view: Table, decision: number): MoveRequest {
  switch (view.game) {
    case "hearts":
      return { game: view.game, decision, move: some(view.you?.legal.map(hearts)) };
    case "herzeln":
      return { game: view.game, decision, move: some(view.you?.legal.map(herzeln)) };
    case "romme":
      return { game: view.game, decision, move: some(view.you?.legal.map(romme)) };
    case "von_herzen":
      return { game: view.game, decision, move: some(view.you?.legal.map(vonHerzen)) };
  }
}

function some<Move>(moves: (Move | undefined)[] | undefined): Move {
  const listed = moves?.filter((move) => move !== undefined) ?? [];
  const move = listed[Math.floor(Math.random() * listed.length)];
  if (move === undefined) throw new Error("no move is legal");
  return move;
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
