// Ask one question twice with Apollo's link for persisted queries, and print what went over the wire.
const { createHash } = require("crypto");
const { ApolloClient, ApolloLink, HttpLink, InMemoryCache, gql } = require("@apollo/client");
const { PersistedQueryLink } = require("@apollo/client/link/persisted-queries");

const [url, token, method] = process.argv.slice(2);
const wire = [];

async function recordingFetch(address, options) {
  const sent = `${address} ${options.body ?? ""}`;
  const answer = await fetch(address, options);
  wire.push([options.method ?? "GET", /query Who|query\+Who|query%20Who/.test(sent), answer.status]);
  return answer;
}

async function main() {
  const persisted = new PersistedQueryLink({
    sha256: (text) => createHash("sha256").update(text).digest("hex"),
    useGETForHashedQueries: method === "GET",
  });
  const http = new HttpLink({ uri: url, fetch: recordingFetch, headers: { authorization: `Bearer ${token}` } });
  const client = new ApolloClient({ link: ApolloLink.from([persisted, http]), cache: new InMemoryCache() });
  const query = gql(`query Who${method} { viewer { role } }`);
  const answers = [];
  for (let time = 0; time < 2; time += 1) {
    const { data } = await client.query({ query, fetchPolicy: "no-cache" });
    answers.push(data.viewer.role);
  }
  process.stdout.write(JSON.stringify({ answers, wire }), () => process.exit(0));
}

main().catch((error) => { console.error(error); process.exit(1); });
