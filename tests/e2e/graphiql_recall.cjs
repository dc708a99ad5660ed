"use strict";
// Opens GraphiQL at the address given, runs the example it opens with, and prints what was seen as JSON.

const { browse } = require("./browser.cjs");

const [address, screenshot] = process.argv.slice(2);
const DEADLINE = 30_000;

async function run(page) {
  await page.locator(".graphiql-tab-button", { hasText: /^Recall$/ }).waitFor({ timeout: DEADLINE });
  await page.locator(".graphiql-execute-button").click();
  const result = page.locator(".result-window .CodeMirror-code");
  await result.getByText("stateFlag").first().waitFor({ timeout: DEADLINE });
  return result.innerText();
}

async function use(page, seen) {
  await page.goto(address);
  seen.result = await run(page);
  await page.screenshot({ path: screenshot });
  // The page keeps its tabs a moment later; until then the next visit would be another first one.
  await page.waitForFunction(() => window.localStorage.getItem("graphiql:tabState") !== null);
  await page.reload();
  seen.again = await run(page);
  seen.tabs = await page.locator(".graphiql-tab-button").allInnerTexts();
}

browse(use);
