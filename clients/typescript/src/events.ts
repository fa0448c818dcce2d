// What happens in a debate, as typed events.

import type {
  ActedContent,
  AnsweredContent,
  AskedContent,
  ClosedContent,
  ExtendedContent,
  OpenedContent,
  RuledContent,
} from "./record.ts";

/** An entry of the record: its number, its time (RFC 3339 in UTC) and its place in the hash chain. */
interface EntryOf<Kind extends string, Content> {
  kind: Kind;
  content: Content;
  seq: number;
  at: string;
  prev: string;
  hash: string;
}

export type Opened = EntryOf<"opened", OpenedContent>;
export type Asked = EntryOf<"asked", AskedContent>;
export type Answered = EntryOf<"answered", AnsweredContent>;
export type Ruled = EntryOf<"ruled", RuledContent>;
export type Extended = EntryOf<"extended", ExtendedContent>;
export type Acted = EntryOf<"acted", ActedContent>;
/** The debate ended. Only an extension can follow. */
export type Closed = EntryOf<"closed", ClosedContent>;

/** An entry of the record. */
export type Entry = Opened | Asked | Answered | Ruled | Extended | Acted | Closed;

/** Text that a model is writing. It is not on the record; `begins` says that the text restarts. */
export interface Delta {
  kind: "delta";
  key: string;
  seat: string;
  attempt: number;
  begins: boolean;
  text: string;
}

/** A line for readers, for example about a repeated call. */
export interface Notice {
  kind: "notice";
  text: string;
}

/** The server stopped driving the debate before its end. No event follows. */
export interface Stopped {
  kind: "stopped";
  code: string;
  message: string;
  remedy: string;
}

/** An entry or an event of a kind that this version does not know; `seq` is there if it is an entry. */
export interface Unknown {
  kind: "unknown";
  name: string;
  data: unknown;
  seq?: number;
}

export type Event = Entry | Delta | Notice | Stopped | Unknown;

const ENTRIES: ReadonlySet<string> = new Set([
  "opened",
  "asked",
  "answered",
  "ruled",
  "extended",
  "acted",
  "closed",
] satisfies Entry["kind"][]);

interface StoredEntry {
  seq: number;
  at: string;
  what: Record<string, unknown>;
  prev: string;
  hash: string;
}

/** An entry as it stands in the record, typed. */
export function entryOf(data: unknown): Entry | Unknown {
  const { what, ...place } = data as StoredEntry;
  const [kind, content] = Object.entries(what)[0] ?? ["", undefined];
  if (!ENTRIES.has(kind)) return { kind: "unknown", name: kind, data: content, seq: place.seq };
  // The server checks every entry before it stores it.
  return { kind, content, ...place } as Entry;
}

/** A server-sent event, typed. */
export function eventOf(name: string, data: unknown): Event {
  switch (name) {
    case "entry":
      return entryOf(data);
    case "delta":
      return { ...(data as Omit<Delta, "kind">), kind: "delta" };
    case "notice":
      return { ...(data as Omit<Notice, "kind">), kind: "notice" };
    case "stopped":
      return stoppedOf((data as { error: unknown }).error);
    default:
      return { kind: "unknown", name, data };
  }
}

/** Why a debate stopped, from the error that the server gives. */
export function stoppedOf(error: unknown): Stopped {
  const { code, message, remedy } = error as { code: string; message: string; remedy?: string | null };
  return { kind: "stopped", code, message, remedy: remedy ?? "" };
}
