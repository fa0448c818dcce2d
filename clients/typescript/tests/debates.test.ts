// Whole debates, on a real server with scripted models: the one that AGON_URL and AGON_TOKEN name, which
// `scripts/check-clients` starts.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { test } from "node:test";

import {
  Agon,
  type Closed,
  DebateTimeoutError,
  type Event,
  type NewDebate,
  RefusedError,
  StoppedError,
  textOf,
} from "agon-client";
import { file } from "agon-client/files";

const MOTION = "This house would rest.";
const URL = process.env.AGON_URL ?? "";
const agon = new Agon(URL, { token: process.env.AGON_TOKEN ?? "" });
const WAIT = { timeoutMs: 30_000 };

let number = 0;
const newId = (name: string) => `${name}-ts-${process.pid}-${++number}`;
const short = (more: Partial<NewDebate> = {}): NewDebate => ({
  protocol: "exchange",
  motion: MOTION,
  rounds: 0,
  model: "scripted:willing.json",
  ...more,
});
const slow = short({ model: "scripted:slow.json" });

async function all(events: AsyncIterable<Event>): Promise<Event[]> {
  const found: Event[] = [];
  for await (const event of events) found.push(event);
  return found;
}

test("a debate ends with its outcome", async () => {
  const result = await agon.debate(short(), WAIT);
  assert.equal(result.outcome.name, "even");
  assert.equal(result.outcome.standing, "valid");
  assert.match(result.outcome.summary, /^The sides are even/);
  assert.ok(result.debate.closed);
  assert.match(await agon.transcript(result.id), /^# /);
  const files = (await agon.files(result.id)).map((line) => line.path);
  assert.ok(files.includes("arguments/prop_000a.md"));
  assert.ok(await agon.file(result.id, "arguments/prop_000a.md"));
  assert.ok((await agon.scores(result.id)).rulings.length > 0);
  const listed = (await agon.debates({ q: "rest" })).map((line) => line.id);
  assert.ok(listed.includes(result.id));
});

test("files of this machine become material", async () => {
  const folder = await mkdtemp(join(tmpdir(), "agon-"));
  try {
    const path = join(folder, "retry.rs");
    await writeFile(path, "fn next() -> u32 {\n    40 + 2\n}\n");
    const material = [await file(path), { path: "src/b.rs", text: "fn other() {}\n", seats: ["judge"] }];
    const result = await agon.debate(short({ material }), WAIT);
    const shown = new Map<string, string[]>();
    for await (const event of agon.events(result.id)) {
      if (event.kind === "opened") assert.ok(event.content.documents?.material);
      if (event.kind === "answered") {
        shown.set(event.content.key, (event.content.shown ?? []).map((passage) => passage.place));
      }
    }
    const places = (key: string, start: string) => shown.get(key)?.filter((place) => place.startsWith(start)).length;
    assert.equal(places("exchange-000/proposition", "retry.rs:"), 1);
    assert.equal(places("exchange-000/proposition", "src/b.rs:"), 0);
    assert.equal(places("exchange-000/judgment", "src/b.rs:"), 1);
    await writeFile(path, Buffer.from([0xff, 0xfe, 0x00]));
    await assert.rejects(file(path), TypeError);
    assert.equal(((await file("package.json")) as { path: string }).path, "package.json");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("events are typed and come once", async () => {
  const { id } = await agon.start(slow);
  const events = await all(agon.events(id));
  const entries = events.filter((event) => "hash" in event);
  assert.deepEqual(entries.map((entry) => entry.seq), [...entries.keys()]);
  const [first, last] = [entries[0], entries.at(-1)];
  assert.ok(first?.kind === "opened" && first.content.motion === MOTION);
  assert.ok(last?.kind === "closed" && last.content.outcome.name === "even");
  const asked = entries.flatMap((entry) => (entry.kind === "asked" ? [entry.content.key] : []));
  const answered = entries.flatMap((entry) => (entry.kind === "answered" ? [entry.content] : []));
  assert.deepEqual(answered.map((answer) => answer.key).sort(), asked.sort());
  for (const answer of answered) assert.match(textOf(answer) ?? "", /^\{/);
  assert.deepEqual(await all(agon.events(id, { after: last.seq - 2 })), entries.slice(-2));
  assert.deepEqual(await all(agon.events(id, { after: last.seq })), []);
});

test("a stopped debate says why, and continues after resume", async () => {
  const id = newId("stopped");
  await assert.rejects(agon.debate(short({ id, model: "scripted:failing.json" }), WAIT), (error) => {
    assert.ok(error instanceof StoppedError);
    assert.deepEqual([error.code, error.debate], ["provider", id]);
    assert.match(error.message, /unavailable/);
    assert.ok(error.remedy);
    return true;
  });
  // Also for who comes later: the server does not repeat the event.
  const last = (await all(agon.events(id))).at(-1);
  assert.ok(last?.kind === "stopped" && last.code === "provider");
  await agon.resume(id, { name: "Ada" });
  assert.equal((await agon.result(id, WAIT)).outcome.name, "even");
});

test("an extended debate continues behind its end", async () => {
  const first = await agon.debate(short(), WAIT);
  await agon.extend(first.id, { rounds: 1 });
  const second = await agon.result(first.id, WAIT);
  assert.ok(second.debate.entries > first.debate.entries);
  const kinds = (await all(agon.events(first.id))).map((event) => event.kind);
  assert.equal(kinds.filter((kind) => kind === "closed").length, 2);
  assert.equal(kinds.filter((kind) => kind === "extended").length, 1);
  assert.equal(kinds.at(-1), "closed" satisfies Closed["kind"]);
});

test("a debate that takes too long continues", async () => {
  const id = newId("slow");
  await assert.rejects(agon.debate({ ...slow, id }, { timeoutMs: 300 }), (error) => {
    assert.ok(error instanceof DebateTimeoutError);
    assert.deepEqual([error.code, error.debate], ["timeout", id]);
    return true;
  });
  assert.equal((await agon.result(id, WAIT)).outcome.standing, "valid");
});

test("a signal ends the waiting, not the debate", async () => {
  const { id } = await agon.start(slow);
  const stop = new AbortController();
  const waiting = agon.result(id, { signal: stop.signal });
  setTimeout(() => stop.abort(new Error("enough")), 200);
  await assert.rejects(waiting, /enough/);
  assert.equal((await agon.result(id, WAIT)).outcome.standing, "valid");
});

test("a stream that is left early closes its connection", async () => {
  const { id } = await agon.start(slow);
  for await (const event of agon.events(id)) {
    if (event.kind === "asked") break;
  }
  assert.equal((await agon.result(id, WAIT)).outcome.standing, "valid");
});

test("a cancelled debate has no result", async () => {
  const { id } = await agon.start(slow);
  await sleep(200);
  await agon.cancel(id, { name: "Ada", why: "enough" });
  const { outcome } = await agon.result(id, WAIT);
  assert.deepEqual([outcome.name, outcome.standing], ["CANCELLED", "void"]);
  assert.match(outcome.summary, /enough/);
});

test("a paused debate stops and continues", async () => {
  const { id } = await agon.start(slow);
  await sleep(200);
  await agon.pause(id, { name: "Ada", why: "lunch" });
  await assert.rejects(agon.result(id, WAIT), { name: "StoppedError", code: "paused", message: /lunch/ });
  await agon.resume(id, { name: "Ada" });
  assert.equal((await agon.result(id, WAIT)).outcome.standing, "valid");
});

test("a seat from outside is answered", async () => {
  const seat = "proposition";
  const { id } = await agon.start(short({ seats: { [seat]: "outside" } }));
  for (let tries = 0; tries < 50; tries++) {
    if ((await agon.requests(id)).some((open) => open.outside)) break;
    await sleep(100);
  }
  const prompt = await agon.prompt(id, seat);
  assert.ok(prompt.messages.some((message) => message.text.includes(MOTION)));
  const { token } = await agon.claim(id, seat, { holder: "Ada" });
  await agon.refresh(id, seat, { token, seconds: 60 });
  await assert.rejects(agon.claim(id, seat, { holder: "Eve" }), { code: "held", status: 409 });
  await assert.rejects(agon.answer(id, seat, { token, text: "" }), { code: "unusable", status: 422 });
  const argument = (title: string) => ({
    title,
    claim: `${title} makes the house able to work on the next day.`,
    grounds: [{ source: "reasoning", content: `${title} restores.`, relevance: "Work needs it." }],
    warrant: `Without ${title}, work fails.`,
  });
  const text = JSON.stringify({ stance: "for", arguments: ["Rest", "Sleep", "Calm"].map(argument) });
  const receipt = await agon.answer(id, seat, { token, text });
  assert.equal(receipt.key, prompt.key);
  // Twice by accident is once.
  assert.deepEqual(await agon.answer(id, seat, { token, text, key: prompt.key }), receipt);
  await agon.cancel(id, { name: "Ada" });
});

test("a refusal has a code and a remedy", async () => {
  await assert.rejects(agon.get("nope"), (error) => {
    assert.ok(error instanceof RefusedError);
    assert.deepEqual([error.code, error.status], ["no_such_debate", 404]);
    assert.match(error.message, /nope/);
    assert.ok(error.remedy);
    return true;
  });
  await assert.rejects(agon.start(short({ protocol: "nope" })), { name: "RefusedError", status: 422 });
  await assert.rejects(all(agon.events("nope")), { name: "RefusedError", status: 404 });
  await assert.rejects(new Agon(URL, { token: "wrong" }).debates(), { code: "token_needed", status: 401 });
});

test("a plan starts nothing", async () => {
  const id = newId("planned");
  assert.ok(await agon.plan(short({ id })));
  await assert.rejects(agon.get(id), { code: "no_such_debate" });
});

test("every character arrives", async () => {
  // Separators that some readers of lines take for the end of a line.
  const motion = "This house\u2028would\u2029rest\x85\u000b, \u201cnow\u201d \u{1f642}.";
  const { id } = await agon.debate(short({ motion }), WAIT);
  const [first] = await all(agon.events(id));
  assert.ok(first?.kind === "opened" && first.content.motion === motion);
});
