"use strict";
// Runs every GraphQL-over-HTTP audit against the address given and prints the results as JSON.

const { serverAudits } = require("graphql-http");

async function main() {
  const results = [];
  for (const audit of serverAudits({ url: process.argv[2] })) {
    const result = await audit.fn();
    results.push({ id: audit.id, name: audit.name, status: result.status, reason: result.reason ?? null });
  }
  console.log(JSON.stringify(results));
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
