"use strict";
// Runs scenarios of the official MCP conformance suite against the address given; prints those that failed as JSON.

const { spawnSync } = require("node:child_process");
const path = require("node:path");

const [url, ...scenarios] = process.argv.slice(2);
const suite = path.join(process.env.NODE_PATH, "@modelcontextprotocol/conformance/dist/index.js");
const failed = [];
for (const scenario of scenarios) {
  const run = spawnSync(process.execPath, [suite, "server", "--url", url, "--scenario", scenario], {
    encoding: "utf8",
  });
  if (run.status !== 0) failed.push([scenario, run.stdout + run.stderr]);
}
console.log(JSON.stringify({ failed }));
