// Clients of a boardgame.io server, each playing all seats of a match of its own: a move is sent when the
// answer to the last one has arrived.
// node boardgame_load.js PORT LOBBY_PORT CLIENTS WARM_SECONDS SECONDS, or with MOVES instead of seconds as
// "moves:1000"; prints JSON.
const { io } = require("socket.io-client");

const [port, apiPort, clients, warm, length] = process.argv.slice(2);
const SEATS = 4;
const latencies = [];
let measuring = false;
let stopping = false;
let left = length.startsWith("moves:") ? Number(length.slice(6)) : Infinity;

async function post(path, body) {
  const answer = await fetch(`http://127.0.0.1:${apiPort}/games/cards/${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

// Makes a match and connects to it; returns a function that plays it to the end of the measuring.
async function sitDown() {
  const { matchID } = await post("create", { numPlayers: SEATS });
  const credentials = [];
  for (let seat = 0; seat < SEATS; seat += 1) {
    const joined = await post(`${matchID}/join`, { playerID: String(seat), playerName: `P${seat}` });
    credentials.push(joined.playerCredentials);
  }
  const socket = io(`http://127.0.0.1:${port}/cards`, { transports: ["websocket"], forceNew: true });
  const first = await new Promise((resolve, reject) => {
    socket.on("connect_error", reject);
    socket.on("connect", () => socket.emit("sync", matchID, "0", credentials[0], SEATS));
    socket.on("sync", (_, { state }) => resolve(state));
  });
  let sent = 0;

  const send = (state) => {
    if (stopping || left <= 0) {
      socket.close();
      return false;
    }
    left -= 1;
    const playerID = state.ctx.currentPlayer;
    const payload = { type: "play", args: ["QS"], playerID, credentials: credentials[Number(playerID)] };
    sent = performance.now();
    socket.emit("update", { type: "MAKE_MOVE", payload }, state._stateID, matchID, playerID);
    return true;
  };

  return () =>
    new Promise((resolve) => {
      socket.on("update", (_, state) => {
        if (measuring) latencies.push(performance.now() - sent);
        if (!send(state)) resolve();
      });
      send(first);
    });
}

function percentile(share) {
  const sorted = Float64Array.from(latencies).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

async function main() {
  const ready = await Promise.all(Array.from({ length: Number(clients) }, sitDown));
  measuring = Number.isFinite(left);
  const all = Promise.all(ready.map((play) => play()));
  let begun = performance.now();
  if (measuring) {
    await all;
  } else {
    await Promise.race([new Promise((resolve) => setTimeout(resolve, 1000 * Number(warm))), all]);
    measuring = true;
    begun = performance.now();
    await Promise.race([new Promise((resolve) => setTimeout(resolve, 1000 * Number(length))), all]);
    measuring = false;
  }
  const seconds = (performance.now() - begun) / 1000;
  stopping = true;
  const ordered = Number.isFinite(left) ? latencies : [];
  console.log(
    JSON.stringify({ count: latencies.length, seconds, median_ms: percentile(0.5), p99_ms: percentile(0.99), ordered })
  );
  process.exit(0);
}

main();
