// Lost connections, repeated calls and strange answers, with a `fetch` that misbehaves.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Agon, type Event } from "agon-client";

type Answer = (path: string, init: RequestInit) => Response;

const client = (answer: Answer, token?: string) =>
  new Agon("http://agon.test", {
    ...(token ? { token } : {}),
    fetch: async (url, init) => answer(String(url).replace("http://agon.test", ""), init ?? {}),
  });

const json = (value: unknown, status = 200) => new Response(JSON.stringify(value), { status });

function entry(seq: number, what: Record<string, unknown>): string {
  const data = { seq, at: "2026-01-31T09:30:00.000Z", what, prev: "0", hash: "1" };
  return `id: ${seq}\nevent: entry\ndata: ${JSON.stringify(data)}\n\n`;
}

const ruled = (seq: number) => entry(seq, { ruled: { key: `k-${seq}`, ruling: { kind: "noted", text: "x" } } });
const CLOSED = { closed: { outcome: { name: "even", standing: "valid", summary: "Even." } } };

/** Answers each connection to the event stream with the next of these bodies. */
class Server {
  readonly lastIds: (string | null)[] = [];
  readonly #streams: string[];
  /** What it says of the debate, one after the other; the last stays. */
  readonly #states: Record<string, unknown>[];

  constructor(streams: string[], ...states: Record<string, unknown>[]) {
    this.#streams = streams;
    this.#states = states;
  }

  readonly answer: Answer = (path, init) => {
    if (!path.endsWith("/events")) return json(this.#states.length > 1 ? this.#states.shift() : this.#states[0]);
    this.lastIds.push(new Headers(init.headers).get("last-event-id"));
    const body = this.#streams.shift();
    return body === undefined ? new Response("starting", { status: 503 }) : new Response(`retry: 1\n\n${body}`);
  };

  async events(): Promise<Event[]> {
    const found: Event[] = [];
    for await (const event of client(this.answer).events("a")) found.push(event);
    return found;
  }
}

test("after a lost connection, each entry still comes once", async () => {
  const streams = [ruled(0) + ruled(1), ruled(1) + ruled(2), entry(3, CLOSED)];
  const server = new Server(streams, { entries: 4, closed: true });
  const events = await server.events();
  assert.deepEqual(events.map((event) => "seq" in event && event.seq), [0, 1, 2, 3]);
  assert.equal(events.at(-1)?.kind, "closed");
  assert.deepEqual(server.lastIds, [null, "1", "2"]);
});

test("a server that stays away ends the events with an error", async () => {
  const server = new Server([ruled(0)], { entries: 9, closed: false });
  await assert.rejects(server.events(), { name: "RefusedError", status: 503 });
  // The one that worked, and the five new ones that are allowed.
  assert.deepEqual(server.lastIds, [null, "0", "0", "0", "0", "0"]);
});

test("a result is waited for where the server goes away at once", async () => {
  let asked = 0;
  const result = await client(() => {
    asked += 1;
    // After the first answer it is away for longer than one call is repeated.
    if (asked > 1 && asked < 6) throw new TypeError("away");
    const closed = asked > 1;
    return json({ entries: 4, closed, outcome: { name: "even", standing: "valid" } });
  }).result("a");
  assert.equal(result.outcome.name, "even");
});

test("entries behind stopped come before it", async () => {
  const stopped = { code: "provider", message: "gone", remedy: "resume" };
  const said = `event: stopped\ndata: ${JSON.stringify({ error: stopped })}\n\n`;
  const body = `${ruled(0)}${said}${ruled(1)}: still here\n\n`;
  const events = await new Server([body], { entries: 2, closed: false, stopped }).events();
  assert.deepEqual(events.map((event) => event.kind), ["ruled", "ruled", "stopped"]);
});

test("a heartbeat shows an end that was missed", async () => {
  const stopped = { code: "provider", message: "gone", remedy: "resume" };
  const body = `${ruled(0)}: still here\n\nevent: notice\ndata: {"text": "never read"}\n\n`;
  const state = { entries: 1, closed: false };
  const events = await new Server([body], state, { ...state, stopped }).events();
  assert.deepEqual(events.map((event) => event.kind), ["ruled", "stopped"]);
});

test("an old end is not the end", async () => {
  const extended = entry(2, { extended: { limits: { rounds: 1 } } });
  const body = ruled(0) + entry(1, CLOSED) + extended + entry(3, CLOSED);
  const events = await new Server([body], { entries: 4, closed: true }).events();
  assert.deepEqual(events.map((event) => event.kind), ["ruled", "closed", "extended", "closed"]);
});

test("kinds of a newer server do not end the events", async () => {
  const delta = { key: "k", seat: "judge", attempt: 0, begins: true, text: "I" };
  const body =
    entry(0, { renamed: { to: "x" } }) +
    'event: later\r\ndata: {"x":\ndata: 1}\n\n' +
    `event: delta\ndata: ${JSON.stringify(delta)}\n\n` +
    'event: notice\ndata: {"text": "again"}\n\n' +
    entry(1, CLOSED);
  const events = await new Server([body], { entries: 2, closed: true }).events();
  assert.deepEqual(events.slice(0, 4), [
    { kind: "unknown", name: "renamed", data: { to: "x" }, seq: 0 },
    { kind: "unknown", name: "later", data: { x: 1 } },
    { kind: "delta", ...delta },
    { kind: "notice", text: "again" },
  ]);
  assert.equal(events.at(-1)?.kind, "closed");
});

test("events are read in any pieces", async () => {
  const bytes = new TextEncoder().encode(`${entry(0, { later: { text: "\u2028ä🙂" } })}${entry(1, CLOSED)}`);
  const answer: Answer = (path) => {
    if (!path.endsWith("/events")) return json({ entries: 2, closed: true });
    const start = (stream: ReadableStreamDefaultController<Uint8Array>) => {
      for (const byte of bytes) stream.enqueue(Uint8Array.of(byte));
      stream.close();
    };
    return new Response(new ReadableStream({ start }));
  };
  const events: Event[] = [];
  for await (const event of client(answer).events("a")) events.push(event);
  assert.deepEqual(events[0], { kind: "unknown", name: "later", data: { text: "\u2028ä🙂" }, seq: 0 });
  assert.equal(events.length, 2);
});

test("only calls that act once are repeated", async () => {
  let calls = 0;
  const agon = client(() => {
    calls += 1;
    if (calls % 3) throw new TypeError("fetch failed");
    return json({});
  });
  await agon.get("a");
  await agon.plan({ protocol: "exchange", motion: "x" });
  await agon.answer("a", "judge", { token: "t", text: "x", key: "k" });
  await agon.refresh("a", "judge", { token: "t" });
  assert.equal(calls, 12);
  const acts = [
    () => agon.start({ protocol: "exchange", motion: "x" }),
    () => agon.resume("a", { name: "Ada" }),
    () => agon.extend("a", { rounds: 1 }),
    () => agon.cancel("a", { name: "Ada" }),
    () => agon.claim("a", "judge", { holder: "Ada" }),
    () => agon.answer("a", "judge", { token: "t", text: "x" }),
    () => agon.interject("a", { name: "Ada", text: "x" }),
  ];
  for (const act of acts) {
    calls = 0;
    await assert.rejects(act(), { name: "UnreachableError", code: "unreachable" });
    assert.equal(calls, 1);
  }
});

test("an answer names the request that was shown", async () => {
  const sent: unknown[] = [];
  const agon = client((path, init) => {
    if (path.endsWith("/requests")) return json([{ request: { key: "one", seat: "judge" } }]);
    if (path.endsWith("/prompt")) return json({ key: "two", messages: [] });
    sent.push(JSON.parse(String(init.body)).key);
    return json({ key: "k", seq: 1, digest: "d" });
  });
  const words = { token: "t", text: "x" };
  await agon.answer("a", "judge", words);
  await agon.requests("a");
  await agon.answer("a", "judge", words);
  await agon.prompt("a", "judge");
  await agon.answer("a", "judge", words);
  await agon.answer("a", "judge", { ...words, key: "three" });
  await agon.answer("a", "judge", words);
  assert.deepEqual(sent, [undefined, "one", "two", "three", undefined]);
});

test("an answer that agon did not write is an error too", async () => {
  const proxy = client(() => new Response("<h1>Bad gateway</h1>", { status: 502 }));
  await assert.rejects(proxy.debates(), { name: "RefusedError", code: "status", status: 502 });
  await assert.rejects(client(() => new Response("<h1>Welcome</h1>")).debates(), { code: "status", message: /JSON/ });
});

test("a name stays one segment of the path", async () => {
  const paths: string[] = [];
  const agon = client((path) => {
    paths.push(path);
    return json({});
  });
  await agon.get("../plans?x#y");
  await agon.file("a", "arguments/prop 1.md");
  assert.deepEqual(paths, ["/api/v1/debates/..%2Fplans%3Fx%23y", "/api/v1/debates/a/files/arguments/prop%201.md"]);
  for (const name of ["", ".", ".."]) await assert.rejects(async () => agon.get(name), { code: "malformed" });
  assert.equal(paths.length, 2);
});

test("the token goes to the server alone", async () => {
  const seen: unknown[] = [];
  const agon = client((_, init) => {
    seen.push([new Headers(init.headers).get("authorization"), init.redirect]);
    return new Response(null, { status: 307, headers: { location: "http://elsewhere.test/" } });
  }, "secret");
  await assert.rejects(agon.debates(), { name: "RefusedError", status: 307 });
  assert.deepEqual(seen, [["Bearer secret", "manual"]]);
});

test("every route of the document has a method", async () => {
  const called = new Set<string>();
  const agon = client((path, init) => {
    called.add(`${(init.method ?? "GET").toLowerCase()} ${decodeURIComponent(path)}`);
    return json(path.endsWith("/requests") ? [] : {});
  });
  const [id, seat, token] = ["{id}", "{seat}", { token: "t" }];
  await agon.debates();
  await agon.start({ protocol: "exchange", motion: "x" });
  await agon.plan({ protocol: "exchange", motion: "x" });
  for (const read of ["get", "entries", "scores", "transcript", "files", "requests"] as const) await agon[read](id);
  await agon.file(id, "{path}");
  await agon.prompt(id, seat);
  await agon.claim(id, seat, { holder: "Ada" });
  await agon.refresh(id, seat, token);
  await agon.release(id, seat, token);
  await agon.lookUp(id, seat, { tool: "search", object: "x" });
  await agon.answer(id, seat, { ...token, text: "x" });
  await agon.interject(id, { name: "Ada", text: "x" });
  await agon.pause(id, { name: "Ada" });
  await agon.cancel(id, { name: "Ada" });
  await agon.resume(id, { name: "Ada" });
  await agon.extend(id, { rounds: 1 });
  await agon.protocols();
  await agon.document();
  const real = new Agon(process.env.AGON_URL ?? "", { token: process.env.AGON_TOKEN ?? "" });
  const paths = (await real.document()).paths as Record<string, Record<string, unknown>>;
  const routes = Object.entries(paths).flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`));
  // The tests above open the event stream.
  const expected = routes.filter((route) => route !== "get /api/v1/debates/{id}/events");
  assert.deepEqual([...called].sort(), expected.sort());
  assert.equal(expected.length, routes.length - 1);
});

test("an event of many lines has the limit of one event", async () => {
  const line = new TextEncoder().encode(`data: ${"x".repeat(1 << 20)}\n`);
  const body = () =>
    new ReadableStream({
      start(pieces) {
        for (let count = 0; count < 40; count += 1) pieces.enqueue(line);
        pieces.close();
      },
    });
  const agon = client((path) => (path.endsWith("/events") ? new Response(body()) : json({ closed: false, entries: 1 })));
  const follow = async () => {
    for await (const _ of agon.events("d1"));
  };
  await assert.rejects(follow(), { code: "too_large" });
});
