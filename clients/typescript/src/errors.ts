// What can go wrong. Every error has a stable code for programs, a message, and a remedy for people.

/** What an error can say beside its message. */
export interface ErrorDetails {
  status?: number;
  kept?: string;
  debate?: string;
  cause?: unknown;
}

/** The base of all errors of this package. */
export class AgonError extends Error {
  override readonly name: string = "AgonError";
  /** A word for programs. Those of the server are listed in its documentation. */
  readonly code: string;
  /** What to do; empty if nothing can be done. */
  readonly remedy: string;
  /** The HTTP status, if the server answered. */
  readonly status: number | undefined;
  /** Path of a rejected text on the server's machine. */
  readonly kept: string | undefined;
  /** The debate, if the error is about one that was started. */
  debate: string | undefined;

  constructor(code: string, message: string, remedy = "", details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.code = code;
    this.remedy = remedy;
    this.status = details.status;
    this.kept = details.kept;
    this.debate = details.debate;
  }
}

/** The server answered, and refused the request. */
export class RefusedError extends AgonError {
  override readonly name = "RefusedError";
}

/** No usable answer came; code `unreachable`. A request that changes something may have taken effect. */
export class UnreachableError extends AgonError {
  override readonly name = "UnreachableError";
}

/** The debate stopped before its end. `resume` continues it after the cause is removed. */
export class StoppedError extends AgonError {
  override readonly name = "StoppedError";
}

/** The debate did not end in the given time; code `timeout`. It continues on the server. */
export class DebateTimeoutError extends AgonError {
  override readonly name = "DebateTimeoutError";
}
