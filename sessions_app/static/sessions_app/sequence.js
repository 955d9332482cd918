// Stored frames rise by one. Each is taken once and in order; a hole is noticed, and asked for.

export class Sequence {
  constructor(last) {
    this.last = last;
  }

  // "new", "known" (seen before) or "gap" (something between is missing). Frames without a number are new.
  take(seq) {
    if (seq === null) return "new";
    if (seq <= this.last) return "known";
    if (seq > this.last + 1) return "gap";
    this.last = seq;
    return "new";
  }

  restart(seq) {
    this.last = seq;
  }
}
