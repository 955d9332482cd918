// Requests to the own server. Errors carry a text for people, and `final` when asking again is useless.

export class Refused extends Error {
  constructor(message, { status = 0, final = false } = {}) {
    super(message);
    this.status = status;
    this.final = final;
  }
}

const token = () => document.querySelector("input[name=csrfmiddlewaretoken]").value;

async function send(method, url, texts, data) {
  const options = { method, headers: { Accept: "application/json" }, credentials: "same-origin" };
  if (data !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(data);
  }
  if (method !== "GET") options.headers["X-CSRFToken"] = token();
  let response;
  try {
    response = await fetch(url, options);
  } catch {
    throw new Refused(texts.unreachable);
  }
  if (response.redirected) throw new Refused(texts.signedOut, { final: true });
  if (response.ok) return response;
  throw new Refused(await reason(response, texts), {
    status: response.status,
    final: [401, 403, 404].includes(response.status),
  });
}

// What the server said: `detail`, or the messages of each field.
async function reason(response, texts) {
  if (response.status === 401) return texts.signedOut;
  try {
    const { code, detail, ...fields } = await response.json();
    return texts[code] ?? detail ?? Object.values(fields).flat().join(" ");
  } catch {
    return `${texts.failed} (${response.status})`;
  }
}

export class Rest {
  constructor(texts) {
    this.texts = texts;
  }

  async json(url) {
    return (await send("GET", url, this.texts)).json();
  }

  async text(url) {
    return (await send("GET", url, this.texts)).text();
  }

  async post(url, data) {
    await send("POST", url, this.texts, data);
  }

  async patch(url, data) {
    await send("PATCH", url, this.texts, data);
  }
}
