// The client: one method for each route of the interface, and `debate`, which joins them.

import { Connection, type ConnectionOptions, any } from "./connection.ts";
import { AgonError, DebateTimeoutError, StoppedError } from "./errors.ts";
import { type Event, stoppedOf } from "./events.ts";
import type { Outcome } from "./record.ts";
import type {
  ActedLine,
  ClaimLine,
  Debate,
  Entries,
  ExtendBody,
  FileLine,
  GoesOn,
  LeaseLine,
  LookupBody,
  LookupShown,
  Listed,
  OpenRequest,
  Opening,
  Prompt,
  ReceiptLine,
  Scores,
  Started,
} from "./schema.ts";
import { follow } from "./stream.ts";

/** Where `agon serve` listens unless it is told otherwise. */
export const ADDRESS = "http://127.0.0.1:7878";

/** An address (`https://…`, or `SEAT=https://…`), or a text with its path. `agon-client/files` reads files. */
export type Material = NonNullable<Opening["context"]>[number];

/** A debate to start; `material` is what prompts show in passages and statements can quote. */
export type NewDebate = Opening & { material?: readonly Material[] };

/** How long to wait for a debate. */
export interface Wait {
  /** Milliseconds; without a limit by default. */
  timeoutMs?: number | undefined;
  /** Ends the waiting, not the debate. */
  signal?: AbortSignal | undefined;
}

/** Which events to read. */
export interface From {
  /** The last entry that you have. */
  after?: number | undefined;
  /** Ends the reading. */
  signal?: AbortSignal | undefined;
}

/** A debate that is closed. */
export interface Result {
  id: string;
  /** How it ended. A debate without a result has the standing `void`, and names no winner. */
  outcome: Outcome;
  /** Its state: seats, usage, head of the record. */
  debate: Debate;
}

/** A server's debates. Every method rejects with an `AgonError`. */
export class Agon {
  readonly #to: Connection;
  /** What each seat was asked when it was last looked at, by debate and seat. */
  readonly #asked = new Map<string, string>();

  constructor(url: string = ADDRESS, options: ConnectionOptions = {}) {
    this.#to = new Connection(url, options);
  }

  // Holding a debate.

  /**
   * Starts a debate and waits for its end.
   *
   * If it stops, a `StoppedError` says why. If it takes longer than `timeoutMs`, it continues, and a
   * `DebateTimeoutError` names it. `cancel` ends it.
   */
  async debate(opening: NewDebate, wait: Wait = {}): Promise<Result> {
    const { id } = await this.start(opening);
    return this.result(id, wait);
  }

  /** Starts a debate. Never repeated; with an `id` of your own, you can look whether it was started. */
  start(opening: NewDebate): Promise<Started> {
    return this.#to.post(["debates"], bodyOf(opening));
  }

  /** What such a debate would ask, cost and send. Starts nothing. */
  plan(opening: NewDebate): Promise<Record<string, unknown>> {
    return this.#to.post(["plans"], bodyOf(opening), true);
  }

  /** Waits until a debate is closed. */
  async result(debate: string, wait: Wait = {}): Promise<Result> {
    const timeout = wait.timeoutMs === undefined ? undefined : AbortSignal.timeout(wait.timeoutMs);
    try {
      return await this.#wait(debate, any(timeout, wait.signal));
    } catch (error) {
      if (timeout?.aborted && !wait.signal?.aborted) {
        const message = `${debate} did not end within ${wait.timeoutMs} ms`;
        const remedy = `it continues: wait with result("${debate}"), or end it with cancel`;
        throw new DebateTimeoutError("timeout", message, remedy, { debate });
      }
      if (error instanceof AgonError) error.debate = debate;
      throw error;
    }
  }

  async #wait(debate: string, signal: AbortSignal): Promise<Result> {
    for (;;) {
      const state = await this.#to.get<Debate>(["debates", debate], {}, signal);
      if (state.closed) return { id: debate, outcome: state.outcome as unknown as Outcome, debate: state };
      if (state.stopped) throw stoppedError(debate, stoppedOf(state.stopped));
      for await (const event of this.events(debate, { after: state.entries - 1, signal })) {
        if (event.kind === "stopped") throw stoppedError(debate, event);
      }
    }
  }

  /**
   * What happened in a debate and what happens, until it is closed or stops; each entry once. A lost
   * connection is made again.
   */
  events(debate: string, from: From = {}): AsyncGenerator<Event, void, undefined> {
    return follow(this.#to, debate, from.after, from.signal);
  }

  // Reading.

  /** Debates, newest first; every word of `q` must occur in the motion or in a statement. */
  debates(filter: { q?: string; limit?: number } = {}): Promise<Listed[]> {
    return this.#to.get(["debates"], filter);
  }

  /** The current state of a debate. */
  get(debate: string): Promise<Debate> {
    return this.#to.get(["debates", debate]);
  }

  /** A part of the record, without struck texts. `next` of the answer continues it. */
  entries(debate: string, part: { start?: number; limit?: number } = {}): Promise<Entries> {
    return this.#to.get(["debates", debate, "entries"], { from: part.start, limit: part.limit });
  }

  /** The scores of a debate. */
  scores(debate: string): Promise<Scores> {
    return this.#to.get(["debates", debate, "scores"]);
  }

  /** The debate as Markdown. */
  transcript(debate: string): Promise<string> {
    return this.#to.text(["debates", debate, "transcript"]);
  }

  /** The files of a debate. */
  files(debate: string): Promise<FileLine[]> {
    return this.#to.get(["debates", debate, "files"]);
  }

  /** One of its files, as text. */
  file(debate: string, path: string): Promise<string> {
    return this.#to.text(["debates", debate, "files", ...path.split("/")]);
  }

  /** The kinds of debate: seats, rounds, options. */
  protocols(): Promise<Record<string, unknown>[]> {
    return this.#to.get(["protocols"]);
  }

  /** The OpenAPI document. `info.version` is the version of the server. */
  document(): Promise<Record<string, unknown>> {
    return this.#to.get(["openapi.json"]);
  }

  // Acting in a debate. `name` is shown to its readers.

  /** Continues a debate that stopped or was paused. */
  resume(debate: string, by: { name: string }): Promise<GoesOn> {
    return this.#to.post(["debates", debate, "resume"], by);
  }

  /** Adds rounds, or sets new totals of what may be spent, and continues. */
  extend(debate: string, more: ExtendBody): Promise<GoesOn> {
    return this.#to.post(["debates", debate, "extend"], more);
  }

  /** Pauses a debate: open calls finish, and no new ones start. */
  pause(debate: string, by: { name: string; why?: string }): Promise<ActedLine> {
    return this.#to.post(["debates", debate, "pause"], by);
  }

  /** Ends a debate without a result. */
  cancel(debate: string, by: { name: string; why?: string }): Promise<ActedLine> {
    return this.#to.post(["debates", debate, "cancel"], by);
  }

  /** Says something to all participants. */
  interject(debate: string, remark: { name: string; text: string }): Promise<ActedLine> {
    return this.#to.post(["debates", debate, "interject"], remark);
  }

  // Answering for a seat whose model is `outside`.

  /** What is asked now, and who holds the seats. */
  async requests(debate: string): Promise<OpenRequest[]> {
    const asked = await this.#to.get<OpenRequest[]>(["debates", debate, "requests"]);
    for (const { request } of asked) this.#asked.set(`${debate}/${request.seat}`, request.key);
    return asked;
  }

  /** What a seat is asked. */
  async prompt(debate: string, seat: string): Promise<Prompt> {
    const prompt = await this.#to.get<Prompt>(["debates", debate, "seats", seat, "prompt"]);
    this.#asked.set(`${debate}/${seat}`, prompt.key);
    return prompt;
  }

  /** Claims a seat; the `token` of the answer proves it. */
  claim(debate: string, seat: string, claim: { holder: string; seconds?: number }): Promise<ClaimLine> {
    return this.#to.post(["debates", debate, "seats", seat, "claim"], claim);
  }

  /** Holds a seat for longer, counted from now. */
  refresh(debate: string, seat: string, lease: { token: string; seconds?: number }): Promise<LeaseLine> {
    return this.#to.post(["debates", debate, "seats", seat, "refresh"], lease, true);
  }

  /** Lets go of a seat. */
  release(debate: string, seat: string, lease: { token: string }): Promise<LeaseLine> {
    return this.#to.post(["debates", debate, "seats", seat, "release"], lease);
  }

  /** Looks something up for what a seat is asked; it goes onto the record with the seat's answer. */
  async lookUp(debate: string, seat: string, lookup: LookupBody): Promise<string> {
    const found = await this.#to.post<LookupShown>(["debates", debate, "seats", seat, "lookup"], lookup);
    return found.shown;
  }

  /**
   * Answers for a seat.
   *
   * `key` names the request that is answered: by default the one that `requests` or `prompt` last showed for the seat,
   * else the newest. The same text to the same request gets the same receipt, so an answer with a key is repeated if
   * the connection fails.
   */
  async answer(
    debate: string,
    seat: string,
    answer: { token: string; text: string; key?: string },
  ): Promise<ReceiptLine> {
    const key = answer.key ?? this.#asked.get(`${debate}/${seat}`);
    const body = key === undefined ? answer : { ...answer, key };
    const path = ["debates", debate, "seats", seat, "answer"];
    const receipt = await this.#to.post<ReceiptLine>(path, body, key !== undefined);
    this.#asked.delete(`${debate}/${seat}`);
    return receipt;
  }
}

function stoppedError(debate: string, stopped: { code: string; message: string; remedy: string }): StoppedError {
  return new StoppedError(stopped.code, stopped.message, stopped.remedy, { debate });
}

function bodyOf({ material, ...opening }: NewDebate): Opening {
  const context = [...(opening.context ?? []), ...(material ?? [])];
  return context.length > 0 ? { ...opening, context } : opening;
}
