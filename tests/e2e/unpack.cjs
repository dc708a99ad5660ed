"use strict";
// Unpacks headless Chromium, its fonts and the few libraries a bare machine lacks into TMPDIR.

const fs = require("node:fs");
const path = require("node:path");
const { inflate } = require("@sparticuz/chromium");

// The configuration that comes with the fonts looks for them in folders of another kind of machine.
const FONTS = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir prefix="relative">fonts</dir></fontconfig>
`;

async function main() {
  const packed = path.join(path.dirname(require.resolve("@sparticuz/chromium")), "..", "bin");
  for (const name of ["chromium.br", "fonts.tar.br", "al2023.tar.br"]) await inflate(path.join(packed, name));
  fs.writeFileSync(path.join(process.env.TMPDIR, "fonts.conf"), FONTS);
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
