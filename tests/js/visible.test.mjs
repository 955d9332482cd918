import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { visible } from "../../sessions_app/static/sessions_app/visible.js";

const cases = JSON.parse(readFileSync(new URL("../cases/visible.json", import.meta.url)));

for (const { text, shown } of cases) {
  test(`it shows ${JSON.stringify(text).slice(0, 30)} as the server does`, () => {
    assert.equal(visible(text), shown);
  });
}
