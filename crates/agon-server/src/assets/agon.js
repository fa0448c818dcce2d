// Keeps the page of a debate or of an evaluation up to date. The server draws; this puts what changed in its place.
"use strict";

(() => {
  const main = document.querySelector("main[data-live]");
  if (!main || !window.EventSource) return;

  const regions = ["state", "result", "troubles", "asked", "acts", "parts", "pull", "only", "contents", "map", "seats", "costs", "files", "items"];
  const byId = (id) => document.getElementById(id);
  const announce = (text) => { byId("announce").textContent = text; };

  // A form that somebody writes in is left alone.
  const busy = (region) => region.contains(document.activeElement) && document.activeElement !== document.body
    || [...region.querySelectorAll("input:not([type=hidden]), textarea")].some((field) => field.value !== field.defaultValue);

  function replace(old, fresh) {
    // What a reader opened or closed stays so.
    const were = old.querySelectorAll("details");
    const are = fresh.querySelectorAll("details");
    if (were.length === are.length) are.forEach((one, at) => { one.open = were[at].open; });
    fresh.querySelectorAll("input[type=radio]").forEach((one) => { one.checked = byId(one.id)?.checked ?? one.checked; });
    if (old.outerHTML !== fresh.outerHTML && !busy(old)) old.replaceWith(document.adoptNode(fresh));
  }

  function redraw(fresh) {
    for (const id of regions) {
      const [old, next] = [byId(id), fresh.getElementById(id)];
      if (old && next) replace(old, next);
    }
    const course = byId("course");
    const next = fresh.getElementById("course");
    if (course && next) merge(course, next);
  }

  // What is in a phase or in all of the course, child by child.
  function merge(here, next) {
    const wanted = [...next.children];
    for (const child of [...here.children]) {
      if (!child.id || !wanted.some((other) => other.id === child.id)) child.remove();
    }
    wanted.forEach((child, at) => {
      const known = child.id ? byId(child.id) : null;
      if (!known) {
        here.insertBefore(document.adoptNode(child), here.children[at] || null);
        told(child);
      } else if (known.matches(".phase")) {
        replace(known.firstElementChild, child.firstElementChild);
        merge(known.lastElementChild, child.lastElementChild);
      } else if (known.dataset.state !== child.dataset.state || known.dataset.key !== child.dataset.key) {
        known.replaceWith(document.adoptNode(child));
        told(child);
      } else if (known.dataset.state !== "awaited") {
        replace(known, child);
      }
    });
  }

  function told(element) {
    if (element.dataset.state === "said") announce(`${element.querySelector("h4").textContent} has spoken.`);
    else if (element.matches(".phase")) announce(element.querySelector("h3").textContent);
    else if (element.matches(".ruling")) announce(element.firstChild.textContent);
  }

  // Many may watch: they ask one after the other, and once for many entries. What comes while a page is fetched is not on
  // it, so it is fetched once more; and so it is after a failure, for as long as the server is away.
  let waiting = 0, missed = false;
  function refresh(wait = 200) {
    missed = true;
    if (waiting) return;
    waiting = setTimeout(async () => {
      missed = false;
      try {
        const answer = await fetch(location.pathname + location.search, { headers: { Accept: "text/html" } });
        if (answer.ok) redraw(new DOMParser().parseFromString(await answer.text(), "text/html"));
        else if (answer.status >= 500) missed = true;
      } catch {
        missed = true;
      } finally {
        waiting = 0;
        if (missed) refresh(2000);
      }
    }, wait + Math.random() * 400);
  }

  // Text that is being written: of a JSON statement its texts, so that it reads as prose.
  const spoken = new Map();
  function texts(json) {
    const out = [], open = [];
    let text = null, escaped = false, key = false;
    for (const c of json) {
      if (text !== null) {
        if (escaped) { text += c === "n" ? "\n" : c; escaped = false; }
        else if (c === "\\") escaped = true;
        else if (c !== '"') text += c;
        else { if (!key) out.push(text); text = null; }
      }
      else if (c === '"') text = "";
      else if (c === "{") { open.push(c); key = true; }
      else if (c === "[") { open.push(c); key = false; }
      else if (c === "}" || c === "]") { open.pop(); key = false; }
      else if (c === ":") key = false;
      else if (c === ",") key = open[open.length - 1] === "{";
    }
    if (text !== null && !key) out.push(text);
    return out;
  }

  // A judge knows the sides as A and B; readers know them by name.
  function teller(called) {
    if (!called) return (text) => text;
    const [a, b, nameA, nameB] = called.split(" ");
    return (text) => text
      .replace(/\b([ab])_(?=\d{3})/gi, (_, side) => (side.toLowerCase() === "a" ? a : b) + "_")
      .replace(/\b([Ss])ide ([AB])\b/g, (_, s, side) => (s === "S" ? "The " : "the ") + (side === "A" ? nameA : nameB));
  }

  function say(delta) {
    const article = [...document.querySelectorAll("article.speech[data-state=awaited]")]
      .find((one) => one.dataset.key === delta.key);
    const text = (delta.begins ? "" : spoken.get(delta.key) || "") + delta.text;
    spoken.set(delta.key, text);
    if (!article) return;
    const words = article.querySelector(".words");
    const parts = /^\s*(```|\{)/.test(text) ? texts(text) : text.split(/\n{2,}/);
    words.classList.add("writing");
    const told = teller(article.dataset.called);
    words.replaceChildren(...parts.map((part) => Object.assign(document.createElement("p"), { textContent: told(part) })));
  }

  // Shows whether what is seen is what there is.
  const url = new URL(main.dataset.live, location.href);
  let source, last = null;
  function listen() {
    // A browser keeps few connections to one server: pages in the background leave theirs to others.
    if (document.hidden) return;
    if (last !== null) url.searchParams.set("after", last);
    source = new EventSource(url);
    source.addEventListener("entry", (event) => { last = event.lastEventId; refresh(); });
    source.addEventListener("delta", (event) => say(JSON.parse(event.data)));
    // A notice may be the first that is heard of a debate which goes on after it stopped.
    source.addEventListener("notice", (event) => { announce(JSON.parse(event.data).text); refresh(); });
    source.addEventListener("stopped", () => refresh());
    source.addEventListener("open", () => { document.body.classList.remove("away"); if (last !== null) refresh(); });
    source.addEventListener("error", () => {
      document.body.classList.add("away");
      // Meanwhile the page may have been hidden and shown again, and listen already.
      if (source.readyState === EventSource.CLOSED) setTimeout(() => { if (source.readyState === EventSource.CLOSED) listen(); }, 3000);
    });
  }
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) source?.close();
    else if (source?.readyState !== EventSource.OPEN && source?.readyState !== EventSource.CONNECTING) { refresh(); listen(); }
  });
  listen();
})();

// Browsers leave autofocus out where the address names a part of the page, and go to that part once all is loaded.
addEventListener("load", () => setTimeout(() => document.querySelector("[autofocus]")?.focus()));

// Takes the text of a file into the field that it belongs to.
for (const input of document.querySelectorAll("input[type=file][data-into]")) {
  input.closest("[hidden]").hidden = false;
  input.addEventListener("change", async () => {
    const into = document.getElementById(input.dataset.into);
    const name = document.getElementById("start-context_path");
    const [file] = input.files;
    if (!file) return;
    into.value = await file.text();
    if (into.id === "start-context_text" && name && !into.value.includes("\n@@ ")) name.value = file.name;
  });
}
