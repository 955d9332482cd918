// Keeps a websocket to one session: connects, resumes after the last frame, reconnects with growing pauses.

import { Sequence } from "./sequence.js";

const PAUSES_MS = [300, 1000, 2000, 5000, 10000];
const PING_MS = 25000;
const FINAL = new Set([4401, 4403, 4404]);

export class SessionSocket {
  // `onFrame(frame)` gets each stored frame once, and every other frame; `onState` "open", "lost" or "closed".
  constructor({ url, seq, onFrame, onState }) {
    Object.assign(this, { url, onFrame, onState });
    this.sequence = new Sequence(seq);
    this.failures = 0;
  }

  connect() {
    const socket = new WebSocket(this.url);
    this.socket = socket;
    socket.addEventListener("open", () => this.resume());
    socket.addEventListener("message", (event) => this.#receive(JSON.parse(event.data)));
    socket.addEventListener("close", (event) => this.#closed(event.code));
    clearInterval(this.pinging);
    this.pinging = setInterval(() => this.#send({ type: "ping" }), PING_MS);
  }

  // Ask for the state of now and every stored frame after the last one taken.
  resume() {
    this.asked = true;
    this.#send({ type: "subscribe", data: { after: this.sequence.last } });
  }

  #send(frame) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(frame));
  }

  #receive(frame) {
    if (frame.type === "session_snapshot") {
      this.asked = false;
      this.failures = 0;
      if (frame.data.reset) this.sequence.restart(frame.data.seq);
      this.onState("open");
    }
    const verdict = this.sequence.take(frame.seq);
    if (verdict === "new") this.onFrame(frame);
    if (verdict === "gap" && !this.asked) this.resume();
  }

  #closed(code) {
    clearInterval(this.pinging);
    if (FINAL.has(code)) {
      this.onState("closed");
      return;
    }
    this.onState("lost");
    const pause = PAUSES_MS[Math.min(this.failures, PAUSES_MS.length - 1)];
    this.failures += 1;
    setTimeout(() => this.connect(), pause);
  }
}
