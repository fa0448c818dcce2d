// Requests to one server: refusals become errors, and requests that are safe to repeat are repeated.

import { AgonError, RefusedError, UnreachableError } from "./errors.ts";
import type { Refused } from "./schema.ts";

/** Timeout of one call. The server itself gives up after 30 seconds. */
export const CALL_MS = 35_000;
/** How often a call that is safe to repeat is repeated, so that a short restart of the server is bridged. */
export const REPEATS_MAX = 2;
/** Pause before the first repetition; it doubles. */
const PAUSE_MS = 250;
/** Statuses of a server or a proxy that cannot answer now. */
export const PASSING: ReadonlySet<number> = new Set([408, 502, 503, 504]);

/** How to reach a server. */
export interface ConnectionOptions {
  /** The token of the server. */
  token?: string | undefined;
  /** Timeout of one call, in milliseconds. */
  timeoutMs?: number | undefined;
  /** How often a call is repeated that is safe to repeat. */
  repeats?: number | undefined;
  /** What sends requests; the `fetch` of the runtime by default. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** What to do about an answer that agon did not write. */
const STRANGE = "check the address, and proxies before it";

type Params = Record<string, string | number | undefined>;

/** A request, as `Connection` sends it. */
interface Call {
  params?: Params;
  body?: unknown;
  repeats: number;
  signal?: AbortSignal | undefined;
}

/** One server, and the token for it. */
export class Connection {
  readonly base: string;
  readonly #headers: Record<string, string>;
  readonly #timeoutMs: number;
  readonly #repeats: number;
  readonly #fetch: typeof globalThis.fetch;

  constructor(url: string, options: ConnectionOptions) {
    this.base = url.replace(/\/+$/, "");
    this.#headers = options.token ? { authorization: `Bearer ${options.token}` } : {};
    this.#timeoutMs = options.timeoutMs ?? CALL_MS;
    this.#repeats = options.repeats ?? REPEATS_MAX;
    // A method of another object must not see this one.
    this.#fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
  }

  /** Reads JSON; repeated after a passing failure. */
  async get<Answer>(path: string[], params: Params = {}, signal?: AbortSignal): Promise<Answer> {
    return parsed(await this.#call("GET", path, { params, repeats: this.#repeats, signal }));
  }

  /** Reads text; repeated after a passing failure. */
  async text(path: string[]): Promise<string> {
    return this.#call("GET", path, { repeats: this.#repeats });
  }

  /** Writes JSON and returns the JSON of the answer. Repeated only if it `isRepeatable`. */
  async post<Answer>(path: string[], body: unknown, isRepeatable = false): Promise<Answer> {
    return parsed(await this.#call("POST", path, { body, repeats: isRepeatable ? this.#repeats : 0 }));
  }

  /** Sends one request without a timeout, and refuses an answer without success. */
  async open(path: string[], headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
    return this.#send(this.#url(path), { headers, signal });
  }

  #url(path: string[], params: Params = {}): string {
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(params)) if (value !== undefined) query.set(name, String(value));
    return `${this.base}/api/v1/${path.map(quoted).join("/")}${query.size > 0 ? `?${query}` : ""}`;
  }

  async #call(method: string, path: string[], call: Call): Promise<string> {
    const url = this.#url(path, call.params);
    const init: RequestInit = { method };
    if (call.body !== undefined) {
      init.body = JSON.stringify(call.body);
      init.headers = { "content-type": "application/json" };
    }
    let pauseMs = PAUSE_MS;
    for (let repeats = call.repeats; ; repeats--) {
      try {
        const timeout = AbortSignal.timeout(this.#timeoutMs);
        const answer = await this.#send(url, { ...init, signal: any(timeout, call.signal) });
        // The whole answer counts as the call: its body can be lost too.
        return await bodyOf(answer, this.base);
      } catch (error) {
        call.signal?.throwIfAborted();
        if (repeats === 0 || !isPassing(error)) throw error;
      }
      // Clients that failed together do not return together.
      await pause(pauseMs * (0.5 + Math.random() / 2), call.signal);
      pauseMs *= 2;
    }
  }

  async #send(url: string, init: RequestInit): Promise<Response> {
    let answer: Response;
    try {
      const headers = { ...this.#headers, ...(init.headers as Record<string, string> | undefined) };
      // Another address must not get the token.
      answer = await this.#fetch(url, { ...init, headers, redirect: "manual" });
    } catch (error) {
      throw unreachable(this.base, error);
    }
    if (!answer.ok) throw await refusal(answer);
    return answer;
  }
}

/** Whether a call that failed so may work a little later. */
export function isPassing(error: unknown): boolean {
  if (error instanceof RefusedError) return error.status !== undefined && PASSING.has(error.status);
  return error instanceof UnreachableError;
}

/** The error for a call that got no answer. */
export function unreachable(base: string, cause: unknown): UnreachableError {
  const inner = cause instanceof Error && cause.cause instanceof Error ? `: ${cause.cause.message}` : "";
  const message = `no answer from ${base}: ${cause}${inner}`;
  return new UnreachableError("unreachable", message, "check that agon serve runs there", { cause });
}

/** Waits, unless `signal` ends it: then it throws the reason. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, ms);
    if (signal?.aborted) end();
    else signal?.addEventListener("abort", end, { once: true });
  });
}

/** A signal that is set with the first of these. */
export function any(...signals: (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}

/** One segment of a path. What would name another route, even escaped, is refused. */
function quoted(part: string): string {
  if (["", ".", ".."].includes(part)) {
    throw new AgonError("malformed", `"${part}" is not a name`, "give the id of a debate, a seat or a file");
  }
  return encodeURIComponent(part);
}

/** The JSON of an answer. The page of a proxy is none. */
function parsed<Answer>(text: string): Answer {
  try {
    return JSON.parse(text) as Answer;
  } catch (cause) {
    throw new RefusedError("status", "the answer is not JSON", STRANGE, { cause });
  }
}

async function bodyOf(answer: Response, base: string): Promise<string> {
  try {
    return await answer.text();
  } catch (error) {
    throw unreachable(base, error);
  }
}

/** The error that an answer without success describes; the answer of a proxy has another form. */
async function refusal(answer: Response): Promise<RefusedError> {
  const { status } = answer;
  try {
    const { code, message, remedy, kept } = ((await answer.json()) as Refused).error;
    return new RefusedError(code, message, remedy ?? "", { status, ...(kept ? { kept } : {}) });
  } catch {
    const message = `the server answered with status ${status}, not in the form of agon`;
    return new RefusedError("status", message, STRANGE, { status });
  }
}
