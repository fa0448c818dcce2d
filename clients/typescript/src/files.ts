// Files of this machine as material, for programs on Node.js: the server does not read any.

import { readFile } from "node:fs/promises";
import { basename, isAbsolute, relative, resolve, sep } from "node:path";

import type { Material } from "./client.ts";

/**
 * A file as material, for all seats or for the named ones.
 *
 * A file below the current folder is named by its path from there, any other by its name alone.
 */
export async function file(path: string, seats?: string[]): Promise<Material> {
  const bytes = await readFile(path);
  // A text that is not UTF-8 would be debated with holes.
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  const below = relative(process.cwd(), resolve(path));
  const isBelow = below.split(sep)[0] !== ".." && !isAbsolute(below);
  const name = isBelow ? below.split(sep).join("/") : basename(path);
  return { path: name, text, ...(seats ? { seats } : {}) };
}
