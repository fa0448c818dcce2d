// Following one debate: server-sent events, with a new connection after each lost one.

import { type Connection, any, isPassing, pause, unreachable } from "./connection.ts";
import { AgonError } from "./errors.ts";
import { type Event, type Stopped, eventOf, stoppedOf } from "./events.ts";
import type { Debate } from "./schema.ts";

/** Silence after which the connection counts as lost: three of the server's heartbeats. */
const SILENCE_MS = 45_000;
/** Lost connections in a row, without an event between them, after which following ends with an error. */
export const RECONNECTS_MAX = 5;
/** Pause before a new connection, until the server names one. */
const RETRY_MS = 1500;
/** Length of one event. An answer has at most 1 MiB; JSON can make six characters of one. */
const FRAME_LENGTH_MAX = 32 * 1024 * 1024;

/** One server-sent event. A heartbeat and a new pause before connections have no kind. */
export interface Frame {
  kind: string;
  data: string[];
  retryMs?: number;
}

/** Cuts text into frames. Only line feeds end a line: texts can contain other separators. */
export class FrameReader {
  #rest = "";
  #frame: Frame = { kind: "", data: [] };
  /** Characters of the frame so far: an event of many lines is one event. */
  #length = 0;

  /** The frames that are complete after this piece. */
  feed(piece: string): Frame[] {
    this.#rest += piece;
    this.#limit(this.#rest.length);
    const lines = this.#rest.split("\n");
    this.#rest = lines.pop() ?? "";
    return lines.map((line) => this.#line(line.replace(/\r$/, ""))).filter((frame) => frame !== undefined);
  }

  #limit(length: number): void {
    if (length > FRAME_LENGTH_MAX) throw new AgonError("too_large", "the server sent an event that is too large");
  }

  #line(line: string): Frame | undefined {
    if (line === "") {
      const frame = this.#frame;
      this.#frame = { kind: "", data: [] };
      this.#length = 0;
      return frame.kind !== "" || frame.retryMs !== undefined ? frame : undefined;
    }
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "") return { kind: "", data: [] };
    if (name === "event") this.#frame.kind = value;
    if (name === "data") {
      this.#frame.data.push(value);
      this.#length += value.length;
      this.#limit(this.#length);
    }
    if (name === "retry" && /^\d+$/.test(value)) this.#frame.retryMs = Number(value);
    return undefined;
  }
}

/** The number of entries after which nothing follows for now, and why, unless the debate is closed. */
interface End {
  entries: number;
  stopped: Stopped | undefined;
}

/**
 * The events of a debate after entry `after`: each entry once, until the debate is closed or stops.
 *
 * Entries from before the debate stopped can follow `stopped`, and `closed` need not be the last entry, because a
 * debate can be extended. So the state of the debate decides where the events end.
 */
export async function* follow(
  connection: Connection,
  debate: string,
  after: number | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Event, void, undefined> {
  let seen = after === undefined ? 0 : after + 1;
  // Who names the last entry that it has was connected before.
  let [lost, pauseMs, wasConnected] = [0, RETRY_MS, after !== undefined];
  const isOver = (end: End | undefined): end is End => end !== undefined && seen >= end.entries;
  for (;;) {
    let failure: unknown;
    try {
      let end = await endOf(connection, debate, signal);
      wasConnected = true;
      if (!isOver(end)) {
        for await (const frame of frames(connection, debate, seen, signal)) {
          pauseMs = frame.retryMs ?? pauseMs;
          const event = frame.kind === "" ? undefined : eventOf(frame.kind, JSON.parse(frame.data.join("\n")));
          if (event !== undefined && "seq" in event && event.seq !== undefined) {
            if (event.seq < seen) continue;
            seen = event.seq + 1;
          }
          if (event !== undefined && event.kind !== "stopped") {
            lost = 0;
            yield event;
          }
          // Entries that were written before it stopped can arrive after `stopped`.
          const isHeartbeat = event === undefined && frame.retryMs === undefined;
          if (isHeartbeat || event?.kind === "stopped" || event?.kind === "closed" || isOver(end)) {
            end = await endOf(connection, debate, signal);
            if (isOver(end)) break;
          }
        }
      }
      if (isOver(end)) {
        if (end.stopped !== undefined) yield end.stopped;
        return;
      }
      // The server ended the stream: it restarts, or this client was too slow.
      failure = unreachable(connection.base, new Error("the event stream ended early"));
    } catch (error) {
      signal?.throwIfAborted();
      if (!isPassing(error)) throw error;
      failure = error;
    }
    lost += 1;
    if (lost > RECONNECTS_MAX || !wasConnected) throw failure;
    await pause(pauseMs, signal);
  }
}

async function* frames(
  connection: Connection,
  debate: string,
  seen: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Frame, void, undefined> {
  const headers: Record<string, string> = { accept: "text/event-stream" };
  if (seen > 0) headers["last-event-id"] = String(seen - 1);
  const silence = new AbortController();
  const late = () => silence.abort(new Error("the event stream is silent"));
  let timer = setTimeout(late, SILENCE_MS);
  try {
    const answer = await connection.open(["debates", debate, "events"], headers, any(silence.signal, signal));
    const pieces = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    const reader = new FrameReader();
    for (;;) {
      const piece = await pieces?.read().catch((error: unknown) => {
        throw unreachable(connection.base, error);
      });
      if (piece === undefined || piece.done) return;
      clearTimeout(timer);
      yield* reader.feed(piece.value);
      // What the caller does with the frames does not count as silence of the server.
      timer = setTimeout(late, SILENCE_MS);
    }
  } finally {
    clearTimeout(timer);
    // Ends the connection of a stream that the caller leaves.
    silence.abort();
  }
}

async function endOf(
  connection: Connection,
  debate: string,
  signal: AbortSignal | undefined,
): Promise<End | undefined> {
  const state = await connection.get<Debate>(["debates", debate], {}, signal);
  if (state.closed) return { entries: state.entries, stopped: undefined };
  return state.stopped ? { entries: state.entries, stopped: stoppedOf(state.stopped) } : undefined;
}
