import assert from "node:assert/strict";
import { test } from "node:test";

import { Updates } from "../../sessions_app/static/sessions_app/updates.js";

function server(...answers) {
  const asked = { loads: 0, applied: [] };
  const updates = new Updates({
    seq: 0,
    spacing: 1,
    retry: [1],
    async load() {
      const answer = answers[Math.min(asked.loads, answers.length - 1)];
      asked.loads += 1;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    apply: (update) => asked.applied.push(update.seq),
  });
  return { updates, asked };
}

test("many reasons at once make one request", async () => {
  const { updates, asked } = server({ seq: 3 });
  await Promise.all([updates.ask(1), updates.ask(2), updates.ask(3)]);
  assert.deepEqual([asked.loads, asked.applied], [1, [3]]);
});

test("what is shown already is not asked for", async () => {
  const { updates, asked } = server({ seq: 3 });
  await updates.ask(3);
  await updates.ask(2);
  assert.equal(asked.loads, 1);
});

test("it goes on while there is more", async () => {
  const { updates, asked } = server({ seq: 9, later: true }, { seq: 9, later: false });
  await updates.ask(9);
  assert.deepEqual([asked.loads, asked.applied], [2, [9, 9]]);
});

test("a failure is tried again", async () => {
  const { updates, asked } = server(new Error("away"), { seq: 1 });
  await updates.ask(1);
  assert.deepEqual([asked.loads, asked.applied], [2, [1]]);
});

test("a final failure ends it", async () => {
  const { updates, asked } = server(Object.assign(new Error("gone"), { final: true }));
  await updates.ask(1);
  assert.deepEqual([asked.loads, asked.applied], [1, []]);
});
