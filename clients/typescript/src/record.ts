// The contents of a record's entries, as docs/record.md of agon describes them. The OpenAPI document leaves
// entries open, so these types are written by hand. A newer server can add fields.

/** A seat that did not answer, and the reason. */
export interface Absent {
  seat: string;
  why: string;
}

/** How a debate ended. If `standing` is `void`, it has no result. */
export interface Outcome {
  name: string;
  standing: "valid" | "void";
  summary: string;
  winner?: string;
  absent?: Absent[];
  figures?: Record<string, unknown>;
}

/** A seat of the line-up, and the model as the user named it. */
export interface SeatModel {
  seat: string;
  model: string;
  name?: string;
  persona?: string;
  details?: Record<string, unknown>;
}

/** What a debate may spend. In an extension, `rounds` are added and the others are new totals. */
export interface Limits {
  rounds: number;
  requests_max?: number;
  tokens_max?: number;
  cost_microusd_max?: number;
  time_seconds_max?: number;
}

/** The first entry: protocol, motion, line-up and pinned texts. */
export interface OpenedContent {
  debate: string;
  protocol: string;
  rules: number;
  motion: string;
  lineup: SeatModel[];
  limits: Limits;
  /** A seed above 2^53 loses its last digits here; the text of the record has all of them. */
  seed: number;
  prompts: Record<string, string>;
  documents?: Record<string, string>;
  options?: Record<string, unknown>;
  parent?: Record<string, unknown>;
}

/** A request to a seat. */
export interface AskedContent {
  key: string;
  seat: string;
  prompt: string;
  facts: Record<string, unknown>;
  heard: number;
  exhausted: string;
  redraft?: Record<string, unknown>;
  wait_seconds?: number;
}

/** What a seat answered: words, a failure, the end of its time, or the number of the entry that struck it. */
export type Reply =
  | { said: { text: string } }
  | { failed: { kind: string; detail: string } }
  | { redacted: { by: number } }
  | "elapsed";

/** A passage of the material that the prompt showed. */
export interface ShownPassage {
  place: string;
  digest: string;
}

/** The answer to a request, with its cost. */
export interface AnsweredContent {
  key: string;
  reply: Reply;
  usage: Record<string, unknown>;
  by: { participant: string; model?: string };
  prompt?: string;
  shortened?: number;
  shown?: ShownPassage[];
}

/** A decision of the protocol, under its permanent key: `text` is for readers, `data` for programs. */
export interface RuledContent {
  key: string;
  ruling: { kind: string; text: string; data?: unknown };
}

/** A person allowed more. */
export interface ExtendedContent {
  limits: Limits;
}

/** A person acted without being asked; `deed` is `"resumed"` or an object with one field. */
export interface ActedContent {
  by: string;
  deed: unknown;
}

/** The end. Only an extension can follow. */
export interface ClosedContent {
  outcome: Outcome;
}

/** The words of an answer; `undefined` after a failure, and if they were struck. */
export function textOf(answered: AnsweredContent): string | undefined {
  const { reply } = answered;
  return typeof reply === "object" && "said" in reply ? reply.said.text : undefined;
}
