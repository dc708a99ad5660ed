"use strict";
// Lists the tools of an MCP server, over HTTP or a pipe, calls them in order, and prints the outcome as JSON.

const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");

function transportOf({ url, headers, command, args, env }) {
  if (url) return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  return new StdioClientTransport({ command, args, env });
}

async function main() {
  const wanted = JSON.parse(process.argv[2]);
  const client = new Client({ name: "trigraph-tests", version: "1" });
  await client.connect(transportOf(wanted));
  const { tools } = await client.listTools();
  const failed = [];
  for (const [name, given] of wanted.calls) {
    const result = await client.callTool({ name, arguments: given });
    if (result.isError) failed.push([name, result.content[0].text]);
  }
  await client.close();
  console.log(JSON.stringify({ tools: tools.map((tool) => tool.name), failed }));
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
