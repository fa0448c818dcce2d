"use strict";
// Passkeys, on the pages for logging in and of the account. Without this script these pages offer passwords.
(() => {
  const bytes = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  const text = (buffer) =>
    btoa(Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join(""))
      .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const listed = (credentials) => (credentials ?? []).map((one) => ({ ...one, id: bytes(one.id) }));

  async function send(path, body) {
    const headers = body ? { "Content-Type": "application/json" } : {};
    const answer = await fetch(path, { method: "POST", headers, body: body && JSON.stringify(body) });
    const value = await answer.json();
    if (!answer.ok) throw new Error([value.error.message, value.error.remedy].filter(Boolean).join(": "));
    return value;
  }

  // What the server reads; browsers spell it out in toJSON(), older ones do not have it.
  function written({ id, rawId, type, response, authenticatorAttachment }) {
    const parts = ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"];
    const said = Object.fromEntries(parts.filter((part) => response[part]).map((part) => [part, text(response[part])]));
    if (response.getTransports) said.transports = response.getTransports();
    return { id, rawId: text(rawId), type, response: said, authenticatorAttachment, clientExtensionResults: {} };
  }

  async function register(form) {
    const { publicKey: asked } = await send("/api/v1/passkeys/options");
    const publicKey = {
      ...asked,
      challenge: bytes(asked.challenge),
      user: { ...asked.user, id: bytes(asked.user.id) },
      excludeCredentials: listed(asked.excludeCredentials),
    };
    const credential = await navigator.credentials.create({ publicKey });
    await send("/api/v1/passkeys", { name: form.elements.name.value, credential: written(credential) });
    location.assign("/account");
  }

  async function logIn(form) {
    const { publicKey: asked } = await send("/api/v1/login/options");
    const publicKey = { ...asked, challenge: bytes(asked.challenge), allowCredentials: listed(asked.allowCredentials) };
    const credential = await navigator.credentials.get({ publicKey });
    const { next } = await send("/api/v1/login", { credential: written(credential), next: form.elements.next.value });
    location.assign(next);
  }

  const acts = { register, login: logIn };
  for (const form of window.PublicKeyCredential ? document.querySelectorAll("form[data-passkey]") : []) {
    form.hidden = false;
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const [button, fault] = [form.querySelector("button"), form.querySelector("[role=alert]")];
      button.disabled = true;
      fault.textContent = "";
      try {
        await acts[form.dataset.passkey](form);
      } catch (error) {
        // What the person has stopped needs no further words.
        fault.textContent = error.name === "NotAllowedError" ? "Nothing was done." : error.message;
        button.disabled = false;
      }
    });
  }
})();
