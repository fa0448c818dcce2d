// A server with accounts: an administrator invites a person, who adds a passkey and logs in with it alone. The browser has
// a virtual authenticator. Usage: see scripts/check-browser.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findBarriers, launched, line, started, until, watched } from "./house.mjs";

const args = process.argv.slice(2);
const pictures = args.includes("--pictures") ? args[args.indexOf("--pictures") + 1] : null;
const { AGON } = process.env;
const PASSWORD = "a password of a check";
const began = Date.now();
const folder = mkdtempSync(join(tmpdir(), "agon-people-"));
const children = [];
// The address is in the configuration, so a port is known before the server has one.
const target = { host: "127.0.0.1", port: 0 };
const wire = await line(target);
const origin = `http://localhost:${wire.port}`;
mkdirSync(join(folder, "config", "agon"), { recursive: true });
writeFileSync(join(folder, "config", "agon", "config.toml"), `[accounts]\nenabled = true\npublic_url = "${origin}"\n`);
writeFileSync(join(folder, "password"), PASSWORD);
const env = { ...process.env, AGON_HOME: join(folder, "home"), XDG_CONFIG_HOME: join(folder, "config") };
const agon = (...words) => execFileSync(AGON, words, { cwd: folder, env, encoding: "utf8" });
agon("users", "add", "ada", "--administrator", "--name", "Ada Lovelace", "--password-file", "password");
const serve = ["serve", "--listen", "127.0.0.1:0", "--host", `localhost:${wire.port}`, "--output", "json"];
target.port = Number(JSON.parse(await started(AGON, serve, { cwd: folder, env }, children)).listening.split(":")[1]);
const browser = await launched();

async function end(code) {
  await browser.close();
  wire.close();
  await Promise.all(children.map((child) => new Promise((ended) => { child.once("exit", ended); child.kill(); })));
  rmSync(folder, { recursive: true, force: true });
  process.exit(code);
}

async function check(name, run) {
  try {
    await run();
    console.log(`ok    ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  } catch (error) {
    console.log(`FAIL  ${name}\n      ${String(error.stack).split("\n").slice(0, 12).join("\n      ")}`);
    for (const open of browser.contexts().flatMap((context) => context.pages()))
      console.log(`      ${open.url()} ${await open.locator(".complaint, h1, [role=alert]").allTextContents().catch(() => "")}`);
    await end(1);
  }
}

async function picture(page, name) {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [400, 1280]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} is wider than ${width}`);
      await page.screenshot({ path: join(pictures, `${name}-${colorScheme}-${width}.png`), fullPage: true });
    }
  }
}

// A page whose browser has an authenticator of its own.
async function person() {
  const page = await watched(browser, origin);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const options = { protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true };
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", { options });
  return { page, cdp, authenticatorId };
}

const admin = await watched(browser, origin);
const { page, cdp, authenticatorId } = await person();
let invitation, account;

await check("an administrator adds a person, whose name is text", async () => {
  await admin.goto(`${origin}/people`);
  await admin.getByLabel("Login name").fill("ada");
  await admin.getByLabel("Password").fill(PASSWORD);
  await admin.getByRole("button", { name: "Log in", exact: true }).click();
  await admin.waitForURL(`${origin}/people`);
  await admin.getByLabel("Login name").fill("grace");
  await admin.getByLabel("Name that pages show").fill("Grace <img src=x onerror=alert(1)>");
  await admin.getByRole("button", { name: "Add and invite" }).click();
  invitation = await admin.locator(".notice code").textContent();
  assert.ok(invitation.startsWith(`${origin}/invitation?code=agon_invitation_`), invitation);
  assert.equal(await admin.locator("td img").count(), 0);
  await picture(admin, "people-invited");
  await admin.getByRole("link", { name: /^Grace/ }).click();
  await admin.getByText("Logs in with invitation.").waitFor();
  account = new URL(admin.url()).pathname;
  await picture(admin, "people-person");
});

await check("the invitation lets the person in once, who adds a passkey", async () => {
  await page.goto(invitation);
  await picture(page, "people-invitation");
  await page.getByRole("button", { name: "Log in" }).click();
  await page.waitForURL(`${origin}/account`);
  await page.getByLabel("Name which device or key it is").fill("laptop <b>");
  await page.getByRole("button", { name: "Add a passkey" }).click();
  await page.getByRole("cell", { name: "laptop <b>", exact: true }).waitFor();
  const { credentials } = await cdp.send("WebAuthn.getCredentials", { authenticatorId });
  assert.deepEqual(credentials.map((one) => [one.rpId, one.isResidentCredential]), [["localhost", true]]);
  await picture(page, "people-account");
  await page.getByRole("button", { name: "Log out" }).click();
  await page.waitForURL(`${origin}/login`);
  await page.goto(invitation);
  await page.getByRole("heading", { name: /invitation has ended/ }).waitFor();
});

await check("the person logs in with the passkey alone, and gets where they wanted to go", async () => {
  await page.goto(`${origin}/account`);
  await picture(page, "people-login");
  await page.getByRole("button", { name: "Log in with a passkey" }).click();
  await page.waitForURL(`${origin}/account`);
  const said = await page.evaluate(async () => (await fetch("/api/v1/session")).json());
  assert.deepEqual([said.login, said.proof], ["grace", "session"]);
});

await check("a person whom the device does not know is not let in", async () => {
  await page.getByRole("button", { name: "Log out" }).click();
  await cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
  await page.goto(`${origin}/login`);
  await page.getByRole("button", { name: "Log in with a passkey" }).click();
  await page.getByText("Nothing was done.").waitFor();
  await cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: true });
});

await check("a passkey that was removed proves nothing", async () => {
  await admin.reload();
  await admin.getByRole("button", { name: "Remove laptop <b>" }).click();
  await admin.getByText("The passkey was removed.").waitFor();
  await page.goto(`${origin}/login`);
  await page.getByRole("button", { name: "Log in with a passkey" }).click();
  await page.getByText(/no account here has this passkey/).waitFor();
  assert.equal(new URL(page.url()).pathname, "/login");
});

await check("axe finds no barrier on the pages of people, in light or dark", async () => {
  const found = await findBarriers(page);
  await admin.goto(origin);
  await admin.getByLabel("Motion", { exact: true }).fill("This house would share its keys.");
  await admin.locator("#start-model").fill("outside");
  await admin.getByRole("button", { name: "Start", exact: true }).click();
  await admin.getByRole("link", { name: "Who takes part, and links for readers" }).click();
  await admin.getByRole("heading", { name: "Roles" }).waitFor();
  found.push(...(await findBarriers(admin)));
  for (const path of ["/", "/people", "/account", "/audit", account]) {
    await admin.goto(`${origin}${path}`);
    found.push(...(await findBarriers(admin)));
  }
  assert.equal(found.join("\n"), "");
});

await check("nothing else was asked for, and nothing went wrong in a page", async () => {
  await until("the audit", async () => {
    await admin.goto(`${origin}/audit`);
    return /add_passkey/.test(await admin.content());
  });
  assert.equal([...admin.faults, ...page.faults].join("\n"), "");
});

await end(0);
