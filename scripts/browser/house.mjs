// A server of its own with everything that it needs: a model server on loopback, an agent that stands in
// for a real one, a connection that can be cut, and a browser that reports what it should not do.

import { execFileSync, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const { chromium } = createRequire(import.meta.url)(join(process.env.NODE_PATH, "playwright-core"));
const { AGON, MOCK, BROWSER_PROGRAM } = process.env;

// A program of ours, and the first line that it prints.
export function started(program, args, options, children) {
  const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  return new Promise((resolve, reject) => {
    let said = "";
    child.stdout.on("data", (bytes) => {
      said += bytes;
      if (said.includes("\n")) resolve(said.split("\n")[0]);
    });
    child.on("exit", (code) => reject(new Error(`${program} ${args[0]} ended with ${code}`)));
  });
}

// What lies between the browser and the server, so that it can be cut.
export async function line(to) {
  const open = new Set();
  let dead = false;
  const server = createServer((here) => {
    if (dead) return here.destroy();
    const there = connect(to.port, to.host);
    for (const [one, other] of [[here, there], [there, here]]) {
      open.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => { open.delete(one); other.destroy(); });
    }
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    port: server.address().port,
    cut() { dead = true; for (const socket of open) socket.destroy(); },
    mend() { dead = false; },
    close() { server.close(); this.cut(); },
  };
}

// A browser that asks nobody but the pages that it is shown.
export function launched() {
  return chromium.launch({
    executablePath: BROWSER_PROGRAM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
}

// A page in a profile of its own; what goes wrong in it is listed.
export async function watched(browser, origin, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("console", (line) => { if (/Content Security Policy|Refused to/.test(line.text())) faults.push(line.text()); });
  page.on("request", (request) => { if (!request.url().startsWith(origin) && !request.url().startsWith("data:")) faults.push(`it asked for ${request.url()}`); });
  page.on("dialog", (dialog) => { faults.push("a dialog opened"); dialog.dismiss(); });
  return Object.assign(page, { faults });
}

const AXE = readFileSync(join(process.env.NODE_PATH, "axe-core", "axe.min.js"), "utf8");

// What axe's default rules find wrong in a page, in light and in dark.
export async function findBarriers(page) {
  const found = [];
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(AXE);
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    found.push(...violations.map(({ id, nodes }) => `${page.url()}, ${colorScheme}: ${id} at ${nodes.map((node) => node.target.join(" ")).join(", ")}`));
  }
  await page.emulateMedia({ colorScheme: null });
  return found;
}

export async function house() {
  const folder = mkdtempSync(join(tmpdir(), "agon-browser-"));
  const children = [];
  const here = dirname(fileURLToPath(import.meta.url));
  mkdirSync(join(folder, "bin"));
  copyFileSync(join(here, "agent.py"), join(folder, "bin", "claude"));
  const mock = await started(MOCK, ["--pause-ms", "12"], {}, children);
  writeFileSync(join(folder, "agon.toml"), `model = "mock:mock"\n[providers.mock]\nkind = "openai"\nbase_url = "http://${mock}/v1"\n`);
  // Over HTTP an agent takes a seat only where the user's own configuration says so.
  mkdirSync(join(folder, "none", "agon"), { recursive: true });
  writeFileSync(join(folder, "none", "agon", "config.toml"), `[serve]\nmodels = ["mock:*", "local", "cli:claude"]\n`);
  // A port for the line is known before the server allows its name.
  const target = { host: "127.0.0.1", port: 0 };
  const wire = await line(target);
  const env = { ...process.env, AGON_HOME: join(folder, "home"), AGON_TRUST: folder, XDG_CONFIG_HOME: join(folder, "none"), PATH: `${join(folder, "bin")}:${process.env.PATH}` };
  // The debate of the pictures.
  const motion = "This house would teach programming in every primary school.";
  execFileSync(AGON, ["run", "exchange", motion, "--rounds", "1", "--yes"], { cwd: folder, env, stdio: "ignore" });
  const args = ["serve", "--listen", "127.0.0.1:0", "--allow-model-files", "--host", `127.0.0.1:${wire.port}`, "--output", "json"];
  const said = JSON.parse(await started(AGON, args, { cwd: folder, env }, children));
  target.port = Number(said.listening.split(":")[1]);
  const token = new URL(said.url).searchParams.get("token");
  const browser = await launched();
  const origin = `http://127.0.0.1:${wire.port}`;
  return {
    origin, token, wire, browser, folder,
    link: `${origin}/?token=${token}`,
    page: (options) => watched(browser, origin, options),
    async api(path, body) {
      const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
      const answer = await fetch(`${origin}/api/v1${path}`, body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers });
      return { status: answer.status, value: await answer.json() };
    },
    async end() {
      await browser.close();
      wire.close();
      // The server ends in order after the signal, and writes until then.
      await Promise.all(children.map((child) => child.exitCode === null && child.signalCode === null && new Promise((ended) => { child.once("exit", ended); child.kill(); })));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function until(what, found, seconds = 40) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const value = await found();
    if (value) return value;
    if (Date.now() > end) throw new Error(`${what}: not within ${seconds} s`);
    await new Promise((resume) => setTimeout(resume, 60));
  }
}
