import assert from "node:assert/strict";
import { test } from "node:test";

import { Sequence } from "../../sessions_app/static/sessions_app/sequence.js";

test("frames are taken once and in order", () => {
  const sequence = new Sequence(4);
  const verdicts = [5, 6, 6, 5, 7].map((seq) => sequence.take(seq));
  assert.deepEqual(verdicts, ["new", "new", "known", "known", "new"]);
});

test("a hole is noticed until it is filled", () => {
  const sequence = new Sequence(4);
  const verdicts = [6, 7, 5, 6, 7].map((seq) => sequence.take(seq));
  assert.deepEqual(verdicts, ["gap", "gap", "new", "new", "new"]);
});

test("frames without a number are always new", () => {
  const sequence = new Sequence(4);
  assert.equal(sequence.take(null), "new");
  assert.equal(sequence.last, 4);
});

test("after a restart it counts from there", () => {
  const sequence = new Sequence(4);
  sequence.restart(90);
  assert.deepEqual([sequence.take(90), sequence.take(91)], ["known", "new"]);
});
