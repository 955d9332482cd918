// Puts the session page together: frames come in, the server's parts go out onto the page.

import { Compaction } from "./compaction.js";
import "./chart.js";
import { Composer } from "./composer.js";
import { Conversation } from "./conversation.js";
import { Copying } from "./copy.js";
import { Inspector } from "./inspector.js";
import { Lazy } from "./lazy.js";
import { Links } from "./links.js";
import { Order } from "./order.js";
import { Partial } from "./partial.js";
import { Proposals } from "./proposals.js";
import { Rest } from "./rest.js";
import { SessionSocket } from "./socket.js";
import { Updates } from "./updates.js";

const QUIET = new Set(["tool_call_start", "message_end"]); // followed by a frame that shows the same
const GRACE_MS = 1000; // a connection lost for less is not worth a word
const DELTAS = { content_delta: "content", thinking_delta: "thinking" };
const ACTIVE = new Set(["RUNNING", "WAITING_APPROVAL"]);

const find = (id) => document.getElementById(id);
const texts = JSON.parse(find("texts").textContent);
const root = find("conversation");
const { sessionId, seq, parts } = root.dataset;
const api = `/v1/sessions/${sessionId}`;
const rest = new Rest(texts);
const partial = new Partial();
let endedAt = null; // the frame that ended the run: what streamed is void once its state is shown

function onTrouble(message) {
  find("trouble").textContent = message;
  find("trouble").hidden = !message;
}

const conversation = new Conversation({
  root,
  scroll: find("scroll"),
  down: find("down"),
  template: find("stream"),
  call: find("call"),
  rest,
  onTrouble,
});
new Copying({ root, api, rest, texts, onTrouble });
const order = new Order({ root: document.body, onChange: () => updates.ask() });
new Proposals({ root, rest, sessionId, onTrouble });
const inspector = new Inspector({ body: document.body, api, rest, onTrouble, onChange: () => updates.ask() });
const composer = new Composer({
  form: find("composer"),
  api,
  rest,
  onTrouble,
  onSent: () => conversation.toEnd(),
});
composer.phase = inspector.phase;
const lazy = new Lazy({ root: document.body, rest, scroll: find("scroll"), onTrouble });
new Links({ root, conversation, lazy, onTrouble });
const compaction = new Compaction({ body: document.body, api, rest, stop: find("cancel"), onChange: () => updates.ask() });

const updates = new Updates({
  seq: Number(seq),
  load: () => rest.json(`${parts}?after=${conversation.last}${order.query}&boundary=${conversation.boundary}`),
  apply(update) {
    if (endedAt !== null && update.seq >= endedAt && !update.later) partial.clear();
    conversation.apply(update, partial);
    inspector.apply(update.parts);
    composer.phase = inspector.phase;
    compaction.apply();
    find("title").textContent = update.title;
    document.title = `${update.title} · Vitrine`;
  },
});

let drawing = 0;
function draw() {
  cancelAnimationFrame(drawing);
  drawing = requestAnimationFrame(() => conversation.stream(partial));
}

const handlers = {
  session_snapshot({ data }) {
    partial.restore(data.partial);
    endedAt = ACTIVE.has(data.phase) ? null : data.seq;
    updates.ask(data.seq);
    draw();
  },
  session_status({ seq: number, data }) {
    composer.phase = data.phase;
    endedAt = ACTIVE.has(data.phase) ? null : number;
  },
  assistant_message_saved({ data }) {
    conversation.answered(data.requestId, data.messageId, partial);
  },
  tool_call_start({ seq: number, data }) {
    conversation.called(data, number);
  },
  llm_retry() {
    partial.clear();
    draw();
  },
  error({ seq: number, data }) {
    if (number === null) onTrouble(data.message);
  },
};

function onFrame(frame) {
  const kind = DELTAS[frame.type];
  if (kind) {
    if (partial.add(kind, frame.data)) draw();
    else socket.resume();
    return;
  }
  handlers[frame.type]?.(frame);
  if (frame.seq !== null && !QUIET.has(frame.type)) updates.ask(frame.seq);
}

let grace = null;
function onState(state) {
  const pill = find("connection");
  const say = (text) => {
    pill.textContent = text;
    pill.hidden = !text;
  };
  if (state === "lost") {
    grace ??= setTimeout(() => say(texts.reconnecting), GRACE_MS);
    return;
  }
  clearTimeout(grace);
  grace = null;
  say(state === "open" ? "" : texts.signedOut);
}

const scheme = location.protocol === "https:" ? "wss:" : "ws:";
const socket = new SessionSocket({
  url: `${scheme}//${location.host}/ws/sessions/${sessionId}`,
  seq: Number(seq),
  onFrame,
  onState,
});
socket.connect();
