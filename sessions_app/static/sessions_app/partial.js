// The round that is streaming: its text and its reasoning, put together from deltas. Offsets count code points.

const empty = () => ({ text: "", length: 0 });

function codePoints(text) {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

export class Partial {
  constructor() {
    this.clear();
  }

  clear() {
    this.requestId = null;
    this.content = empty();
    this.thinking = empty();
  }

  // Take over what a snapshot says; null when nothing is streaming.
  restore(partial) {
    this.clear();
    if (!partial) return;
    this.requestId = partial.requestId;
    this.content = { text: partial.text, length: codePoints(partial.text) };
    this.thinking = { text: partial.thinking, length: codePoints(partial.thinking) };
  }

  // Add a delta to "content" or "thinking". False: something before it is missing, ask for a snapshot.
  add(kind, { delta, offset, requestId }) {
    if (requestId !== this.requestId) {
      if (offset !== 0) return false;
      this.clear();
      this.requestId = requestId;
    }
    const stream = this[kind];
    if (offset > stream.length) return false;
    const news = [...delta].slice(stream.length - offset);
    stream.text += news.join("");
    stream.length += news.length;
    return true;
  }

  get blank() {
    return !this.content.text && !this.thinking.text;
  }
}
