// Hold debates between models with agon, over its HTTP interface.

export { ADDRESS, Agon, type From, type Material, type NewDebate, type Result, type Wait } from "./client.ts";
export type { ConnectionOptions } from "./connection.ts";
export { AgonError, DebateTimeoutError, RefusedError, StoppedError, UnreachableError } from "./errors.ts";
export type * from "./events.ts";
export * from "./record.ts";
export type * as schema from "./schema.ts";
