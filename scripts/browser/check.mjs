// The checks, one after the other, in one server. Usage: see scripts/check-browser.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { findBarriers, house, until } from "./house.mjs";

const args = process.argv.slice(2);
const pictures = args.includes("--pictures") ? args[args.indexOf("--pictures") + 1] : null;
const local = args.includes("--local");
const began = Date.now();
const home = await house();

// Each check goes on where the one before stopped, so the first that fails ends it.
async function check(name, run) {
  try {
    await run();
    console.log(`ok    ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  } catch (error) {
    console.log(`FAIL  ${name}\n      ${String(error.stack).split("\n").slice(0, 12).join("\n      ")}`);
    for (const open of home.browser.contexts().flatMap((context) => context.pages()))
      console.log(`      ${open.url()} ${await open.locator(".complaint, h1").allTextContents().catch(() => "")}`);
    await home.end();
    process.exit(1);
  }
}

async function picture(page, name, options = {}) {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`), ...options });
}

// Words that no two fields share, since a copy is no argument.
const stock = "paper river window market winter letter garden engine harbour teacher copper orchard signal bridge lantern meadow".split(" ");
const some = (count) => Array.from({ length: count }, () => stock[Math.floor(Math.random() * stock.length)] + Math.floor(Math.random() * 1000)).join(" ");

// Fills every field of a form that is in sight, as its kind wants it.
async function fill(form, words) {
  let group = 0;
  for (const field of await form.locator("select, input:not([type=hidden]), textarea").all()) {
    if (!(await field.isVisible())) continue;
    const [tag, mode, name] = await field.evaluate((one) => [one.tagName, one.inputMode, one.name]);
    if (tag === "SELECT") {
      const options = await field.locator("option").all();
      await field.selectOption({ index: Math.min(1 + group++, options.length - 1) });
    } else if (mode === "decimal") await field.fill("0");
    else if (name === "holder") await field.fill("Ada");
    else {
      const most = Number((await field.getAttribute("maxlength")) ?? 390);
      await field.fill(`${some(12)} ${typeof words === "function" ? words() : words} ${name.replace(/\W+/g, " ")}`.slice(0, Math.min(most, 390)));
    }
  }
}

// Waits for an address; where another page comes, its complaint is the error.
async function arrived(page, address) {
  await until("the next page", async () => address.test(page.url()), 15).catch(async (error) => {
    throw new Error(`${error.message}: ${page.url()} ${await page.locator(".complaint, h1").allTextContents()}`);
  });
}

const MOTION = "This house would open the library on Sundays.";
const page = await home.page();
let exchange;

await check("the link becomes a cookie and an address without the token", async () => {
  await page.goto(home.link);
  assert.equal(page.url(), `${home.origin}/`);
  const [cookie] = await page.context().cookies();
  assert.deepEqual([cookie.httpOnly, cookie.sameSite], [true, "Strict"]);
  assert.notEqual(cookie.value, home.token);
});

await check("a debate is started from the form, and its text is seen while it is written", async () => {
  await page.getByRole("button", { name: "duel", exact: true }).click();
  const file = { name: "plan.md", mimeType: "text/markdown", buffer: Buffer.from(MOTION) };
  await page.getByLabel("Take a file").first().setInputFiles(file);
  await until("the file is taken", async () => await page.locator("#start-motion").inputValue() === MOTION);
  await page.getByRole("button", { name: "exchange", exact: true }).click();
  assert.equal(await page.getByLabel("Motion", { exact: true }).inputValue(), MOTION);
  await page.locator("#start-rounds").fill("0");
  await page.getByText("Seats and limits").click();
  await page.getByLabel(/^Judge/).first().fill("human");
  const before = (await home.api("/debates")).value.length;
  await page.getByRole("button", { name: "Show the cost" }).click();
  assert.match(await page.locator(".plan").textContent(), /\d+ calls/);
  assert.equal(await page.getByLabel(/^Judge/).first().inputValue(), "human");
  assert.equal((await home.api("/debates")).value.length, before);
  await page.locator("#start-rounds").press("Enter");
  await page.waitForURL(/\/debates\/[a-z0-9-]+$/);
  exchange = page.url().split("/").pop();
  const writing = page.locator("article[data-state=awaited] .words.writing").first();
  await writing.waitFor();
  const first = (await writing.textContent()).length;
  await until("more of it", async () => (await writing.textContent().catch(() => "x".repeat(1e6))).length > first);
  await page.locator("article[data-state=said]").nth(1).waitFor();
});

await check("a connection that breaks is shown, and everything is there when it is back", async () => {
  home.wire.cut();
  await page.locator("body.away").waitFor();
  home.wire.mend();
  await until("it is back", () => page.evaluate(() => !document.body.classList.contains("away")));
  assert.equal(await page.locator("article[data-state=said]").count(), 2);
});

await check("a person answers for a seat, is told what is wrong, and loses nothing", async () => {
  const form = page.locator("section.asked form");
  await form.waitFor();
  await form.getByLabel("Your name").fill("Ada");
  await form.getByRole("button", { name: /Answer for/ }).click();
  await page.getByRole("alert").waitFor();
  assert.match(await page.title(), /^Error: /);
  // The reader is where it says what is wrong.
  await page.waitForFunction(() => document.activeElement.matches("[role=alert]"));
  assert.equal(await form.getByLabel("Your name").inputValue(), "Ada");
  await fill(form, "A reason of a person:");
  await form.getByRole("button", { name: /Answer for/ }).dblclick();
  await page.locator("#result .verdict").waitFor({ timeout: 40_000 });
  const { value } = await home.api(`/debates/${exchange}`);
  assert.ok(value.seats.find((seat) => seat.seat === "judge").answered.includes("outside:Ada"), JSON.stringify(value.seats));
  assert.equal(page.faults.join(), "");
});

if (pictures) {
  const list = await home.page({ storageState: await page.context().storageState() });
  await list.goto(home.origin);
  await picture(list, "serve-list");
  await list.context().close();
}

await check("an open form is left alone while the debate goes on", async () => {
  const { value } = await home.api("/debates", { protocol: "exchange", motion: MOTION, rounds: 0, seats: { proposition: "outside" } });
  const other = await home.page({ storageState: await page.context().storageState() });
  await other.goto(`${home.origin}/debates/${value.id}`);
  const prompt = other.locator("section.asked details.raw");
  await prompt.locator("summary").click();
  const name = other.locator("section.asked").getByLabel("Your name");
  await name.fill("Bob");
  // What is asked in parallel with a person is told, and not shown.
  const apart = "it is shown when all have answered";
  await until("the other seat's answer is told", async () => (await other.locator("article").nth(1).textContent()).includes(apart));
  assert.equal(await name.inputValue(), "Bob");
  // What another page does is seen here.
  const second = await home.page({ storageState: await page.context().storageState() });
  await second.goto(`${home.origin}/debates/${value.id}`);
  await second.locator("details.acts summary").click();
  for (const [act, state] of [["Pause", "paused"], ["Continue", "under way"]]) {
    await second.locator("#acts-name").fill("Bob");
    await second.getByRole("button", { name: act }).click();
    await second.locator("#state").getByText(state, { exact: true }).waitFor();
    await other.locator("#state").getByText(state, { exact: true }).waitFor();
    assert.equal(await name.inputValue(), "Bob");
    assert.equal(await prompt.getAttribute("open"), "");
  }
  await second.context().close();
  await other.locator("details.acts summary").click();
  await other.locator("#acts-name").fill("Bob");
  await other.getByRole("button", { name: "Cancel the debate" }).click();
  await other.locator("#result .verdict", { hasText: "Cancelled" }).waitFor();
  assert.equal(other.faults.join(), "");
  await other.context().close();
});

await check("pages are read, and a debate started and answered, without JavaScript", async () => {
  const plain = await home.page({ javaScriptEnabled: false });
  await plain.goto(home.link);
  await plain.locator(`a[href="/debates/${exchange}"]`).click();
  assert.equal(await plain.locator("article[data-state=said]").count(), 4);
  assert.ok(await plain.locator("#result .verdict").textContent());
  await plain.goto(home.origin);
  await plain.getByLabel("Motion", { exact: true }).fill("This house would read on paper.");
  await plain.locator("#start-model").fill("outside");
  await plain.getByRole("button", { name: "Start" }).click();
  await arrived(plain, /\/debates\/./);
  const form = plain.locator("section.asked form").first();
  await fill(form, "Paper is patient:");
  await form.getByRole("button", { name: /Answer for/ }).click();
  await arrived(plain, /#asked$/);
  assert.equal(await plain.locator("article[data-state=said]").count(), 1);
  await plain.context().close();
});

await check("what others wrote stays text", async () => {
  const evil = `<img src=x onerror="window.hit=1"><script>window.hit=1</script> [x](javascript:window.hit=1) ![y](http://127.0.0.1:1/y.png)`;
  const { value } = await home.api("/debates", { protocol: "exchange", motion: evil, rounds: 0, seats: { proposition: "outside", opposition: "outside" } });
  const other = await home.page({ storageState: await page.context().storageState() });
  await other.goto(`${home.origin}/debates/${value.id}`);
  const form = other.locator("section.asked form").first();
  const pieces = evil.split(/(?<=[>)]) ?(?=[<[!])/);
  let at = 0;
  await fill(form, () => pieces[at++ % pieces.length]);
  await form.getByRole("button", { name: /Answer for/ }).click();
  await arrived(other, /#asked$/);
  assert.equal(await other.locator("article[data-state=said]").count(), 1, await other.locator(".complaint").allTextContents());
  for (const path of [`/debates/${value.id}`, "/", `/?q=${encodeURIComponent("<script>window.hit=1</script>")}`, "/nowhere/<script>"]) {
    await other.goto(`${home.origin}${path}`);
    assert.equal(await other.evaluate(() => window.hit), undefined, path);
  }
  assert.equal(other.faults.join(), "");
  await other.context().close();
});

await check("a page of somebody else neither writes nor reads", async () => {
  const foreign = createServer((_, answer) => answer.setHeader("Content-Type", "text/html").end(`
    <form id=f method=post action="${home.origin}/debates"><input name=protocol value=exchange><input name=motion value=Theirs></form>
    <form id=g method=post enctype=text/plain action="${home.origin}/api/v1/debates"><input name='{"protocol":"exchange","motion":"Theirs","x":"' value='"}'></form>`));
  await new Promise((listening) => foreign.listen(0, "127.0.0.1", listening));
  // The same site by name, so that even a strict cookie is sent; only the origin differs.
  const there = `http://127.0.0.1:${foreign.address().port}/`;
  const other = await (await home.browser.newContext({ storageState: await page.context().storageState() })).newPage();
  for (const id of ["f", "g"]) {
    await other.goto(there);
    const [answer] = await Promise.all([other.waitForNavigation(), other.evaluate((id) => document.getElementById(id).submit(), id)]);
    assert.equal(answer.status(), 403, id);
  }
  await other.goto(there);
  const read = await other.evaluate(async (origin) => {
    try { return (await fetch(`${origin}/api/v1/debates`, { credentials: "include" })).status; } catch { return "refused"; }
  }, home.origin);
  assert.equal(read, "refused");
  const { value } = await home.api("/debates?q=Theirs");
  assert.deepEqual(value, []);
  await other.context().close();
  foreign.close();
});

await check("a person, an agent and models hold one panel to its synthesis", async () => {
  const seats = { "panelist-1": "human", "panelist-2": "cli:claude", "panelist-3": local ? "local" : "mock:mock", moderator: "mock:mock" };
  const opening = { protocol: "panel", motion: "Should the library open on Sundays?", rounds: 3, seats };
  const { status, value } = await home.api("/debates", opening);
  assert.equal(status, 201, JSON.stringify(value));
  const room = await home.page({ storageState: await page.context().storageState() });
  await room.goto(`${home.origin}/debates/${value.id}`);
  await room.locator("details.acts summary").click();
  await room.locator("#acts-name").fill("Bob");
  await room.locator("#acts-text").fill("Say what it costs.");
  await room.getByRole("button", { name: "Interject" }).click();
  let spoken = 0;
  const over = () => room.locator("#result .verdict").count();
  while (!(await over())) {
    const form = room.locator("section.asked form").first();
    await until("the person's turn, or the end", async () => (await over()) || (await form.count()), local ? 200 : 60);
    if (await over()) break;
    spoken += 1;
    const before = await form.locator("input[name=key]").inputValue();
    await form.getByLabel("Your name").fill("Ada");
    await form.locator("textarea[name=text]").fill(`Turn ${spoken}: the survey of ${1900 + spoken * 7} counted ${spoken * 37} readers at the door on closed Sundays, and nobody has counted those who stayed at home.`);
    if (spoken === 1) await picture(room, "serve-answer-form");
    await form.getByRole("button", { name: /Answer for/ }).click();
    await until("another turn", async () => (await over()) || (await form.locator("input[name=key]").inputValue({ timeout: 50 }).catch(() => "")) !== before);
  }
  assert.ok(spoken >= 1);
  // It is read when all have answered who were asked together. A prompt that is folded may hold it, too.
  // The debate is folded: its answer comes first.
  await room.evaluate(() => document.querySelectorAll("details").forEach((folded) => { folded.open = true; }));
  await room.getByText("Say what it costs.").filter({ visible: true }).first().waitFor();
  const debate = (await home.api(`/debates/${value.id}`)).value;
  const answered = Object.fromEntries(debate.seats.map((seat) => [seat.seat, seat.answered.join()]));
  assert.match(answered["panelist-1"], /outside:Ada/);
  assert.match(answered["panelist-2"], /stand-in/);
  const files = (await home.api(`/debates/${value.id}/files`)).value.map((file) => file.path);
  assert.ok(files.includes("synthesis.md"), files.join());
  assert.equal(room.faults.join(), "");
  await room.context().close();
});

await check("a person debates, asks, rules and leaves out what may be left out, to the end of a chaired debate", async () => {
  const seats = { "debater-1": "human", audience: "human", chair: "human", "debater-2": "mock:mock" };
  const opening = { protocol: "chaired", motion: "Should the main street be closed to cars?", rounds: 1, verify: "off", seats };
  const { status, value } = await home.api("/debates", opening);
  assert.equal(status, 201, JSON.stringify(value));
  const room = await home.page({ storageState: await page.context().storageState() });
  await room.goto(`${home.origin}/debates/${value.id}`);
  const over = () => room.locator("#result .verdict").count();
  const parts = [];
  const asked = new Set();
  const has = (form, name) => form.locator(`[name="${name}"]`).count();
  while (!(await over())) {
    const section = room.locator("section.asked").first();
    await until("somebody's turn, or the end", async () => (await over()) || (await section.count()), 60);
    if (await over()) break;
    const form = section.locator("form");
    const key = await form.locator("input[name=key]").inputValue();
    const words = await section.locator(".ask").textContent();
    assert.doesNotMatch(words, /<statement|JSON|_seq/, words);
    await form.getByLabel("Your name").fill("Ada");
    let button = /Answer for/;
    if (await has(form, "f/members/0/name")) {
      for (const [at, name] of ["ada", "bob"].entries()) {
        await form.locator(`[name="f/members/${at}/name"]`).fill(name);
        for (const [field, text] of [["persona", "Knows the street."], ["starting_position", `${name} holds what ${name} holds about it.`], ["incentives", "A street that works."]])
          await form.locator(`[name="f/members/${at}/${field}"]`).fill(text);
      }
    } else if (await has(form, "f/entries/0/content")) {
      asked.add("debater");
      if (await has(form, "f/entries/0/rebuttal_to_seq")) await form.locator('[name="f/entries/0/type"]').selectOption("new_point");
      // The first try is empty: it comes back, and nothing is recorded.
      await form.getByRole("button", { name: button }).click();
      await room.getByRole("alert").first().waitFor();
      if (await has(form, "f/entries/0/rebuttal_to_seq")) await form.locator('[name="f/entries/0/type"]').selectOption("new_point");
      await form.locator('[name="f/entries/0/content"]').fill(`[CONJECTURE] ${some(60)}`);
      await picture(room, "serve-chaired-turn");
    } else if (await has(form, "f/questions/0/question")) {
      asked.add("audience");
      assert.match(await section.locator(".deadline").textContent(), /120 seconds/);
      await form.locator("summary", { hasText: "Questions" }).click();
      await form.locator('[name="f/questions/0/to"]').selectOption("ada");
      await form.locator('[name="f/questions/0/question"]').fill("Who carries the flour when it rains?");
      await picture(room, "serve-chaired-question");
    } else if (await has(form, "f/opinion")) {
      asked.add("opinion");
      button = "Skip";
    } else if (await has(form, "f/relay/0")) await form.locator('[name="f/relay/0"]').selectOption("true");
    else if (await has(form, "f/points/0/point")) {
      await form.locator('[name="f/points/0/point"]').fill("Who pays for the road is not settled.");
      await form.locator('[name="f/points/0/seqs/0"]').selectOption({ index: 1 });
    } else if (await has(form, "f/natural_end")) {
      await form.locator('[name="f/reason"]').fill("Nobody brought anything new, as seq 2 shows.");
      await form.locator('[name="f/natural_end"]').selectOption("true");
    } else if (await has(form, "f/outcome")) {
      asked.add("chair");
      for (const at of [0, 1]) {
        // The debaters can be chosen in one order, and then in the other.
        const whose = form.locator(`[name="f/reasons/${at}/for"]`);
        const names = (await whose.locator("option").allTextContents()).map((name) => name.trim()).filter((name) => ["ada", "bob"].includes(name));
        parts.push(names[at]);
        await whose.selectOption(names[at]);
        await form.locator(`[name="f/reasons/${at}/text"]`).fill(`It argued to the point and kept the rules: ${some(8)}.`);
        await form.locator(`[name="f/reasons/${at}/entries/0"]`).selectOption({ index: 1 });
      }
      await form.locator('[name="f/answer/do"]').fill("Open the library on every second Sunday.");
      await form.locator('[name="f/reason"]').fill("The arguments were closely balanced, as seq 2 and seq 3 show.");
      await form.locator('[name="f/outcome"]').selectOption("draw");
      await picture(room, "serve-chaired-conclusion");
    }
    await form.getByRole("button", { name: button }).click();
    await until("another turn", async () => (await over()) || (await form.first().locator("input[name=key]").inputValue({ timeout: 50 }).catch(() => "")) !== key);
  }
  assert.deepEqual([...asked].sort(), ["audience", "chair", "debater", "opinion"]);
  assert.deepEqual(parts, ["ada", "bob", "bob", "ada"]);
  const entries = (await home.api(`/debates/${value.id}/entries?limit=1000`)).value;
  const all = Array.isArray(entries) ? entries : entries.entries;
  assert.ok(all.some((entry) => entry.what.asked?.seat === "chair"), JSON.stringify(all[1]));
  const again = all.filter((entry) => entry.what.asked?.redraft && seats[entry.what.asked.seat] === "human");
  assert.deepEqual(again.map((entry) => entry.what.asked.key), [], "no draft of a person's was used up");
  assert.equal(room.faults.join(), "");
  await room.context().close();
});

await check("people play reviewer, moderator and duellist to the end in plain words", async () => {
  // A seat to the end of its debate: what is typed is on the record, and nothing is asked for twice.
  const play = async (opening, seat, words) => {
    const { status, value } = await home.api("/debates", { ...opening, seats: { ...opening.seats, [seat]: "human" } });
    assert.equal(status, 201, JSON.stringify(value));
    const room = await home.page({ storageState: await page.context().storageState() });
    await room.goto(`${home.origin}/debates/${value.id}`);
    const over = () => room.locator("#result .verdict").count();
    const form = room.locator("section.asked form").first();
    const read = async () => {
      const entries = (await home.api(`/debates/${value.id}/entries?limit=1000`)).value;
      return Array.isArray(entries) ? entries : entries.entries;
    };
    const typed = [];
    for (let turn = 0; ; turn += 1) {
      await until(`turn ${turn} of ${seat}, or the end`, async () => (await over()) || (await form.count()), 60);
      if (await over()) break;
      const before = await form.locator("input[name=key]").inputValue();
      await form.getByLabel("Your name").fill("Ada");
      const entries = await read();
      const text = (of) => entries.findLast((entry) => entry.what.answered?.key === `opening/${of}`)?.what.answered.reply.said.text;
      for (const [name, what] of Object.entries(words(turn, (of) => text(of)?.split(" ").slice(0, 6).join(" ")))) {
        const field = form.locator(`[name="f/${name}"]`);
        if (!(await field.count())) continue;
        if ((await field.evaluate((one) => one.tagName)) === "SELECT") await field.selectOption(what);
        else if (typeof what === "string") {
          await field.evaluate((one) => one.closest("details")?.setAttribute("open", ""));
          await field.fill(what);
          typed.push(what);
        }
      }
      await form.getByRole("button", { name: /Answer for/ }).click();
      await until("another turn", async () => (await over()) || (await form.locator("input[name=key]").inputValue({ timeout: 50 }).catch(() => "")) !== before).catch(async (error) => {
        throw new Error(`${error.message}: ${await room.locator(".complaint, .fault").allTextContents()}`);
      });
    }
    const entries = await read();
    const asked = entries.map((entry) => entry.what.asked).filter((one) => one?.seat === seat);
    const said = JSON.stringify(entries.filter((entry) => asked.some((one) => one.key === entry.what.answered?.key)));
    assert.ok(asked.length && !asked.some((one) => one.redraft) && !said.includes('"failed"'), said);
    for (const words of typed) assert.ok(said.includes(words), `${words} is not in ${said}`);
    assert.equal(room.faults.join(), "");
    await room.context().close();
  };
  const context = [{ path: "mean.py", text: "def mean(values):\n    return sum(values) / len(values)\n" }];
  await play({ protocol: "review", context }, "reviewer-1", () => ({
    "findings/0/place": "mean.py:2", "findings/0/quote": "return sum(values) / len(values)", "findings/0/claim": "An empty list divides by zero.",
    "findings/0/why": "mean([]) raises [line 2].", "findings/0/refuted_by": "A look at the length.", "findings/0/severity": "medium",
  }));
  const claims = [["The plan names no money.", "Nobody says who pays."], ["Chance staffs the desk.", "Two may be too few."], ["Trials teach a town.", "No day is named."]];
  const plan = "# A library\n\nOpen on Sundays. Two people are at the desk.\n";
  await play({ protocol: "duel", motion: plan, rounds: 2 }, "participant-1", (turn) => ({
    position: `${claims[turn][0]} That is where it fails, as ${some(6)} shows.`, "counterpoints/0/addresses": { index: 1 }, "counterpoints/0/claim": claims[turn][1],
    "counterpoints/0/support/0/kind": "source", "counterpoints/0/support/0/text": "Two people are at the desk.", "agreements/0": "That it opens at all is right.",
    "novel_argument/claim": claims[turn][0], "novel_argument/support/0/kind": "source", "novel_argument/support/0/text": "Open on Sundays.",
    "unresolved_items/0/text": "Who pays?", "unresolved_items/0/blocking": "false", "answer/do": "Name the money first.", stance: "OPEN_TO_DEBATE",
  }));
  const lenses = ["Contrarian", "First Principles", "Risk Assessor"].flatMap((lens, at) => [[`lenses/${at}/panelist`, { index: at + 1 }], [`lenses/${at}/lens`, lens]]);
  const seats = Object.fromEntries([1, 2, 3].map((number) => [`panelist-${number}`, "mock:mock"]));
  await play({ protocol: "panel", motion: "Should the library open on Sundays?", rounds: 1, debaters: ["Ann", "Bo", "Cy"], seats }, "moderator", (_, opening) => ({
    ...Object.fromEntries(lenses),
    shared_position: "They all want more readers than today.", all_agree: "false", "disagreements/0/topic": "what it costs", "disagreements/0/kind": "facts",
    "disagreements/0/rank": "high", "disagreements/0/claims/0/panelist": { index: 1 }, "disagreements/0/claims/0/quote": opening("panelist-1"),
    "disagreements/0/claims/1/panelist": { index: 2 }, "disagreements/0/claims/1/quote": opening("panelist-2"), "next/target": { index: 1 },
    "next/quote": opening("panelist-2"), "next/question": "What does it cost in an ordinary week?", "claim/choice": "holds", "claim/with": { index: 1 }, deadlock: "none", repeats_round: "0",
    new_insight: "false", position_shift: "false", "shift/toward": { index: 1 }, "next/action": "stop", "findings/0/finding": "A door that is open costs money.", "findings/0/disagreement": "D1",
    "findings/0/evidence": "What both said of the costs.", "unresolved/0/one_side": "It pays.", "unresolved/0/other_side": "It does not.",
    "unresolved/0/why": "Nobody counted.", "answer/do": "Count for a month before you decide.",
  }));
});

await check("axe finds no barrier on any page, in light or dark", async () => {
  const other = await home.page({ storageState: await page.context().storageState() });
  for (const more of [
    { protocol: "review", context: [{ path: "src/a.rs", text: "fn main() {\n    println!(\"{}\", 1 / 0);\n}\n" }] },
    { protocol: "revise", motion: "Write a plan for a library.", rounds: 1 },
  ]) {
    const { value } = await home.api("/debates", more);
    await until(`the end of ${more.protocol}`, async () => (await home.api(`/debates/${value.id}`)).value.closed, 30);
  }
  const context = [{ path: "src/b.rs", text: "fn main() {\n    println!(\"{}\", 2 / 0);\n}\n" }];
  const seated = (await home.api("/debates", { protocol: "review", context, seats: { "reviewer-1": "human" } })).value;
  await other.goto(`${home.origin}/debates/${seated.id}`);
  await other.locator(".asked .material").getByText("2 / 0").waitFor();
  const debates = (await home.api("/debates?limit=500")).value;
  assert.deepEqual([...new Set(debates.map((debate) => debate.protocol))].sort(), ["chaired", "duel", "exchange", "panel", "review", "revise"]);
  const reports = new Map(debates.filter((debate) => debate.outcome).map((debate) => [debate.protocol, `/debates/${debate.id}/report`]));
  const paths = ["/", "/?q=sample", "/?kind=duel", "/evaluations", "/nowhere", ...debates.map((debate) => `/debates/${debate.id}`), ...reports.values()];
  const found = [];
  for (const path of paths) {
    await other.goto(`${home.origin}${path}`);
    await other.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
    found.push(...(await findBarriers(other)));
    // What leads to an entry is large enough for a finger.
    const sizes = await other.locator("a.to:visible").evaluateAll((all) => all.map((one) => one.getBoundingClientRect()).map(({ width, height }) => Math.min(width, height)));
    assert.ok(sizes.every((size) => size >= 23.5), `${path}: ${sizes}`);
  }
  assert.equal(found.join("\n"), "");
  console.log(`      ${paths.length} pages`);
  await other.context().close();
});

if (pictures) {
  const storageState = await page.context().storageState();
  const shown = (await home.api("/debates?q=programming&limit=1")).value[0].id;
  const shots = [
    ["serve-debate-light", `/debates/${shown}`, {}],
    ["serve-debate-dark", `/debates/${shown}`, { colorScheme: "dark" }],
    ["serve-debate-phone", `/debates/${shown}`, { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 }],
  ];
  for (const [name, path, options] of shots) {
    const view = await home.page({ storageState, ...options });
    await view.goto(`${home.origin}${path}`);
    await view.waitForTimeout(300);
    await picture(view, name);
    if (name === "serve-debate-light") await view.pdf({ path: join(pictures, "print.pdf"), format: "A4" });
    await view.context().close();
  }
}
await home.end();
console.log("all passed");
process.exit(0);
