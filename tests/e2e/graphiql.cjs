"use strict";
// Opens GraphiQL at the address given, uses it as a person would, and prints what was seen as JSON.

const { browse } = require("./browser.cjs");

const [address, screenshot] = process.argv.slice(2);
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

browse(use);
