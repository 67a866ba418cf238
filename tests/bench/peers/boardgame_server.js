// A boardgame.io server for one game with hardly any rules: everybody plays a card in turn.
// node boardgame_server.js PORT LOBBY_PORT [SOCKET_FOLDER DATABASE]; prints "ready". Without a database
// it keeps matches in memory.
const { Server } = require("boardgame.io/dist/cjs/server.js");
const { PostgresStore } = require("bgio-postgres");

const [port, apiPort, host, database] = process.argv.slice(2);

const game = {
  name: "cards",
  setup: () => ({ played: 0, last: "", table: "x".repeat(500) }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    play: ({ G }, card) => {
      G.played += 1;
      G.last = card;
    },
  },
};

const db = host
  ? new PostgresStore({ host, database, username: "blattwerk", logging: false, pool: { max: 64, min: 8 } })
  : undefined;

Server({ games: [game], db, origins: ["http://localhost"] })
  .run({ port: Number(port), lobbyConfig: { apiPort: Number(apiPort) } })
  .then(() => console.log("ready"));
