"use strict";
// A browser for the scripts beside this one: it reaches this machine alone and tells what it complained of.

const path = require("node:path");
const { chromium } = require("playwright-core");

const unpacked = process.env.CHROMIUM_FOLDER;

// Runs `use(page, seen)` on a new page and prints what was seen as JSON.
// Requests that leave this machine are refused and listed.
async function browse(use) {
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

exports.browse = (use) =>
  browse(use).catch((error) => {
    console.error(error);
    process.exitCode = 1;
  });
