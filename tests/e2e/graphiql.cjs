"use strict";
// Opens GraphiQL at the address given, uses it as a person would, and prints what was seen as JSON.
// Requests that leave this machine are refused and listed.

const path = require("node:path");
const { chromium } = require("playwright-core");

const [address, screenshot] = process.argv.slice(2);
const unpacked = process.env.CHROMIUM_FOLDER;
const DEADLINE = 30_000;

async function typeInto(page, editor, text) {
  await page.locator(editor).click();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(text);
}

async function use(page, seen) {
  await page.goto(address);
  await page.locator(".graphiql-query-editor .CodeMirror").waitFor({ timeout: DEADLINE });
  seen.tabs = await page.locator(".graphiql-tab-button").allInnerTexts();
  seen.example = await page.locator(".graphiql-query-editor .CodeMirror-code").innerText();

  await page.locator(".graphiql-tab-add").click();
  await typeInto(page, ".graphiql-query-editor .CodeMirror", 'query Hello { greeting(name: "Ada") }');
  // The tab takes its name when the page has understood the query; until then it would run the one before.
  await page.locator(".graphiql-tab-button", { hasText: /^Hello$/ }).waitFor({ timeout: DEADLINE });
  await page.locator(".graphiql-execute-button").click();
  const result = page.locator(".result-window .CodeMirror-code");
  await result.getByText("Hello, Ada").waitFor({ timeout: DEADLINE });
  seen.result = await result.innerText();

  await page.getByRole("button", { name: "Show Documentation Explorer" }).click();
  const docs = page.locator(".graphiql-doc-explorer");
  await docs.getByText("Query", { exact: true }).click({ timeout: DEADLINE });
  await docs.getByText("greeting").first().waitFor({ timeout: DEADLINE });
  seen.docs = await docs.innerText();
  if (screenshot) await page.screenshot({ path: screenshot });
}

async function main() {
  const browser = await chromium.launch({
    executablePath: path.join(unpacked, "chromium"),
    args: ["--no-sandbox", "--disable-gpu"],
    env: {
      ...process.env,
      LD_LIBRARY_PATH: path.join(unpacked, "al2023", "lib"),
      FONTCONFIG_FILE: path.join(unpacked, "fonts.conf"),
    },
  });
  const seen = { foreign: [], complaints: [] };
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    await page.route(
      (url) => !["data:", "blob:"].includes(url.protocol) && url.hostname !== "127.0.0.1",
      (route) => {
        seen.foreign.push(route.request().url());
        return route.abort();
      },
    );
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) seen.complaints.push(message.text());
    });
    page.on("pageerror", (error) => seen.complaints.push(String(error)));
    await use(page, seen);
  } finally {
    await browser.close();
  }
  console.log(JSON.stringify(seen));
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
