// Follow a number of changes with graphql-ws or graphql-sse, breaking the connection twice on the way, and print
// the positions and the ids of the entities in the order in which they came.
const WebSocket = require("ws");
const { createClient: createSocket } = require("graphql-ws");
const { createClient: createStream } = require("graphql-sse");

const [way, url, token, after, count] = process.argv.slice(2);
const QUERY =
  "subscription Follow($after: String) { stateChanges(after: $after) { position entity { id } } }";
const authorization = `Bearer ${token}`;
const seen = [];
let position = after;

function clientOf() {
  if (way === "sse") return createStream({ url, headers: { authorization }, retryAttempts: 0 });
  const connectionParams = { authorization };
  return createSocket({
    url: url.replace("http", "ws"), webSocketImpl: WebSocket, connectionParams, retryAttempts: 0,
  });
}

// Follow until there are so many, then leave without a word.
function followUntil(most) {
  const client = clientOf();
  return new Promise((resolve, reject) => {
    client.subscribe(
      { query: QUERY, variables: { after: position } },
      {
        next({ data, errors }) {
          if (errors) return reject(new Error(JSON.stringify(errors)));
          if (seen.length >= most) return;
          position = data.stateChanges.position;
          seen.push([Number(position), data.stateChanges.entity.id]);
          if (seen.length === most) {
            if (client.terminate) client.terminate(); else client.dispose();
            resolve();
          }
        },
        error: (error) => (seen.length >= most ? resolve() : reject(error)),
        complete: () => (seen.length >= most ? resolve() : reject(new Error("it ended early"))),
      },
    );
  });
}

async function main() {
  const all = Number(count);
  for (const most of [Math.floor(all / 3), Math.floor((2 * all) / 3), all]) await followUntil(most);
  process.stdout.write(JSON.stringify(seen), () => process.exit(0));
}

main().catch((error) => { console.error(error); process.exit(1); });
