import assert from "node:assert/strict";
import { test } from "node:test";

import { Partial } from "../../sessions_app/static/sessions_app/partial.js";

const delta = (text, offset, requestId = 7) => ({ delta: text, offset, requestId });

test("deltas add up to the text", () => {
  const partial = new Partial();
  assert.ok(partial.add("content", delta("Hel", 0)));
  assert.ok(partial.add("content", delta("lo", 3)));
  assert.ok(partial.add("thinking", delta("hm", 0)));
  assert.deepEqual([partial.content.text, partial.thinking.text], ["Hello", "hm"]);
});

test("offsets count code points", () => {
  const partial = new Partial();
  partial.add("content", delta("👩x", 0));
  assert.ok(partial.add("content", delta("y", 2)));
  assert.equal(partial.content.text, "👩xy");
});

test("what came twice is taken once", () => {
  const partial = new Partial();
  partial.restore({ requestId: 7, text: "Hello", thinking: "", toolCalls: [] });
  assert.ok(partial.add("content", delta("lo wo", 3)));
  assert.ok(partial.add("content", delta("Hel", 0)));
  assert.equal(partial.content.text, "Hello wo");
});

test("a missing piece is noticed and changes nothing", () => {
  const partial = new Partial();
  partial.add("content", delta("Hel", 0));
  assert.equal(partial.add("content", delta("!", 9)), false);
  assert.equal(partial.add("content", delta("x", 4, 8)), false);
  assert.equal(partial.content.text, "Hel");
});

test("the next request begins anew", () => {
  const partial = new Partial();
  partial.add("content", delta("old", 0));
  partial.add("thinking", delta("new", 0, 8));
  assert.deepEqual([partial.requestId, partial.content.text, partial.thinking.text], [8, "", "new"]);
});

test("a snapshot without a partial empties it", () => {
  const partial = new Partial();
  partial.add("content", delta("old", 0));
  partial.restore(null);
  assert.ok(partial.blank);
});

test("any split of a text gives the text, whatever arrives again", () => {
  const text = "a👩‍👩‍👧b中文c\u0301d".repeat(5);
  const points = [...text];
  for (let step = 1; step < 9; step += 1) {
    const partial = new Partial();
    for (let at = 0; at < points.length; at += step) {
      const from = Math.max(0, at - (step % 3));
      assert.ok(partial.add("content", delta(points.slice(from, at + step).join(""), from)));
    }
    assert.equal(partial.content.text, text);
  }
});
